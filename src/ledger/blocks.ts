/** The books of blocks: what is followed, and what a block's state does to its credits. */
import type pg from 'pg';
import { type Amount, formatAmount, parseAmount } from '../core/amount.js';
import { blockHashOf } from '../core/block-hash.js';
import { HASH_BYTES } from '../core/header.js';
import { type Credit, creditsOf, reopenRound } from './credit.js';
import { LedgerError } from './errors.js';
import { type Line, OPERATOR, post } from './posting.js';
import type { RewardRules } from './reward-rules.js';
import { inTransaction, lockBooks } from './transaction.js';

export type BlockState = 'pending' | 'onChain' | 'confirmed' | 'orphaned' | 'unknown';

/** A solution that a node may have taken, as the follower needs it. */
export interface FollowedBlock {
  readonly solutionId: string;
  readonly node: string;
  readonly chainId: number;
  readonly height: number;
  /** As computed from the header, 32 bytes. */
  readonly hash: Uint8Array;
  readonly header: Uint8Array;
  readonly foundAtMs: number;
  readonly state: BlockState;
  readonly tipHeight: number;
}

/** What nodes say of a block now. */
export interface BlockSight {
  readonly state: BlockState;
  /** Blocks on the chain from this one to the tip, itself included; 0 when it is not on the chain. */
  readonly depth: number;
  readonly tipHeight: number;
  /** It need not be looked at again. */
  readonly settled: boolean;
}

export interface BlockReward {
  readonly amount: Amount;
  /** Where the amount is from: `coinbase`, `schedule`. */
  readonly source: string;
}

/** Where the credits of a block lie in each state. */
type Place = 'none' | 'held' | 'balance';
const PLACES: Record<BlockState, Place> = {
  pending: 'none',
  unknown: 'none',
  orphaned: 'none',
  onChain: 'held',
  confirmed: 'balance',
};

/**
 * Blocks to look at, the longest not looked at first. Those that are settled but for a deep reorganisation (confirmed,
 * orphaned) come again only after `restMs`.
 */
export async function listFollowed(pool: pg.Pool, limit: number, restMs = 0): Promise<FollowedBlock[]> {
  const { rows } = await pool.query<FollowedRow>(
    `SELECT b.solution_id, s.node, s.chain_id, s.height, b.hash, s.header, s.found_at, b.state, b.tip_height
     FROM block b JOIN solution s ON s.id = b.solution_id
     WHERE NOT b.settled AND (
       b.state IN ('pending', 'onChain') OR b.checked_at IS NULL
       OR b.checked_at <= now() - $2 * interval '1 millisecond')
     ORDER BY b.checked_at NULLS FIRST, b.solution_id LIMIT $1`,
    [limit, restMs],
  );
  return rows.map((row) => ({
    solutionId: row.solution_id,
    node: row.node,
    chainId: row.chain_id,
    height: Number(row.height),
    // Rows of the first version came without.
    hash: row.hash.length === HASH_BYTES ? row.hash : blockHashOf(row.header),
    header: row.header,
    foundAtMs: row.found_at.getTime(),
    state: row.state,
    tipHeight: Number(row.tip_height),
  }));
}

interface FollowedRow {
  solution_id: string;
  node: string;
  chain_id: number;
  height: string;
  hash: Buffer;
  header: Buffer;
  found_at: Date;
  state: BlockState;
  tip_height: string;
}

/**
 * Writes what was seen of a block and moves its credits to where they belong then, all in one transaction. Any number of
 * bridges may say the same or contradict each other: each step begins from where the books stand.
 */
