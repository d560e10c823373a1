/** What `web` is told: where the data directory of the bridge is, and flags of one run. */
import { BRIDGE_SETTINGS } from '../../config/settings.js';
import { flagsOnly, type Settings, setting } from '../../values/setting.js';
import { text } from '../../values/words.js';
import { FORM_FLAGS } from '../settings.js';

const { dataDir } = BRIDGE_SETTINGS;

export const WEB_LINK_SETTINGS = { json: FORM_FLAGS.json, dataDir } satisfies Settings;

export const WEB_TOKEN_SETTINGS = {
  ...flagsOnly({
    out: setting(text, {
      default: '',
      shape: 'FILE',
      help: 'Where the copy of the token is written.',
    }),
    group: setting(text, {
      default: '',
      shape: 'GROUP',
      help: 'Name or number of the group that may read the copy. Empty: that of whoever runs this.',
    }),
  }),
  dataDir,
} satisfies Settings;

export type WebLinkSettings = typeof WEB_LINK_SETTINGS;
export type WebTokenSettings = typeof WEB_TOKEN_SETTINGS;
