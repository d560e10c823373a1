/** What `web` is told: where the data directory of the bridge is, and flags of one run. */
import { LIST_SETTINGS } from './ledger-settings.js';
import { type Settings, setting } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

const { json } = LIST_SETTINGS;
const { dataDir } = BRIDGE_SETTINGS;

export const WEB_LINK_SETTINGS = { dataDir, json } satisfies Settings;

export const WEB_TOKEN_SETTINGS = {
  dataDir,
  out: setting((v) => v.text, {
    default: '',
    shape: 'FILE',
    help: 'Where the copy of the token is written.',
    flagOnly: true,
  }),
  group: setting((v) => v.text, {
    default: '',
    shape: 'GROUP',
    help: 'Name or number of the group that may read the copy. Empty: that of whoever runs this.',
    flagOnly: true,
  }),
} satisfies Settings;

export type WebLinkSettings = typeof WEB_LINK_SETTINGS;
export type WebTokenSettings = typeof WEB_TOKEN_SETTINGS;
