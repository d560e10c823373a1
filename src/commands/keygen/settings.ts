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
  pool: setting(text, {
    default: '',
    shape: 'KEY',
    help: 'The key of the pool that it is for, as the page of your account shows it.',
  }),
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
  beneficiaries: setting(text, {
    default: '',
    shape: 'ACCOUNT=PART,…',
    help: 'Whom to pass parts of what you earn of blocks on to, at most eight: k:…=12.5%,k:…=2%. The rest stays yours. Empty: nobody.',
  }),
});