export async function applySight(
  pool: pg.Pool,
  solutionId: string,
  sight: BlockSight,
  reward: BlockReward | undefined,
  rules: RewardRules,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const block = await readBlock(client, solutionId);
    const [from, to] = [PLACES[block.state], PLACES[sight.state]];
    if (from !== to) await lockBooks(client);
    if (from === 'none' && to !== 'none') await takeUp(client, block, reward, rules);
    if (from !== to) await moveCredits(client, block, from, to);
    if (from !== 'none' && to === 'none') await reopenRound(client, solutionId);
    await client.query(
      `UPDATE block SET state = $2, depth = $3, tip_height = greatest(tip_height, $4), settled = $5,
         moves = moves + $6, checked_at = now(),
         changed_at = CASE WHEN state = $2 THEN changed_at ELSE now() END
       WHERE solution_id = $1`,
      [solutionId, sight.state, sight.depth, sight.tipHeight, sight.settled, from === to ? 0 : 1],
    );
  });
}

interface BlockRow {
  readonly solutionId: string;
  readonly state: BlockState;
  readonly moves: number;
  readonly reward: Amount | undefined;
  readonly finder: string;
  readonly foundAt: Date;
  readonly difficulty: bigint;
}

async function readBlock(client: pg.ClientBase, solutionId: string): Promise<BlockRow> {
  const { rows } = await client.query<{
    state: BlockState;
    moves: number;
    reward: string | null;
    account: string;
    found_at: Date;
    block_difficulty: string;
  }>(
    `SELECT b.state, b.moves, b.reward, s.account, s.found_at, s.block_difficulty
     FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.solution_id = $1 FOR UPDATE OF b`,
    [solutionId],
  );
  const [row] = rows;
  if (!row) throw new LedgerError('refused', `the books have no block of solution ${solutionId}`);
  return {
    solutionId,
    state: row.state,
    moves: row.moves,
    reward: row.reward === null ? undefined : parseAmount(row.reward),
    finder: row.account,
    foundAt: row.found_at,
    difficulty: BigInt(row.block_difficulty),
  };
}

/** The first time that a block is seen on the chain decides its split for good. */
async function takeUp(
  client: pg.ClientBase,
  block: BlockRow,
  reward: BlockReward | undefined,
  rules: RewardRules,
): Promise<void> {
  if (block.reward !== undefined) return;
  if (!reward) {
    const advice = 'its coinbase cannot be read, so set a reward schedule';
    throw new LedgerError('refused', `what solution ${block.solutionId} pays is not known: ${advice}`);
  }
  const credits = await creditsOf(client, block, reward.amount, rules);
  await client.query(
    `INSERT INTO block_credit (solution_id, account, amount)
     SELECT $1, c.account, c.amount FROM unnest($2::text[], $3::numeric[]) AS c (account, amount)`,
    [
      block.solutionId,
      credits.map(({ account }) => account),
      credits.map(({ amount }) => formatAmount(amount)),
    ],
  );
  await client.query('UPDATE block SET reward = $2, reward_source = $3, scheme = $4 WHERE solution_id = $1', [
    block.solutionId,
    formatAmount(reward.amount),
    reward.source,
    rules.scheme,
  ]);
}

async function moveCredits(client: pg.ClientBase, block: BlockRow, from: Place, to: Place): Promise<void> {
  const { rows } = await client.query<{ account: string; amount: string }>(
    'SELECT account, amount FROM block_credit WHERE solution_id = $1',
    [block.solutionId],
  );
  const credits = rows.map(({ account, amount }) => ({ account, amount: parseAmount(amount) ?? 0n }));
  await post(client, {
    key: `block ${block.solutionId} move ${block.moves + 1}`,
    kind: `${from} to ${to}`,
    solutionId: block.solutionId,
    lines: [...linesAt(from, credits, -1n), ...linesAt(to, credits, 1n)],
  });
}

function linesAt(place: Place, credits: readonly Credit[], sign: bigint): Line[] {
  if (place !== 'none') {
    return credits.map(({ account, amount }) => ({ owner: account, book: place, amount: sign * amount }));
  }
  const total = credits.reduce((sum, { amount }) => sum + amount, 0n);
  return [{ owner: OPERATOR, book: 'rewards', amount: sign * total }];
}
