/** The chores of settlement, for the leader of all bridges. */
import type { Chore } from '../database/leader.js';
import { settlePeriods } from './periods.js';
import { priceBlocks } from './pricing.js';
import { settleBlocks } from './splitting.js';
import { type SettleOptions, takeTurn, weighBlocks } from './weighing.js';

/** What comes of it is looked at in minutes. */
const SELDOM_MS = 30_000;

export function settlementChores(options: SettleOptions): Chore[] {
  return [
    {
      name: 'settlement of blocks',
      run: async (signal) => {
        if (!(await takeTurn(options))) return;
        await weighBlocks(options, signal);
        await settleBlocks(options, signal);
      },
    },
    { name: 'prices of blocks', everyMs: SELDOM_MS, run: () => priceBlocks(options) },
    { name: 'settlement of shares', everyMs: SELDOM_MS, run: (signal) => settlePeriods(options, signal) },
  ];
}
