/** What `ledger payout prepare` is told besides what every command of `ledger` is. */
import { BRIDGE_SETTINGS } from '../../../config/settings.js';
import { flagsOnly, onOff, quantity, type Settings, setting } from '../../../values/setting.js';
import { text } from '../../../values/words.js';
import { BOOKS_SETTINGS, chainFlag, LEDGER_SETTINGS, type LIST_SETTINGS } from '../settings.js';

export const PREPARE_SETTINGS = {
  ...flagsOnly({
    out: setting(text, { default: '.', shape: 'FOLDER', help: 'Where it writes its files.' }),
    chain: chainFlag(
      'none',
      'Where it is to be paid: for each chain, and for none, one payout may be prepared at a time.',
    ),
  }),
  'payouts.minimum': BRIDGE_SETTINGS['payouts.minimum'],
  ...LEDGER_SETTINGS,
} satisfies Settings;

export type PrepareSettings = typeof PREPARE_SETTINGS;

export const SEND_SETTINGS = {
  ...flagsOnly({
    wait: onOff({ default: false, help: 'Wait until all that is due is paid, and say what is waited for.' }),
    timeout: quantity('time', ['1s', '7d'], {
      default: '2h',
      shape: 'TIME',
      help: 'How long it waits at the most.',
    }),
  }),
  ...BOOKS_SETTINGS,
} satisfies Settings;

export type SendSettings = typeof SEND_SETTINGS;
export type StatusSettings = typeof LIST_SETTINGS;
