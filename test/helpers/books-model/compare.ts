/** What operators are shown of the ledger, beside what the model says is due. */
import { expect } from 'vitest';
import { fromBase64Url, toHex } from '../../../src/core/bytes/bytes.js';
import { parseAmount } from '../../../src/core/money/amount.js';
import { askOf } from '../../../src/ledger/database/statements.js';
import type { Ledger } from '../../../src/ledger/ledger.js';
import type { RewardRules } from '../../../src/ledger/settlement/reward-rules.js';
import { blocksOf, splitOf } from '../../../src/ledger/watch/blocks.js';
import { listIn } from '../books/lists.js';
import { type Amounts, due } from './model.js';
import type { World } from './world.js';

const ALL = { offset: 0, limit: 1000 };

/** Throws where they differ, by a unit. */
export async function compare(world: World, { pool }: Ledger, rules: RewardRules): Promise<void> {
  const kept = world.machines.filter(({ isGone }) => !isGone).flatMap(({ allLogs }) => allLogs);
  expect(world.truth.missingOf(kept), 'shares and solutions that were acknowledged and are not booked').toBe(
    0,
  );
  const happened = world.truth.happened(rules);
  const model = due(happened);
  const accounts = await listIn(pool, 'accounts');
  const [operator] = await listIn(pool, 'operator');
  const rows = [...accounts, { ...operator, account: '' }];
  const found = {
    balances: amountsOf(rows.map(({ account, balance }) => [account, balance])),
    held: amountsOf(rows.map(({ account, held }) => [account, held])),
    splits: await splitsIn(world, pool),
    work: amountsOf(accounts.map(({ account, work }) => [account, `0.${work.padStart(12, '0')}`])),
  };
  const work: Amounts = {};
  for (const share of happened.shares)
    if (share.account !== '') work[share.account] = (work[share.account] ?? 0n) + share.work;
  expect(found).toEqual({ ...model, held: {}, work });
}

/** Of blocks on the chain. */
async function splitsIn(world: World, pool: Ledger['pool']): Promise<Record<string, Amounts>> {
  const { items } = await blocksOf(askOf(pool), { limit: 1000 });
  const splits: Record<string, Amounts> = {};
  for (const { id, hash, state } of items) {
    const block = world.truth.blocks.find(
      (one) => toHex(fromBase64Url(one.hash) ?? new Uint8Array()) === hash,
    );
    if (!block || state === 'unclaimed') continue;
    expect([block.height, state]).toEqual([
      block.height,
      world.truth.isOnChain(block) ? 'confirmed' : 'orphaned',
    ]);
    if (state !== 'confirmed') continue;
    const { lines = [] } = (await splitOf(askOf(pool), id, ALL)) ?? {};
    splits[block.hash] = amountsOf(lines.map(({ account, amount }) => [account ?? '', amount]));
  }
  return splits;
}

function amountsOf(rows: readonly (readonly [string, string | undefined])[]): Amounts {
  const amounts = rows.map(([account, text]): [string, bigint] => [
    account,
    parseAmount(text ?? '0') ?? expect.fail(text),
  ]);
  return Object.fromEntries(amounts.filter(([, amount]) => amount !== 0n));
}
