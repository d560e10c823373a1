import { type Settings, setting } from '../../config/settings/setting.js';

export const KEYGEN_SETTINGS = {
  out: setting((v) => v.text, {
    default: '',
    shape: 'FILE',
    help: 'Write the keys as JSON to a new file that only you can read, and print the account alone.',
    flagOnly: true,
  }),
} satisfies Settings;

export const WISH_SETTINGS = {
  minimum: setting((v) => v.text, {
    default: 'default',
    shape: 'AMOUNT',
    help: 'Pay from this balance on; default: as everybody.',
    flagOnly: true,
  }),
  chain: setting((v) => v.text, {
    default: 'any',
    shape: 'CHAIN',
    help: 'Pay on this chain; any: wherever there are coins.',
    flagOnly: true,
  }),
} satisfies Settings;
