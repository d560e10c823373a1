/** What a block's state does to its credits: made when it is first seen on the chain, held, payable, or gone. */
import type pg from 'pg';
import { type Amount, formatAmount, parseAmount } from '../../core/amount.js';
import type { Fees, Scheme, Weight } from '../../core/rewards.js';
import { LedgerError } from '../database/errors.js';
import { bulkQuery, inTransaction, lockBlocks, lockBooks } from '../database/transaction.js';
import { type Credit, closeBucketsAt, creditsOf, type Terms, windowWeights } from '../settlement/credit.js';
import { postCredits } from '../settlement/posting.js';
import type { RewardRules } from '../settlement/reward-rules.js';
import { endRound, nextOnChain } from '../settlement/rounds.js';
import { tellOfBlock } from './block-news.js';
import type { BlockReward, BlockSight, BlockState } from './blocks.js';

/** Where the credits of a block lie. */
export type Place = 'none' | 'held' | 'balance';

const PLACES: Record<BlockState, Place> = {
  pending: 'none',
  unknown: 'none',
  orphaned: 'none',
  onChain: 'held',
  confirmed: 'balance',
};

/**
 * Writes what was seen of a block and moves its credits to where they belong then, all in one transaction. Any number of
 * bridges may say the same or contradict each other: each step begins from where the books stand. While `reward` is not
 * known the block is followed without credits; they are made as soon as it is.
 */
export async function applySight(
  pool: pg.Pool,
  solutionId: string,
  sight: BlockSight,
  reward: BlockReward | undefined,
  rules: RewardRules,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const block = await readBlock(client, solutionId);
    const [was, is] = [PLACES[block.state], PLACES[sight.state]];
    const isPricedNow = block.reward === undefined && reward !== undefined && is !== 'none';
    if (was !== is || isPricedNow) await lockBooks(client);
    const priced = await price(client, block, is, reward, rules);
    await moveCredits(client, priced, block.reward === undefined ? 'none' : was, is);
    await writeSight(client, priced, sight);
    if ((was === 'none') !== (is === 'none')) await splitNextAgain(client, solutionId, rules);
    await tellOfBlock(client, solutionId, block.state, sight);
  });
}

interface BlockRow {
  readonly solutionId: string;
  readonly state: BlockState;
  readonly moves: number;
  readonly splits: number;
  readonly reward: Amount | undefined;
  /** Absent until it was first seen on the chain. */
  readonly scheme: Scheme | undefined;
  readonly fees: Fees | undefined;
  readonly finder: string;
  readonly foundAt: Date;
  readonly difficulty: bigint;
}

async function readBlock(client: pg.ClientBase, solutionId: string): Promise<BlockRow> {
  const { rows } = await client.query<{
    state: BlockState;
    moves: number;
    splits: number;
    reward: string | null;
    scheme: Scheme | null;
    fees: { basisPoints: number; overrides: [string, number][] } | null;
    account: string;
    found_at: Date;
    block_difficulty: string;
  }>(
    `SELECT b.state, b.moves, b.splits, b.reward, b.scheme, b.fees, s.account, s.found_at, s.block_difficulty
     FROM block b JOIN solution s ON s.id = b.solution_id WHERE b.solution_id = $1 FOR UPDATE OF b`,
    [solutionId],
  );
  const [row] = rows;
  if (!row) throw new LedgerError('refused', `the books have no block of solution ${solutionId}`);
  return {
    solutionId,
    state: row.state,
    moves: row.moves,
    splits: row.splits,
    reward: row.reward === null ? undefined : parseAmount(row.reward),
    scheme: row.scheme ?? undefined,
    fees: row.fees ? { ...row.fees, overrides: new Map(row.fees.overrides) } : undefined,
    finder: row.account,
    foundAt: row.found_at,
    difficulty: BigInt(row.block_difficulty),
  };
}

/** The block with its terms and credits, as far as they can be known in this place. */
async function price(
  client: pg.ClientBase,
  block: BlockRow,
  place: Place,
  reward: BlockReward | undefined,
  rules: RewardRules,
): Promise<BlockRow> {
  if (place === 'none') return block;
  if (block.reward !== undefined) return priceAgain(client, block, block.reward, rules);
  const isNew = block.scheme === undefined;
  const taken = isNew ? await takeUp(client, block, rules) : block;
  const { solutionId, scheme } = taken;
  const window = (): Promise<Weight[]> =>
    isNew ? windowWeights(client, taken, rules.pplnsWindow) : keptWeights(client, solutionId);
  if (!reward) {
    if (isNew && scheme === 'pplns') await keepWeights(client, solutionId, await window());
    return taken;
  }
  const credits = await split(client, taken, reward.amount, rules, window);
  await client.query('UPDATE block SET reward = $2, reward_source = $3 WHERE solution_id = $1', [
    solutionId,
    formatAmount(reward.amount),
    reward.source,
  ]);
  if (!isNew) await client.query('DELETE FROM block_weight WHERE solution_id = $1', [solutionId]);
  await writeCredits(client, taken, credits);
  return { ...taken, reward: reward.amount };
}

