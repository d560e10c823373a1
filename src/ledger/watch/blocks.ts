/** Blocks and payouts, a page at a time: a page begins after the last id of the one before. */
import { LUCK_BLOCKS, type Page, type Rounds } from '../../bridge/watch/books-watch.js';
import type { Slice } from '../../bridge/watch/rig-watch.js';
import type { Block, BlockSplit, BlocksQuestion } from '../../operations/blocks.js';
import type { BookedState, PaymentState } from '../../operations/enums.js';
import type { BestEver } from '../../operations/fields.js';
import type { Payout, PayoutLines, PayoutsQuestion } from '../../operations/payouts.js';
import { rounded, timeOf } from '../../operations/values.js';
import { type Ask, is, type RowOf, statementsOf } from '../database/statements.js';
import { keyOf } from '../payments/payouts.js';
import { PAYS_ANOTHER, UNPAID } from '../settlement/reward-rules.js';

const BLOCK = {
  paysAnother: is.bool,
  waitsFor: is.orNull(is.text),
  id: is.bigint,
  state: is.word<BookedState>(),
  chainId: is.int,
  height: is.float,
  hash: is.text,
  depth: is.int,
  reward: is.orNull(is.text),
  account: is.text,
  rig: is.text,
  node: is.text,
  detail: is.text,
  foundAtMs: is.float,
  effort: is.orNull(is.float),
};

export const SQL = statementsOf(new URL('blocks.sql', import.meta.url), {
  blocks: BLOCK,
  solutions: BLOCK,
  openRound: { sinceMs: is.float, work: is.text },
  bestShare: { difficulty: is.float, atMs: is.float },
  lastRounds: { blocks: is.int, expected: is.float },
  split: {
    id: is.bigint,
    state: is.word<BookedState>(),
    scheme: is.orNull(is.text),
    feeBasisPoints: is.orNull(is.int),
    ...{ reward: is.orNull(is.text), total: is.int },
  },
  splitLines: { account: is.text, amount: is.text },
  payouts: {
    ...{ id: is.bigint, name: is.text, state: is.word<Payout['state']>(), chainId: is.orNull(is.int) },
    ...{ payments: is.json<Payout['payments']>(), preparedAtMs: is.float, changedAtMs: is.float },
    ...{ minimum: is.text, note: is.text, total: is.text, accounts: is.int },
    ...{
      paidBy: is.word<Payout['paidBy']>(),
      contentHash: is.orNull(is.text),
      approvalFor: is.orNull(is.text),
    },
    ...{ approvalsNeeded: is.int, approvals: is.int, isRejected: is.bool, isSettled: is.bool },
  },
  payoutLines: {
    account: is.text,
    amount: is.text,
    state: is.word<PaymentState>(),
    requestKey: is.orNull(is.text),
  },
});

export async function blocksOf(ask: Ask, question: BlocksQuestion): Promise<Page<Block>> {
  const { before = null, state = null, chain = null, limit } = question;
  const statement = state === 'found' || state === 'refused' ? SQL.solutions : SQL.blocks;
  // One more, to know whether there is a page after this one.
  const rows = await ask(statement, [limit + 1, before, state, chain]);
  return pageOf(rows.map(shown), limit);
}

function shown({
  paysAnother,
  waitsFor,
  account,
  rig,
  foundAtMs,
  effort,
  ...row
}: RowOf<typeof SQL.blocks>): Block {
  const isOn = row.state === 'onChain' || row.state === 'confirmed';
  const unpaid =
    row.reward === null ? (paysAnother ? PAYS_ANOTHER : UNPAID) : waitsFor && waitingFor(waitsFor);
  return {
    ...row,
    finder: { account, rig },
    foundAt: timeOf(foundAtMs),
    effort: effort === null ? null : rounded(effort),
    detail: (isOn && unpaid) || row.detail,
  };
}

function waitingFor(bridge: string): string {
  return `it waits for the shares of ${bridge}: \`ledger bridges\` tells more, \`ledger bridges end\` waits for it no longer`;
}

export async function roundsOf(ask: Ask): Promise<Rounds> {
  const [open = { sinceMs: 0, work: '0' }] = await ask(SQL.openRound);
  const [last = { blocks: 0, expected: 0 }] = await ask(SQL.lastRounds, [LUCK_BLOCKS]);
  const [best] = await ask(SQL.bestShare);
  return { open, last, best: bestIn(best) };
}

export function bestIn(
  best: { readonly difficulty: number; readonly atMs: number | null } | undefined,
): BestEver {
  return best?.atMs
    ? { difficulty: String(BigInt(Math.round(best.difficulty))), at: timeOf(best.atMs) }
    : null;
}

export async function splitOf(
  ask: Ask,
  id: string,
  { offset, limit }: Slice,
): Promise<BlockSplit | undefined> {
  const [row] = await ask(SQL.split, [id]);
  if (!row) return undefined;
  const { feeBasisPoints, ...block } = row;
  const lines = await ask(SQL.splitLines, [id, offset, limit]);
  return {
    ...block,
    fee: feeBasisPoints === null ? null : feeBasisPoints / 10_000,
    ...{ offset, limit },
    lines: lines.map(({ account, amount }) => ({ account: account === '' ? null : account, amount })),
  };
}

export async function payoutsOf(ask: Ask, { before, limit, only }: PayoutsQuestion): Promise<Page<Payout>> {
  return pageOf(
    (await ask(SQL.payouts, [limit + 1, before ?? null, null, null, only === 'open'])).map(payoutFrom),
    limit,
  );
}

/** @param which number or name. */
export async function payoutOf(
  ask: Ask,
  which: string,
  { offset, limit }: Slice,
): Promise<PayoutLines | undefined> {
  const [payout] = await ask(SQL.payouts, [1, null, ...keyOf(which), false]);
  if (!payout) return undefined;
  return {
    ...payoutFrom(payout),
    offset,
    limit,
    lines: await ask(SQL.payoutLines, [payout.id, offset, limit]),
  };
}

function payoutFrom({
  preparedAtMs,
  changedAtMs,
  approvalFor,
  approvalsNeeded,
  approvals,
  ...payout
}: RowOf<typeof SQL.payouts>): Payout {
  return {
    ...payout,
    preparedAt: timeOf(preparedAtMs),
    changedAt: timeOf(changedAtMs),
    approval:
      approvalsNeeded === 0 ? null : { why: approvalFor ?? '', needed: approvalsNeeded, given: approvals },
  };
}

function pageOf<T extends { readonly id: string }>(rows: readonly T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
