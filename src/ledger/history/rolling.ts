/**
 * The tables of sums, kept small: partitions for the time to come, old ones summed up into longer times and put in their place, and
 * older ones dropped. What is how old is told by `levels()` in `sql/functions.sql`. No row is ever deleted.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { forgetProofs } from '../audit/roots.js';
import { run, type Statement, statementsOf } from '../database/statements.js';
import { bulkRows, inTransaction } from '../database/transaction.js';
import type { RewardRules } from '../rules/rule-table.js';

export const SQL = statementsOf('history/history.sql');

const TABLES = ['rig_work', 'account_work'];

/** Who records or reads waits while partitions are exchanged, and behind who waits to exchange them: it is tried again rather than for long. */
const EXCHANGE_MS = 300;
const TRIES = 3;
const PAUSE_MS = 500;

export async function makePartitions(pool: pg.Pool): Promise<void> {
  await run(pool, SQL.makeAhead);
}

/** One time after the other, and what takes long in transactions of their own. @param signal ends it early, between two of them. */
export async function rollUp(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  for (const table of TABLES)
    while (!signal?.aborted) {
      const [{ name } = {}] = await inTransaction(pool, (client) => bulkRows(client, SQL.sumUp, [table]));
      if (!name) break;
      if (!(await exchange(pool, SQL.putInPlace, [table, name]))) return;
    }
}

export async function forgetOld(
  pool: pg.Pool,
  { keepRigsMs, keepAccountsMs }: Pick<RewardRules, 'keepRigsMs' | 'keepAccountsMs'>,
): Promise<void> {
  await exchange(pool, SQL.drop, ['rig_work', keepRigsMs]);
  await exchange(pool, SQL.drop, ['account_work', keepAccountsMs]);
  for (const table of TABLES) await run(pool, SQL.dropLeftOver, [table]);
}

/** Transfers, and who worked for blocks, are kept one by one for so long: no chain takes back what is older. */
const ONE_BY_ONE_MS = 30 * 86_400_000;

/** @param signal ends it early, between two days. */
export async function closeDays(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  const closed = (): Promise<boolean> =>
    inTransaction(
      pool,
      async (client) => (await bulkRows(client, SQL.closeDay, [ONE_BY_ONE_MS]))[0]?.closed === true,
    );
  while (!signal?.aborted && (await closed()));
  await inTransaction(pool, (client) => bulkRows(client, SQL.forgetWeights, [ONE_BY_ONE_MS]));
  await forgetProofs(pool, ONE_BY_ONE_MS);
}

/** False when somebody read for so long that it is left for the next time. */
async function exchange(pool: pg.Pool, statement: Statement, values: unknown[]): Promise<boolean> {
  for (let tries = 1; tries <= TRIES; tries++) {
    try {
      await inTransaction(pool, async (client) => {
        await client.query(`SET LOCAL lock_timeout = ${EXCHANGE_MS}`);
        await run(client, statement, values);
      });
      return true;
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
      await pause(PAUSE_MS);
    }
  }
  return false;
}

const LOCK_NOT_AVAILABLE = '55P03';
