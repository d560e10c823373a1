/**
 * Weighing: writing down who worked for a block, once everything that was accepted before the end of its slot is in the books. Blocks
 * are weighed in the order of their slots, and those of one slot together.
 */
import type pg from 'pg';
import type { Log } from '../../core/names/log.js';
import { accountIds } from '../accounts/accounts.js';
import { needRoots, type SignRoot } from '../audit/roots.js';
import { type RowOf, rowOf, rowsOf, run, statementsOf } from '../database/statements.js';
import { bulkRows, inTransaction, lockBlocks } from '../database/transaction.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import type { RewardRules } from '../rules/rule-table.js';
import { allWorkSinceBlock, endRound, workSinceBlock } from './open-round.js';
import { rulesTime } from './reward-rules.js';
import { lastWorkBefore, SLOT_MS, type Tail, tailOf, type Window, workOfTime } from './weights.js';

export const SQL = statementsOf('settlement/weighing.sql');

export interface SettleOptions {
  readonly pool: pg.Pool;
  readonly rules: RulesSource;
  readonly signRoot: SignRoot;
  readonly log: Log;
}

/** Counts for how long whoever is missing was waited for. True where blocks are to be weighed or split. */
export async function takeTurn({ pool }: SettleOptions): Promise<boolean> {
  return (await rowOf(pool, SQL.turn))?.areDue === true;
}

/** Weighs all that can be. @param signal ends it early, between two slots. */
export async function weighBlocks(options: SettleOptions, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted) {
    const slot = (await rowOf(options.pool, SQL.nextSlot))?.slot;
    if (!slot || !(await closeUpTo(options, new Date(slot.getTime() + SLOT_MS)))) return;
    await weighFirst(options);
  }
}

/**
 * Closes all slots before `end`; false while somebody may yet bring what was accepted before it. In a transaction of its own: recorders
 * wait while slots are closed, and not while anything is read from them.
 */
export async function closeUpTo({ pool, rules }: SettleOptions, end: Date): Promise<boolean> {
  const { patienceMs } = await rules();
  if (!(await rowOf(pool, SQL.isKnown, [end, patienceMs]))?.yes) return false;
  return (await rowOf(pool, SQL.close, [end, patienceMs]))?.yes === true;
}

type FoundBlock = RowOf<typeof SQL.found>;

/** The blocks of the first slot. That is looked for anew: while it was closed, a block may have come to one before it, which is closed with it. */
async function weighFirst(options: SettleOptions): Promise<void> {
  const { patienceMs } = await options.rules();
  await inTransaction(options.pool, async (client) => {
    await lockBlocks(client);
    const slot = (await rowOf(client, SQL.firstClosed))?.slot;
    // Another bridge led for a moment.
    if (!slot) return;
    const rows = await rowsOf(client, SQL.found, [slot]);
    const tail = await tailOf(client, slot);
    const work = await allWorkSinceBlock(client, tail);
    const windowOf = windowsOf(client, tail, highest(rows));
    const times = new Set([slot.getTime() + SLOT_MS]);
    for (const [i, block] of rows.entries()) {
      const rules = await options.rules(rulesTime({ slot, foundAt: block.foundAt }), client);
      const window = await windowOf(rules, block);
      await write(client, block, rules, window, partOf(work, rows.length, i));
      for (const time of [window.wholeFrom, window.edgeFrom]) if (time) times.add(time.getTime());
    }
    const dates = [...times].sort((a, b) => a - b).map((time) => new Date(time));
    await needRoots(client, options.signRoot, dates);
    await endRound(client, slot);
    // Last, for recorders wait for the rows of these logs until the transaction ends.
    await tellAbsent(client, { ...options, patienceMs }, slot, rows.length);
  });
}

type WindowOf = (rules: RewardRules, block: FoundBlock) => Promise<Window>;

/**
 * By which a block's split goes; of `pps` that of its fees. Blocks of a slot have the same, which is read once.
 *
 * @param difficulty of the blocks of the slot, the highest: their windows are one.
 */
function windowsOf(client: pg.ClientBase, tail: Tail, difficulty: bigint): WindowOf {
  const known = new Map<string, Window>();
  const once = async (name: string, read: () => Promise<Window>): Promise<Window> => {
    const window = known.get(name) ?? (await read());
    known.set(name, window);
    return window;
  };
  return async ({ scheme, pplnsWindow: window }, { account }) => {
    if (scheme === 'solo')
      return {
        weights: [{ account: String((await accountIds(client, [account])).get(account)), work: 1n }],
      };
    if (scheme !== 'pplns')
      return once('round', async () => ({ weights: await workSinceBlock(client, tail) }));
    if (window.of === 'time') return once(`${window.ms} ms`, () => workOfTime(client, tail, window.ms));
    const work = (difficulty * window.permille) / 1000n;
    return once(`${work}`, () => lastWorkBefore(client, tail, work));
  };
}

async function write(
  client: pg.ClientBase,
  block: FoundBlock,
  { scheme, fees }: RewardRules,
  { weights, work, wholeFrom, edgeFrom }: Window,
  roundWork: bigint,
): Promise<void> {
  const accounts = weights.map(({ account }) => Number(account));
  await bulkRows(client, SQL.writeWeights, [block.id, accounts, weights.map(({ work }) => work.toString())]);
  const window = [work?.toString(), wholeFrom, edgeFrom] as const;
  const values = [
    block.id,
    roundWork.toString(),
    block.difficulty,
    scheme,
    fees.basisPoints,
    ...window,
  ] as const;
  await run(client, SQL.isWeighed, values);
}

/** Logs that are waited for no longer: told aloud, and noted in the books. @param blocks how many were weighed, all of this slot. */
async function tellAbsent(
  client: pg.ClientBase,
  { patienceMs, log }: Pick<SettleOptions, 'log'> & Pick<RewardRules, 'patienceMs'>,
  slot: Date,
  blocks: number,
): Promise<void> {
  const absent = await rowsOf(client, SQL.noteAbsent, [slot, blocks, patienceMs]);
  for (const { id, place, heardAt } of absent.filter(({ isFirst }) => isFirst))
    log.warn(
      { log: id, place, heardAt: heardAt.toISOString() },
      'blocks are split without what a bridge may have accepted since it was last heard of: it was silent for longer than rewards.patience',
    );
}

function highest(blocks: readonly FoundBlock[]): bigint {
  return blocks.reduce((most, block) => {
    const difficulty = BigInt(block.difficulty);
    return difficulty > most ? difficulty : most;
  }, 0n);
}

/** Of work that several blocks were found with: each has found an equal part of it, the first what is left over too. */
function partOf(work: bigint, parts: number, i: number): bigint {
  const part = work / BigInt(parts);
  return i === 0 ? work - part * BigInt(parts - 1) : part;
}
