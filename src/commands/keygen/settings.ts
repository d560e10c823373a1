import { flagsOnly, setting } from '../../values/setting.js';
import { text } from '../../values/words.js';

export const KEYGEN_SETTINGS = flagsOnly({
  out: setting(text, {
    default: '',
    shape: 'FILE',
    help: 'Write the keys as JSON to a new file that only you can read, and print the account alone.',
  }),
});

export const WISH_SETTINGS = flagsOnly({
  minimum: setting(text, {
    default: 'default',
    shape: 'AMOUNT',
    help: 'Pay from this balance on; default: as everybody.',
  }),
  chain: setting(text, {
    default: 'any',
    shape: 'CHAIN',
    help: 'Pay on this chain; any: wherever there are coins.',
  }),
});
