/** What `ledger payout prepare` is told besides what every command of `ledger` is. */
import { BRIDGE_SETTINGS } from '../../../config/settings.js';
import { flagsOnly, type Settings, setting } from '../../../values/setting.js';
import { text } from '../../../values/words.js';
import { chainFlag, LEDGER_SETTINGS } from '../settings.js';

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