/** A block that comes back finds other blocks around it than it left. */
async function priceAgain(
  client: pg.ClientBase,
  block: BlockRow,
  reward: Amount,
  rules: RewardRules,
): Promise<BlockRow> {
  if (block.scheme === 'prop' && PLACES[block.state] === 'none')
    await writeCredits(client, block, await split(client, block, reward, rules));
  return block;
}

/** The first time that a block is seen on the chain ends its round and its window, and decides its terms for good. */
async function takeUp(client: pg.ClientBase, block: BlockRow, rules: RewardRules): Promise<BlockRow> {
  const { solutionId } = block;
  const { scheme, fees } = rules;
  await closeBucketsAt(client, block.foundAt);
  await endRound(client, solutionId);
  await client.query('UPDATE block SET scheme = $2, fees = $3 WHERE solution_id = $1', [
    solutionId,
    scheme,
    { basisPoints: fees.basisPoints, overrides: [...fees.overrides] },
  ]);
  return { ...block, scheme, fees };
}

/** Of a block whose reward is not known yet: who worked for it is to be known when it is. */
async function keepWeights(
  client: pg.ClientBase,
  solutionId: string,
  weights: readonly Weight[],
): Promise<void> {
  await bulkQuery(
    client,
    `INSERT INTO block_weight (solution_id, account, work)
     SELECT $1, w.account, sum(w.work) FROM unnest($2::text[], $3::numeric[]) AS w (account, work) GROUP BY w.account`,
    [solutionId, weights.map(({ account }) => account), weights.map(({ work }) => work.toString())],
  );
}

async function keptWeights(client: pg.ClientBase, solutionId: string): Promise<Weight[]> {
  const { rows } = await bulkQuery<{ account: string; work: string }>(
    client,
    'SELECT account, work FROM block_weight WHERE solution_id = $1',
    [solutionId],
  );
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

function split(
  client: pg.ClientBase,
  block: BlockRow,
  reward: Amount,
  rules: RewardRules,
  window: () => Promise<Weight[]> = async () => [],
): Promise<Credit[]> {
  const terms: Terms = { scheme: block.scheme ?? rules.scheme, fees: block.fees ?? rules.fees };
  return creditsOf(client, block, reward, terms, window);
}

async function writeCredits(
  client: pg.ClientBase,
  { solutionId }: BlockRow,
  credits: readonly Credit[],
): Promise<void> {
  await client.query('DELETE FROM block_credit WHERE solution_id = $1', [solutionId]);
  await bulkQuery(
    client,
    `INSERT INTO block_credit (solution_id, account, amount)
     SELECT $1, c.account, c.amount FROM unnest($2::text[], $3::numeric[]) AS c (account, amount)`,
    [solutionId, credits.map(({ account }) => account), credits.map(({ amount }) => formatAmount(amount))],
  );
}

async function moveCredits(client: pg.ClientBase, block: BlockRow, from: Place, to: Place): Promise<void> {
  if (from === to || block.reward === undefined) return;
  const moves = block.moves + 1;
  const posting = { key: `block ${block.solutionId} move ${moves}`, kind: `${from} to ${to}` };
  await postCredits(client, block.solutionId, posting, [
    { place: from, sign: -1 },
    { place: to, sign: 1 },
  ]);
  await client.query('UPDATE block SET moves = $2 WHERE solution_id = $1', [block.solutionId, moves]);
}

async function writeSight(client: pg.ClientBase, block: BlockRow, sight: BlockSight): Promise<void> {
  // What pays nobody yet is looked at until it does.
  const settled = sight.settled && (block.reward !== undefined || PLACES[sight.state] === 'none');
  await client.query(
    `UPDATE block SET state = $2, depth = $3, tip_height = greatest(tip_height, $4), settled = $5,
       checked_at = now(), seen_at = CASE WHEN $6 THEN now() ELSE seen_at END, changed_at = CASE WHEN state = $2 THEN changed_at ELSE now() END
     WHERE solution_id = $1`,
    [block.solutionId, sight.state, sight.depth, sight.tipHeight, settled, sight.isSeen],
  );
}

/** The rounds of a block that left the chain count for the next one on it; back again, they are its own. */
async function splitNextAgain(client: pg.ClientBase, solutionId: string, rules: RewardRules): Promise<void> {
  const next = await nextOnChain(client, solutionId);
  if (next === undefined) return;
  const block = await readBlock(client, next);
  const place = PLACES[block.state];
  if (block.scheme !== 'prop' || block.reward === undefined || place === 'none') return;
  const credits = await split(client, block, block.reward, rules);
  const splits = block.splits + 1;
  const key = `block ${next} split ${splits}`;
  await postCredits(client, next, { key: `${key} undone`, kind: 'split undone' }, [
    { place, sign: -1 },
    { place: 'none', sign: 1 },
  ]);
  await writeCredits(client, block, credits);
  await postCredits(client, next, { key, kind: 'split again' }, [
    { place: 'none', sign: -1 },
    { place, sign: 1 },
  ]);
  await client.query('UPDATE block SET splits = $2 WHERE solution_id = $1', [next, splits]);
}
