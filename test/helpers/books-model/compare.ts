/** What operators are shown of the ledger, beside what the model says is due. */
import { expect } from 'vitest';
import { fromBase64Url, toHex } from '../../../src/core/bytes/bytes.js';
import { parseAmount } from '../../../src/core/money/amount.js';
import { askOf } from '../../../src/ledger/database/statements.js';
import type { Ledger } from '../../../src/ledger/ledger.js';
import type { RewardRules } from '../../../src/ledger/settlement/reward-rules.js';
import { blocksOf, splitOf } from '../../../src/ledger/watch/blocks.js';
import { listIn } from '../books/lists.js';
import { CHAIN } from './chain.js';
import { type Amounts, due, type Happened } from './model.js';
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
  const [operator, ...chains] = await listIn(pool, 'operator');
  const found = {
    balances: amountsOf([...accounts.map(dueOf), ['', operator?.balance]]),
    expected: amountsOf([...accounts.map(expectedOf), ['', operator?.expected ?? undefined]]),
    chains: amountsOf(chains.map(({ name, balance }) => [name, balance])),
    splits: await splitsIn(world, pool),
    work: amountsOf(accounts.map(({ account, work }) => [account, `0.${work.padStart(12, '0')}`])),
  };
  const work: Amounts = {};
  for (const share of happened.shares)
    if (share.account !== '') work[share.account] = (work[share.account] ?? 0n) + share.work;
  expect(found).toEqual({ ...model, expected: {}, chains: incomeOf(happened), work });
}

const dueOf = (row: { account: string; due: string }) => [row.account, row.due] as const;
const expectedOf = (row: { account: string; expected: string }) => [row.account, row.expected] as const;

/** What our blocks brought, and nobody was sent yet. */
function incomeOf({ blocks }: Happened): Amounts {
  const income = blocks.filter(({ isOnChain }) => isOnChain).map(({ reward, fees }) => reward + fees);
  const sum = income.reduce((all, one) => all + one, 0n);
  return sum === 0n ? {} : { [`chain ${CHAIN}`]: sum };
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
