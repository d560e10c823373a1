/** Blocks that are confirmed and bring nothing yet: an account or a schedule that was set since may be meant for them. */

import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { priceOf, SQL } from '../blocks/blocks.js';
import { rowsOf, run } from '../database/statements.js';
import type { BlockIncome } from './block-income.js';
import type { SettleOptions } from './weighing.js';

export async function priceBlocks({ pool, rules }: Pick<SettleOptions, 'pool' | 'rules'>): Promise<void> {
  for (const { id, receiver, coinbase, fees, ...place } of await rowsOf(pool, SQL.unpriced)) {
    const price = await priceOf(place, incomeIn(receiver, coinbase, fees), rules);
    if (price) await run(pool, SQL.price, [id, formatAmount(price.reward), price.source]);
  }
}

/** As it was read when the block was confirmed; `undefined`: it could not be. */
export function incomeIn(
  receiver: string | null,
  coinbase: string | null,
  fees: string,
): BlockIncome | undefined {
  if (receiver === null || coinbase === null) return undefined;
  return { receiver, reward: parseAmount(coinbase) ?? 0n, fees: parseAmount(fees) ?? 0n };
}
