/** What `probe` is told. */
import { flagsOnly, onOff, quantity, setting } from '../../values/setting.js';
import { text } from '../../values/words.js';
import { FORM_FLAGS } from '../settings.js';

export const PROBE_SETTINGS = {
  ...flagsOnly({
    for: quantity('time', ['1s', '1h'], { default: '2m', basic: true, help: 'How long to compare.' }),
    rigs: quantity('count', [1, 100], {
      default: 4,
      basic: true,
      help: 'Connections to each server. Each may be given another chain, and only what servers give at the same time is compared.',
    }),
    user: setting(text, {
      default: '',
      basic: true,
      shape: 'ACCOUNT.RIG',
      help: 'Who logs in. Empty: an account that is made up, which nothing is earned for.',
    }),
    password: setting(text, { default: 'x', basic: true, shape: 'TEXT', help: 'Most servers ignore it.' }),
    insecure: onOff({ default: false, basic: true, help: 'Take any certificate.' }),
    submit: quantity('count', [0, 1000], {
      default: 0,
      basic: true,
      help: 'Find so many shares for each connection with this CPU and send them, to time the answers. 0: none is sent.',
    }),
  }),
  ...FORM_FLAGS,
};
