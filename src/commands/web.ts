/** `stratum-bridge web`: how people and programs get to the page and the metrics of a bridge. */

import { type Command, defineCommand } from '../cli/line/command.js';
import { WEB_LINK_SETTINGS, WEB_TOKEN_SETTINGS } from './web/settings.js';

const read = defineCommand({
  summary: 'write the token that reads into a file, for Prometheus',
  about:
    'Makes the token in the data directory where there is none; a bridge that runs takes it at once. The copy is for whoever owns it and for ' +
    'the group that --group names: mode 0640. The same again writes the same token.',
  settings: WEB_TOKEN_SETTINGS,
  examples: ['web token read --out /etc/prometheus/stratum-bridge-token --group prometheus'],
  run: async (asked) => (await import('./web/token.js')).run(asked),
});

const link = defineCommand({
  summary: 'print a link that opens the page, signed in',
  about:
    'Asks the bridge that runs with this data directory. The link works once, for an hour, and may do what the admin token may. It leads to web.url, ' +
    'or to this machine with the line of ssh by which another one gets here.',
  settings: WEB_LINK_SETTINGS,
  examples: ['web', 'web --data-dir /var/lib/stratum-bridge'],
  run: async (asked) => (await import('./web/link.js')).run(asked),
});

export const command: Command = {
  ...link,
  commands: { token: { summary: 'tokens for programs', commands: { read } } },
};
