/**
 * Weighing: writing down who worked for a block, once everything that was accepted before the end of its slot is in the books. Blocks
 * are weighed in the order of their slots, and those of one slot together.
 */
import type pg from 'pg';
import type { Log } from '../../core/log.js';
import type { Weight } from '../../core/rewards.js';
import { accountIds } from '../accounts/accounts.js';
import { bulkQuery, inTransaction, lockBlocks } from '../database/transaction.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { tellAbsent } from './absence.js';
import { allWorkSinceBlock, endRound, workSinceBlock } from './open-round.js';
import { type RewardRules, rulesTime } from './reward-rules.js';
import { lastWorkBefore, SLOT_MS, summed, type Tail, tailOf, workOfTime } from './weights.js';

export interface SettleOptions {
  readonly pool: pg.Pool;
  readonly rules: RulesSource;
  readonly log: Log;
  /** A producer that was silent for so long is waited for no longer. */
  readonly patienceMs: number;
}

/** Weighs all that can be. @param signal ends it early, between two slots. */
export async function weighBlocks(options: SettleOptions, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const slot = await nextSlot(options.pool);
    if (!slot || !(await closeUpTo(options, new Date(slot.getTime() + SLOT_MS)))) return;
    await weighSlot(options, slot);
  }
}

async function nextSlot(pool: pg.Pool): Promise<Date | undefined> {
  const { rows } = await pool.query<{ slot: Date | null }>(
    'SELECT min(slot) AS slot FROM block WHERE weighed_at IS NULL',
  );
  return rows[0]?.slot ?? undefined;
}

/**
 * Closes all slots before `end`; false while somebody may yet bring what was accepted before it. In a transaction of its own: recorders
 * wait while slots are closed, and not while anything is read from them.
 */
export async function closeUpTo({ pool, patienceMs }: SettleOptions, end: Date): Promise<boolean> {
  const patience = "$2 * interval '1 millisecond'";
  const known = await pool.query<{ known: boolean }>(`SELECT known_until(${patience}) >= $1 AS known`, [
    end,
    patienceMs,
  ]);
  if (known.rows[0]?.known !== true) return false;
  const closed = await pool.query<{ closed: boolean }>(
    `SELECT close_slots($1, ${patience}) >= $1 AS closed`,
    [end, patienceMs],
  );
  return closed.rows[0]?.closed === true;
}

interface FoundBlock {
  readonly solution_id: string;
  readonly account: string;
  readonly found_at: Date;
  readonly block_difficulty: string;
}

async function weighSlot(options: SettleOptions, slot: Date): Promise<void> {
  await inTransaction(options.pool, async (client) => {
    await lockBlocks(client);
    const { rows } = await client.query<FoundBlock>(
      `SELECT b.solution_id, s.account, s.found_at, s.block_difficulty FROM block b JOIN solution s ON s.id = b.solution_id
       WHERE b.slot = $1 AND b.weighed_at IS NULL ORDER BY b.solution_id`,
      [slot],
    );
    // Another bridge led for a moment.
    if (rows.length === 0) return;
    const tail = await tailOf(client, slot);
    const work = await allWorkSinceBlock(client, tail);
    const weightsOf = windowsOf(client, tail, highest(rows));
    for (const [i, block] of rows.entries()) {
      const rules = await options.rules(rulesTime({ slot, foundAt: block.found_at }));
      await write(client, block, rules, await weightsOf(rules, block), partOf(work, rows.length, i));
    }
    await endRound(client, slot);
    await tellAbsent(client, options, slot, rows.length);
  });
}

type WeightsOf = (rules: RewardRules, block: FoundBlock) => Promise<readonly Weight[]>;

/**
 * By which a block's split goes; of `pps` that of its fees. Blocks of a slot have the same, which is read once.
 *
 * @param difficulty of the blocks of the slot, the highest: their windows are one.
 */
function windowsOf(client: pg.ClientBase, tail: Tail, difficulty: bigint): WeightsOf {
  const known = new Map<string, readonly Weight[]>();
  const once = async (name: string, read: () => Promise<readonly Weight[]>): Promise<readonly Weight[]> => {
    const weights = known.get(name) ?? summed(await read());
    known.set(name, weights);
    return weights;
  };
  return async ({ scheme, pplnsWindow: window }, { account }) => {
    if (scheme === 'solo')
      return [{ account: String((await accountIds(client, [account])).get(account)), work: 1n }];
    if (scheme !== 'pplns') return once('round', () => workSinceBlock(client, tail));
    if (window.of === 'time') return once(`${window.ms} ms`, () => workOfTime(client, tail, window.ms));
    const work = (difficulty * window.permille) / 1000n;
    return once(`${work}`, () => lastWorkBefore(client, tail, work));
  };
}

async function write(
  client: pg.ClientBase,
  block: FoundBlock,
  { scheme, fees }: RewardRules,
  weights: readonly Weight[],
  roundWork: bigint,
): Promise<void> {
  await bulkQuery(client, 'INSERT INTO block_weight (solution_id, accounts, work) VALUES ($1, $2, $3)', [
    block.solution_id,
    weights.map(({ account }) => Number(account)),
    weights.map(({ work }) => work.toString()),
  ]);
  await client.query(
    `UPDATE block SET weighed_at = now(), round_work = $2, effort = $2::numeric / $3::numeric, scheme = $4,
       fee_basis_points = $5, due = true WHERE solution_id = $1`,
    [block.solution_id, roundWork.toString(), block.block_difficulty, scheme, fees.basisPoints],
  );
}

function highest(blocks: readonly FoundBlock[]): bigint {
  return blocks.reduce((most, block) => {
    const difficulty = BigInt(block.block_difficulty);
    return difficulty > most ? difficulty : most;
  }, 0n);
}

/** Of work that several blocks were found with: each has found an equal part of it, the first what is left over too. */
function partOf(work: bigint, parts: number, i: number): bigint {
  const part = work / BigInt(parts);
  return i === 0 ? work - part * BigInt(parts - 1) : part;
}
