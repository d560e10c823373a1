/** `stratum-bridge alerts`: whether those who should be told are, and what they were told of. */

import { type Command, defineCommand } from '../cli/line/command.js';
import { ALERT_TEST_SETTINGS } from './alerts/settings.js';
import { LIST_SETTINGS } from './ledger/settings.js';

const test = defineCommand({
  summary: 'send a test notice to each target; exit code 1 if one does not take it',
  about:
    'Sends one notice to each of alerts.targets, once, and says what each answered. No bridge has to run, and nothing is ' +
    'kept. What a target refuses here it refuses the bridge, too.',
  settings: ALERT_TEST_SETTINGS,
  examples: ['alerts test --config bridge.yaml', 'alerts test --config bridge.yaml --target ops'],
  run: async (asked) => (await import('./alerts/test.js')).run(asked),
});

const list = defineCommand({
  summary: 'alerts in the books, the open ones first',
  settings: LIST_SETTINGS,
  examples: ['alerts list --config bridge.yaml'],
  run: async (asked) => (await import('./alerts/list.js')).run(asked),
});

export const command: Command = {
  summary: 'try the targets of alerts, and list what they were told',
  commands: { test, list },
};
