/** What `ledger payout` is told besides what every command of `ledger` is. */
import { BRIDGE_SETTINGS } from '../../../config/settings.js';
import { numberOf } from '../../../values/numbers.js';
import { choice, flagsOnly, onOff, quantity, type Settings, setting } from '../../../values/setting.js';
import { text, wordOr } from '../../../values/words.js';
import { chainFlag, LEDGER_SETTINGS, LIST_SETTINGS, VERIFY_SETTINGS } from '../settings.js';

export const PREPARE_SETTINGS = {
  ...flagsOnly({
    out: setting(text, { default: '.', shape: 'FOLDER', help: 'Where it writes its files.' }),
    chain: chainFlag(
      'none',
      'Where it is to be paid: for each chain, and for none, one payout may be prepared at a time.',
    ),
  }),
  'payouts.minimum': BRIDGE_SETTINGS['payouts.minimum'],
  'payouts.mode': BRIDGE_SETTINGS['payouts.mode'],
  ...LEDGER_SETTINGS,
} satisfies Settings;

export const STATUS_SETTINGS = {
  ...flagsOnly({
    lines: onOff({
      default: false,
      help: 'Each line too: whom it pays, where, and what became of it.',
    }),
  }),
  ...LIST_SETTINGS,
} satisfies Settings;

export const SEND_SETTINGS = {
  ...flagsOnly({
    wait: choice(['confirmed', 'final'], {
      default: 'confirmed',
      shape: 'STATE',
      help: 'confirmed: until the books say that it is paid. final: until no usual reorganisation can take it back.',
    }),
    timeout: quantity('time', ['1s', '7d'], {
      default: '30m',
      help: 'How long it is waited for. What is on its way goes on afterwards.',
    }),
  }),
  ...VERIFY_SETTINGS,
} satisfies Settings;

export const RECONCILE_SETTINGS = {
  ...flagsOnly({
    since: setting(
      wordOr('compared', numberOf('count', 0, 2 ** 53 - 1), 'is neither compared nor a height'),
      {
        default: 'compared',
        shape: 'HEIGHT',
        help: 'From what height on, on every chain; compared: from where books and chain are known to agree.',
      },
    ),
    apply: onOff({
      default: false,
      help: 'Enter payments that the chain has and the books do not know of. Without it they are only listed.',
    }),
  }),
  ...VERIFY_SETTINGS,
} satisfies Settings;

export type PrepareSettings = typeof PREPARE_SETTINGS;
export type StatusSettings = typeof STATUS_SETTINGS;
export type ReconcileSettings = typeof RECONCILE_SETTINGS;
export type SendSettings = typeof SEND_SETTINGS;
