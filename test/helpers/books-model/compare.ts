/** What operators are shown of the ledger, beside what the model says is due. */
import { expect } from 'vitest';
import { fromBase64Url, toHex } from '../../../src/core/bytes/bytes.js';
import { parseAmount } from '../../../src/core/money/amount.js';
import { askOf } from '../../../src/ledger/database/statements.js';
import type { Ledger } from '../../../src/ledger/ledger.js';
import type { RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { blocksOf, splitOf } from '../../../src/ledger/watch/blocks.js';
import { listIn } from '../books/lists.js';
import { CHAIN, CHAIN_REWARD } from './chain.js';
import { type Amounts, type CountedBlock, due, type Happened, sumOf } from './model.js';
import type { TrueBlock, Truth } from './truth.js';

/** A world at its end: what truly happened in it. */
export interface Compared {
  readonly machines: readonly { readonly isGone: boolean; readonly allLogs: readonly string[] }[];
  readonly truth: Pick<Truth, 'missingOf' | 'happened'> & {
    readonly blocks: readonly Pick<TrueBlock, 'hash' | 'height'>[];
    stateOf(block: Pick<TrueBlock, 'hash' | 'height'>): ReturnType<Truth['stateOf']>;
  };
}

const ALL = { offset: 0, limit: 1000 };

/** Throws where they differ, by a unit. */
export async function compare(world: Compared, { pool }: Ledger, rules: RewardRules): Promise<void> {
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

/**
 * Amounts that are expected are cut to units, each account's of each block. Where a block is split, parts are rounded before their fees are taken.
 * So what is expected is the model's to within two units, and the rest is the operator's.
 */
const MOST_UNITS = 2n;

/** The same as {@link compare} before the last blocks are decided, of what they would bring. */
export async function compareExpected(world: Compared, { pool }: Ledger, rules: RewardRules): Promise<void> {
  const happened = world.truth.happened(rules);
  const { splits } = due({ ...happened, blocks: happened.blocks.map((block) => asExpected(world, block)) });
  const found = await splitsIn(world, pool);
  expect({ wouldBring: roughly(found, splits) }).toEqual({ wouldBring: splits });
  // What pay per share has credited by now is none of blocks.
  if (rules.scheme === 'pps') return;
  const accounts = await listIn(pool, 'accounts');
  const [operator] = await listIn(pool, 'operator');
  const rows = [...accounts.flatMap((row) => [dueOf(row), expectedOf(row)])];
  const listed = sumOf(
    amountPairs([...rows, ['', operator?.balance], ['', operator?.expected ?? undefined]]),
  );
  expect(listed).toEqual(sumOf(Object.values(found).flatMap((amounts) => Object.entries(amounts))));
}

/** What its chain pays is what a block brings that is not decided. */
function asExpected(world: Compared, block: CountedBlock): CountedBlock {
  const isPending = world.truth.blocks.some(
    (one) => one.hash === block.hash && world.truth.stateOf(one) === 'pending',
  );
  return isPending ? { ...block, reward: CHAIN_REWARD, fees: 0n, isOnChain: true } : block;
}

/** What differs by no more than units is given as it should be. */
function roughly(found: Record<string, Amounts>, model: Record<string, Amounts>): Record<string, Amounts> {
  const entries = Object.entries(found).map(([hash, amounts]): [string, Amounts] => {
    const { [hash]: should = {} } = model;
    const names = [...new Set([...Object.keys(amounts), ...Object.keys(should)])];
    const differences = names.map((name) => (amounts[name] ?? 0n) - (should[name] ?? 0n));
    const isRight = names.every((name, i) => {
      const most = name === '' ? MOST_UNITS * BigInt(names.length) : MOST_UNITS;
      const difference = differences[i] ?? 0n;
      return -most <= difference && difference <= most;
    });
    return [hash, isRight && differences.reduce((sum, one) => sum + one, 0n) === 0n ? should : amounts];
  });
  return Object.fromEntries(entries);
}

/** Of blocks that are not orphaned. */
async function splitsIn(world: Compared, pool: Ledger['pool']): Promise<Record<string, Amounts>> {
  const { items } = await blocksOf(askOf(pool), { limit: 1000 });
  const splits: Record<string, Amounts> = {};
  for (const { id, hash, state } of items) {
    const block = world.truth.blocks.find(
      (one) => toHex(fromBase64Url(one.hash) ?? new Uint8Array()) === hash,
    );
    if (!block || state === 'unclaimed') continue;
    expect([block.height, state]).toEqual([block.height, world.truth.stateOf(block)]);
    if (state === 'orphaned') continue;
    const { lines = [] } = (await splitOf(askOf(pool), id, ALL)) ?? {};
    splits[block.hash] = amountsOf(lines.map(({ account, amount }) => [account ?? '', amount]));
  }
  return splits;
}

function amountsOf(rows: readonly Row[]): Amounts {
  return Object.fromEntries(amountPairs(rows).filter(([, amount]) => amount !== 0n));
}

type Row = readonly [account: string, amount: string | undefined];

function amountPairs(rows: readonly Row[]): [string, bigint][] {
  return rows.map(([account, text]) => [account, parseAmount(text ?? '0') ?? expect.fail(text)]);
}
