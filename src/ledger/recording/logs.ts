/** Logs of entries, which are starts of bridges: which there are, what of each is booked, and whom settlement waits for. */
import type pg from 'pg';
import type { EntryId, EntryRange, EntryTotal } from '../../bridge/ports.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, rowsOf, run, statementsOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { tellInBooks } from '../timeline.js';

export const SQL = statementsOf('recording/logs.sql');

/** As `LogLedger` says. */
export async function renewLogs(pool: pg.Pool, logs: readonly string[], place: string): Promise<boolean> {
  return (await rowOf(pool, SQL.renew, [logs, place]))?.areWaitedFor === true;
}

/** Names these books for ever, also after a restore. */
export async function ledgerId(pool: pg.Pool): Promise<string> {
  const row = await rowOf(pool, SQL.ledger);
  if (!row) throw new LedgerError('no-books', 'these books have no id');
  return row.id;
}

export async function missingEntries(
  pool: pg.Pool,
  log: string,
  last: number,
  limit: number,
): Promise<EntryRange[]> {
  return rowsOf(pool, SQL.missing, [log, last, limit]);
}

/** Nobody has these any more. The books say who has found that. */
export async function giveUpEntries(
  pool: pg.Pool,
  log: string,
  { first, last }: EntryRange,
  by: string,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const answer = await rowOf(client, SQL.giveUpGone, [log, first, last, by]);
    if (!answer?.areGone) return;
    const says = `entries ${first} to ${last} of the log ${log} are given up: nobody has them any more`;
    await tellInBooks(client, 'ordered', { order: 'giveUp', about: log }, by, says);
  });
}

/** Numbers of those of which another entry is booked. */
export async function conflictingEntries(
  pool: pg.Pool,
  log: string,
  entries: readonly EntryTotal[],
): Promise<number[]> {
  const rows = await rowsOf(pool, SQL.conflicting, [
    log,
    entries.map(({ number }) => number),
    entries.map(({ shares }) => shares),
    entries.map(({ work }) => work.toString()),
  ]);
  return rows.map(({ number }) => Number(number));
}

/** What an operator gives up: shares and work as far as they can be counted. */
interface GivenUp {
  readonly by: string;
  readonly shares: number;
  /** Expected hashes, as a decimal string. */
  readonly work: string;
  /** Of its log up to it, where that can be read. */
  readonly total?: { readonly shares: number; readonly work: string } | undefined;
}

/** Nothing of this entry will come: what waits for it waits no longer, and the books say who wanted that. */
export async function giveUpEntry(
  pool: pg.Pool,
  { log, number }: EntryId,
  { by, shares, work, total }: GivenUp,
): Promise<void> {
  await run(pool, SQL.giveUp, [log, number, by, shares, work, total?.shares ?? null, total?.work ?? null]);
}

/** What of a log is accounted for: booked, set aside or given up. */
export interface Accounted {
  /** Of its highest entry that came. */
  readonly number: number;
  /** None is missing before that one. */
  readonly isWhole: boolean;
  readonly shares: number;
  readonly work: bigint;
}

export async function accountedOf(
  pool: pg.Pool,
  logs: readonly string[],
): Promise<ReadonlyMap<string, Accounted>> {
  const rows = await rowsOf(pool, SQL.accounted, [logs]);
  return new Map(
    rows.map(({ log, number, isWhole, shares, work }) => [
      log,
      { number: Number(number), isWhole, shares, work: BigInt(work) },
    ]),
  );
}

/** A start of a bridge whose shares may yet come. `blocks`: so many wait for them. `missing`: entries that later ones came before. */
type WaitedFor = RowOf<typeof SQL.waitedFor>;

/** One that was heard since is alive, or was a moment ago. */
const SILENT_SECONDS = 60;

/**
 * Settlement waits for it no longer; what it brings later counts for later blocks. Resolves with how it was before.
 * Throws LedgerError `refused` for one that is not waited for, or was heard of in the last minute.
 */
export async function endLog(
  pool: pg.Pool,
  id: string,
  { by, note }: { readonly by: string; readonly note: string },
): Promise<WaitedFor> {
  return inTransaction(pool, async (client) => {
    const heard = await rowOf(client, SQL.heard, [id]);
    const before = (await rowsOf(client, SQL.waitedFor)).find((one) => one.id === id);
    if (!heard || !before)
      throw new LedgerError('refused', `nobody waits for a log ${id}: \`ledger log list\` tells for which`);
    if (heard.seconds < SILENT_SECONDS) {
      const words = `the bridge at ${heard.place} was heard ${Math.max(0, Math.round(heard.seconds))} s ago`;
      throw new LedgerError('refused', `${words}: stop it, and what it has comes into the books by itself`);
    }
    await run(client, SQL.endByHand, [id, by, note]);
    await run(client, SQL.place, [id]);
    const says = `the log ${id} of ${heard.place} is waited for no longer: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'end', about: heard.place }, by, says);
    return before;
  });
}
