/** The chores of settlement, for the leader of all bridges. */
import type { Chore } from '../database/leader.js';
import { settlePps } from './pps.js';
import { priceBlocks } from './pricing.js';
import { settleBlocks } from './splitting.js';
import { type SettleOptions, takeTurn, weighBlocks } from './weighing.js';

/** Where none was taken for three times as long, the books were away. */
const TURN_MS = 5_000;

export function settlementChores(options: SettleOptions): Chore[] {
  return [
    { name: 'the turn of settlement', everyMs: TURN_MS, run: () => takeTurn(options) },
    {
      name: 'settlement of blocks',
      run: async (signal) => {
        await weighBlocks(options, signal);
        await settleBlocks(options, signal);
      },
    },
    { name: 'prices of blocks', everyMs: 10_000, run: () => priceBlocks(options) },
    { name: 'settlement of shares', everyMs: 10_000, run: (signal) => settlePps(options, signal) },
  ];
}
