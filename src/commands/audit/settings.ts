/** What `audit` is told. */
import { flagsOnly, setting } from '../../values/setting.js';
import { text } from '../../values/words.js';
import { FORM_FLAGS } from '../settings.js';

export const AUDIT_SETTINGS = {
  ...flagsOnly({
    key: setting(text, {
      default: '',
      basic: true,
      shape: 'FILE',
      help: 'The keys of the account, as `keygen --out FILE` writes them.',
    }),
    log: setting(text, {
      default: '',
      basic: true,
      shape: 'FILE',
      help: 'What the rigs were answered: CSV with time and work of each share, as `rig --log FILE` writes it.',
    }),
    roots: setting(text, {
      default: '',
      basic: true,
      shape: 'FILE',
      help: 'Roots that were shown before, here or to somebody else. Those that are new are added.',
    }),
  }),
  ...FORM_FLAGS,
};
