import { type Settings, setting } from '../../config/settings/setting.js';

export const KEYGEN_SETTINGS = {
  out: setting('out', (v) => v.text, {
    default: '',
    shape: 'FILE',
    help: 'Write the keys as JSON to a new file that only you can read, and print the account alone.',
    flagOnly: true,
  }),
} satisfies Settings;
