/** The cursor of a chain in the ledger: where it begins, how it goes on, and how it is taken back. */
import type pg from 'pg';
import type { ChainFork, PassedBlock } from '../../bridge/ports.js';
import { formatAmount } from '../../core/money/amount.js';
import type { Anchor } from '../../core/work/anchor.js';
import { SQL as BLOCKS, orphanBlock } from '../blocks/blocks.js';
import { type RowOf, rowOf, rowsOf, run, statementsOf } from '../database/statements.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import { incomeOf } from '../settlement/block-income.js';
import { tellInBooks } from '../timeline.js';
import type { AppliedBlock, BlockReader } from './readers.js';

export const SQL = statementsOf('chains/chains.sql');

/** Rows of a chain: a day of a public one. So far back an order may take the cursor. */
const KEPT = 2_880;
/** In an order in the place of a block: before the one that a chain was followed from. */
export const BEGINNING = 'beginning';

export interface FollowedChain {
  readonly id: number;
  readonly genesis: string | null;
  readonly skipTo: string | null;
  /** Another bridge has looked at it just now, or this one. */
  readonly isFresh: boolean;
  /** Heights of blocks of ours that are not settled. */
  readonly pending: ReadonlySet<number>;
  /** `undefined`: it was not begun. */
  readonly cursor: Anchor | undefined;
}

/** @param freshMs a look within that time is a fresh one. */
export async function followedChains(pool: pg.Pool, freshMs: number): Promise<Map<number, FollowedChain>> {
  const rows = await rowsOf(pool, SQL.chains, [freshMs]);
  return new Map(
    rows.map(({ id, genesis, skipTo, isFresh, pending, ...block }) => {
      return [id, { id, genesis, skipTo, isFresh, pending: new Set(pending), cursor: anchorOf(block) }];
    }),
  );
}

function anchorOf({
  height,
  hash,
  weight,
  work,
  timeMicros,
  epochStartMicros,
}: {
  readonly [K in keyof Anchor]: (Anchor[K] extends bigint ? string : Anchor[K]) | null;
}): Anchor | undefined {
  if (height === null || hash === null) return undefined;
  const big = (digits: string | null): bigint => BigInt(digits ?? 0);
  return {
    ...{ height, hash, weight: big(weight), work: big(work) },
    ...{ timeMicros: big(timeMicros), epochStartMicros: big(epochStartMicros) },
  };
}

/** Blocks above the first one are taken over from then on. Nothing where another bridge was faster. */
export async function beginChain(
  client: pg.ClientBase | pg.Pool,
  chainId: number,
  genesis: Anchor,
  { height, hash, weight, work, timeMicros, epochStartMicros }: Anchor,
): Promise<void> {
  await run(client, SQL.begin, [
    chainId,
    genesis.hash,
    String(height),
    hash,
    weight.toString(),
    work.toString(),
    timeMicros.toString(),
    epochStartMicros.toString(),
  ]);
}

interface Advance {
  readonly chainId: number;
  readonly cursor: Anchor;
  /** On top of it; at least one. */
  readonly blocks: readonly PassedBlock[];
  readonly headHeight: number;
  readonly behind: number;
}

/**
 * Each block once, for every reader that wants it, in one transaction with the cursor. False where another bridge has moved that meanwhile.
 */
export async function advance(
  pool: pg.Pool,
  step: Advance,
  readers: readonly BlockReader[],
): Promise<boolean> {
  const blocks = step.blocks.map((block): AppliedBlock => ({ chainId: step.chainId, ...block }));
  const wanted = readers.flatMap((reader) =>
    blocks.filter((block) => reader.wants(block)).map((block) => ({ reader, block })),
  );
  // Most blocks are nothing to anybody: one statement is a transaction too.
  if (wanted.length === 0) return moveCursor(pool, step);
  return inTransaction(pool, async (client) => {
    if (!(await moveCursor(client, step))) return false;
    for (const { reader, block } of wanted) await reader.apply(client, block);
    return true;
  });
}

async function moveCursor(
  client: pg.ClientBase | pg.Pool,
  { chainId, cursor, blocks, headHeight, behind }: Advance,
): Promise<boolean> {
  const written = await run(client, SQL.advance, [
    chainId,
    cursor.hash,
    blocks.map(({ height }) => String(height)),
    blocks.map(({ hash }) => hash),
    blocks.map(({ weight }) => weight.toString()),
    blocks.map(({ work }) => work.toString()),
    blocks.map(({ timeMicros }) => timeMicros.toString()),
    blocks.map(({ epochStartMicros }) => epochStartMicros.toString()),
    KEPT,
    String(headHeight),
    behind,
    expectedOf(blocks),
  ]);
  return written > 0;
}

/** Locks the chain. */
export async function standsAt(
  client: pg.ClientBase,
  chainId: number,
  { hash }: Pick<Anchor, 'hash'>,
): Promise<boolean> {
  return (await rowOf(client, SQL.lock, [chainId]))?.cursor === hash;
}

/** What the last one of them pays that can be read. */
function expectedOf(blocks: readonly PassedBlock[]): string | null {
  const { payload } = blocks.findLast((block) => block.payload !== undefined) ?? {};
  const income = payload && incomeOf(payload);
  return income ? formatAmount(income.reward) : null;
}

/**
 * A network of developers that began anew: what it had is not there any more, and it is followed from its first block. Blocks of ours that are
 * on it already are found there.
 */
export async function forgetChain(
  pool: pg.Pool,
  chainId: number,
  cursor: Anchor,
  genesis: Anchor,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    if (!(await standsAt(client, chainId, cursor))) return;
    await lockBlocks(client);
    const pending = await rowsOf(client, BLOCKS.pendingOf, [chainId]);
    for (const { id } of pending) await orphanBlock(client, id);
    await run(client, SQL.forget, [chainId]);
    await beginChain(client, chainId, genesis, genesis);
    await tellInBooks(client, 'chainBegunAnew', { chainId, cancelled: pending.length });
  });
}

export type KeptBlock = RowOf<typeof SQL.kept>;

/** Whether it can be taken back to before it was begun: nothing was forgotten since. */
export function reachesBeginning([lowest]: readonly KeptBlock[]): boolean {
  return lowest?.isFirst ?? false;
}

interface Left {
  readonly cursor: Anchor;
  /** What can be taken back. */
  readonly kept: readonly KeptBlock[];
  readonly fork: ChainFork;
}

/** Why it stands still, where a node has left what was taken over. */
export function forkInWords(chainId: number, { cursor, kept, fork }: Left): string {
  const { node, head, last } = fork;
  const leaves =
    `the chain of ${node} (block ${head.hash} of height ${head.height}) leaves ours (block ${cursor.hash} of height ${cursor.height}) ` +
    (last ? `after block ${last.hash} of height ${last.height}` : `below height ${kept[0]?.height}`);
  if (!last && !reachesBeginning(kept))
    return `${leaves}, deeper than the ${kept.length} blocks that can be taken back: look after your nodes`;
  const does = last
    ? `takes ${cursor.height - last.height} blocks back`
    : 'takes back all of it, and begins anew';
  return (
    `${leaves}: where theirs is the right one, ` +
    `\`stratum-bridge ledger follow undo ${chainId} --to ${last?.hash ?? BEGINNING} --note WHY\` ${does}`
  );
}
