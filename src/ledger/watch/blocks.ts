/** Blocks and payouts, a page at a time: a page begins after the last id of the one before. */
import {
  type BlockSplit,
  type BlocksQuestion,
  type BookedBlock,
  LUCK_BLOCKS,
  type Page,
  type PageQuestion,
  type Payout,
  type PayoutLines,
  type Rounds,
} from '../../bridge/watch/books-watch.js';
import type { Slice } from '../../bridge/watch/rig-watch.js';
import { type Ask, type RowOf, statementsOf } from '../database/statements.js';
import { PAYS_ANOTHER, UNPAID } from '../settlement/reward-rules.js';

export const SQL = statementsOf<
  'watch/blocks.sql',
  { solutions: { state: 'found' | 'refused' }; payouts: Pick<Payout, 'state' | 'payments'> }
>('watch/blocks.sql');

export async function blocksOf(ask: Ask, question: BlocksQuestion): Promise<Page<BookedBlock>> {
  const { before, state, chainId, limit } = question;
  // One more, to know whether there is a page after this one.
  const values = [limit + 1, before, state, chainId] as const;
  const isUntaken = state === 'found' || state === 'refused';
  const rows = isUntaken ? await ask(SQL.solutions, values) : await ask(SQL.blocks, values);
  return pageOf(rows.map(shown), limit);
}

function shown({ paysAnother, ...row }: RowOf<typeof SQL.blocks | typeof SQL.solutions>): BookedBlock {
  const isUnpaid = row.reward === null && (row.state === 'onChain' || row.state === 'confirmed');
  return {
    ...row,
    reward: row.reward ?? undefined,
    effort: row.effort ?? undefined,
    detail: isUnpaid ? (paysAnother ? PAYS_ANOTHER : UNPAID) : row.detail,
  };
}

export async function roundsOf(ask: Ask): Promise<Rounds> {
  const [open = { sinceMs: 0, work: '0' }] = await ask(SQL.openRound);
  const [last = { blocks: 0, expected: 0 }] = await ask(SQL.lastRounds, [LUCK_BLOCKS]);
  const [best] = await ask(SQL.bestShare);
  return { open, last, best };
}

export async function splitOf(
  ask: Ask,
  id: string,
  { offset, limit }: Slice,
): Promise<BlockSplit | undefined> {
  const [row] = await ask(SQL.split, [id]);
  if (!row) return undefined;
  const { scheme, feeBasisPoints, reward, ...block } = row;
  return {
    ...block,
    scheme: scheme ?? undefined,
    feeBasisPoints: feeBasisPoints ?? undefined,
    reward: reward ?? undefined,
    lines: await ask(SQL.splitLines, [id, offset, limit]),
  };
}

export async function payoutsOf(ask: Ask, { before, limit }: PageQuestion): Promise<Page<Payout>> {
  return pageOf(await ask(SQL.payouts, [limit + 1, before ?? null, null]), limit);
}

export async function payoutOf(
  ask: Ask,
  id: string,
  { offset, limit }: Slice,
): Promise<PayoutLines | undefined> {
  const [payout] = await ask(SQL.payouts, [1, null, id]);
  return payout && { ...payout, lines: await ask(SQL.payoutLines, [id, offset, limit]) };
}

function pageOf<T extends { readonly id: string }>(rows: readonly T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  const next = rows.length > limit ? items.at(-1)?.id : undefined;
  return { items, ...(next === undefined ? {} : { next }) };
}
