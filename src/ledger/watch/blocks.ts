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
import { UNPAID } from '../settlement/reward-rules.js';
import type { Ask } from './questions.js';
import {
  blocksWhere,
  LAST_ROUNDS,
  LINES_OF,
  OPEN_ROUND,
  PAYOUT,
  PAYOUTS,
  SPLIT,
  SPLIT_LINES,
  solutionsWhere,
} from './sql.js';

type BlockRow = Omit<BookedBlock, 'reward' | 'effort'> & { reward: string | null; effort: number | null };

export async function blocksOf(ask: Ask, question: BlocksQuestion): Promise<Page<BookedBlock>> {
  const { before, state, chainId, limit } = question;
  const isNoBlock = state === 'found' || state === 'refused';
  // One more, to know whether there is a page after this one.
  const values: unknown[] = [limit + 1];
  const where: string[] = [];
  const wants = (condition: string, value: unknown): void => {
    if (value !== undefined) where.push(`${condition} $${values.push(value)}`);
  };
  wants(isNoBlock ? 's.id <' : 'b.solution_id <', before);
  wants(isNoBlock ? 's.state =' : 'b.state =', state);
  wants('s.chain_id =', chainId);
  const rows = await ask<BlockRow>((isNoBlock ? solutionsWhere : blocksWhere)(where), values);
  return pageOf(rows.map(shown), limit);
}

function shown(row: BlockRow): BookedBlock {
  const isUnpaid = row.reward === null && (row.state === 'onChain' || row.state === 'confirmed');
  return {
    ...row,
    reward: row.reward ?? undefined,
    effort: row.effort ?? undefined,
    detail: isUnpaid ? UNPAID : row.detail,
  };
}

export async function roundsOf(ask: Ask): Promise<Rounds> {
  const [open] = await ask<Rounds['open']>(OPEN_ROUND);
  const [last] = await ask<Rounds['last']>(LAST_ROUNDS, [LUCK_BLOCKS]);
  return { open: open ?? { sinceMs: 0, work: '0' }, last: last ?? { blocks: 0, expected: 0 } };
}

type SplitRow = Pick<BlockSplit, 'id' | 'state' | 'total'> & {
  scheme: string | null;
  feeBasisPoints: number | null;
  reward: string | null;
};

export async function splitOf(
  ask: Ask,
  id: string,
  { offset, limit }: Slice,
): Promise<BlockSplit | undefined> {
  const [row] = await ask<SplitRow>(SPLIT, [id]);
  if (!row) return undefined;
  const { scheme, feeBasisPoints, reward, ...block } = row;
  return {
    ...block,
    scheme: scheme ?? undefined,
    feeBasisPoints: feeBasisPoints ?? undefined,
    reward: reward ?? undefined,
    lines: await ask<BlockSplit['lines'][number]>(SPLIT_LINES, [id, offset, limit]),
  };
}

export async function payoutsOf(ask: Ask, { before, limit }: PageQuestion): Promise<Page<Payout>> {
  return pageOf(await ask<Payout>(PAYOUTS, [limit + 1, before ?? null]), limit);
}

export async function payoutOf(
  ask: Ask,
  id: string,
  { offset, limit }: Slice,
): Promise<PayoutLines | undefined> {
  const [payout] = await ask<Payout>(PAYOUT, [id]);
  return (
    payout && { ...payout, lines: await ask<PayoutLines['lines'][number]>(LINES_OF, [id, offset, limit]) }
  );
}

function pageOf<T extends { readonly id: string }>(rows: readonly T[], limit: number): Page<T> {
  const items = rows.slice(0, limit);
  const next = rows.length > limit ? items.at(-1)?.id : undefined;
  return { items, ...(next === undefined ? {} : { next }) };
}
