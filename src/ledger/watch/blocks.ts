/** Blocks and payouts, a page at a time: a page begins after the last id of the one before. */
import { LUCK_BLOCKS, type Page, type Rounds } from '../../bridge/watch/books-watch.js';
import type { Listing, Slice } from '../../bridge/watch/rig-watch.js';
import type { Block, BlockSplit, BlocksQuestion } from '../../operations/books/blocks.js';
import type { PaidLine, Payout, PayoutLines, PayoutsQuestion } from '../../operations/books/payouts.js';
import type { BestEver } from '../../operations/entry/fields.js';
import { rounded } from '../../operations/entry/values.js';
import { type Ask, type RowOf, statementsOf } from '../database/statements.js';
import { keyOf } from '../payments/payouts.js';
import { PAYS_ANOTHER, UNPAID } from '../settlement/reward-rules.js';

type Finder = NonNullable<Block['finder']>;

const SQL = statementsOf<
  'watch/blocks.sql',
  {
    blocks: { finder: Finder };
    solutions: { state: 'found' | 'refused'; finder: Finder };
    payouts: Pick<Payout, 'state' | 'payments'>;
  }
>('watch/blocks.sql');

export async function blocksOf(ask: Ask, question: BlocksQuestion): Promise<Page<Block>> {
  const { before, state, chain, limit } = question;
  // One more, to know whether there is a page after this one.
  const values = [limit + 1, before, state, chain] as const;
  const isUntaken = state === 'found' || state === 'refused';
  const rows = isUntaken ? await ask(SQL.solutions, values) : await ask(SQL.blocks, values);
  return pageOf(rows.map(shown), limit);
}

function shown({
  paysAnother,
  waitsFor,
  effort,
  ...row
}: RowOf<typeof SQL.blocks | typeof SQL.solutions>): Block {
  const isOn = row.state === 'confirmed';
  if (row.state === 'unclaimed') return { ...row, effort: null, detail: UNCLAIMED };
  const unpaid =
    row.reward === null ? (paysAnother ? PAYS_ANOTHER : UNPAID) : waitsFor && waitingFor(waitsFor);
  return {
    ...row,
    effort: effort === null ? null : rounded(effort),
    detail: (isOn && unpaid) || row.detail,
  };
}

const UNCLAIMED =
  'nobody gets it: `ledger block claim` says who found it, `ledger block disown` that no rig of the pool did';

function waitingFor(bridge: string): string {
  return `it waits for the shares of ${bridge}: \`ledger log list\` tells more, \`ledger log end\` waits for it no longer`;
}

export async function roundsOf(ask: Ask): Promise<Rounds> {
  const [open = { sinceMs: 0, work: '0' }] = await ask(SQL.openRound);
  const [last = { blocks: 0, expected: 0 }] = await ask(SQL.lastRounds, [LUCK_BLOCKS]);
  const [best] = await ask(SQL.bestShare);
  return { open, last, best: bestIn(best) };
}

export function bestIn(
  best: { readonly difficulty: number; readonly at: string | null } | undefined,
): BestEver {
  return best?.at ? { difficulty: String(BigInt(Math.round(best.difficulty))), at: best.at } : null;
}

export async function splitOf(
  ask: Ask,
  id: string,
  { offset, limit }: Slice,
): Promise<BlockSplit | undefined> {
  const [block] = await ask(SQL.split, [id]);
  return block && { ...block, offset, limit, lines: await ask(SQL.splitLines, [id, offset, limit]) };
}

export async function payoutsOf(ask: Ask, { before, limit, only }: PayoutsQuestion): Promise<Page<Payout>> {
  return pageOf(await ask(SQL.payouts, [limit + 1, before, null, null, only === 'open']), limit);
}

/** @param which number or name. */
export async function payoutOf(
  ask: Ask,
  which: string,
  { offset, limit }: Slice,
): Promise<PayoutLines | undefined> {
  const [payout] = await ask(SQL.payouts, [1, null, ...keyOf(which), false]);
  return (
    payout && { ...payout, offset, limit, lines: await ask(SQL.payoutLines, [payout.id, offset, limit]) }
  );
}

/** @param which number or name. */
export async function paidLines(
  ask: Ask,
  which: string,
  { offset, limit }: Slice,
): Promise<Listing<PaidLine> | undefined> {
  const [payout] = await ask(SQL.lineCount, keyOf(which));
  return payout && { total: payout.total, items: await ask(SQL.lines, [payout.id, offset, limit]) };
}

function pageOf<T extends { readonly id: string }>(rows: readonly T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}
