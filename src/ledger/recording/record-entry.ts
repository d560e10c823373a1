/**
 * The way of an entry of shares into the books: one statement, or, when the database refuses its data, one transaction
 * that credits all of it but the bad part, and sets that aside (`set-aside.ts`).
 */
import type pg from 'pg';
import type { RejectionCount, ShareEntry } from '../../bridge/ports.js';
import type { Share } from '../../core/share.js';
import { isDataError, outageOf } from '../database/errors.js';
import { inTransaction } from '../database/transaction.js';
import { creditEntry, type EntryPart } from './credit-entry.js';
import { setAside } from './set-aside.js';

type Row = { readonly share: Share } | { readonly rejection: RejectionCount };

interface RefusedRow {
  readonly row: Row;
  readonly error: Error;
}

export interface Recorded {
  readonly outcome: 'recorded' | 'repeated';
  /** Parts that were set aside. */
  readonly setAside: number;
}

/** Throws {@link LedgerError} `away` when the database does not answer: nothing is wrong with the entry then. */
export async function recordEntry(pool: pg.Pool, entry: ShareEntry): Promise<Recorded> {
  try {
    return { outcome: await creditEntry(pool, entry), setAside: 0 };
  } catch (error) {
    if (!isDataError(error)) throw outageOf(error);
  }
  return inTransaction(pool, (client) => recordInParts(client, entry)).catch((error: unknown) => {
    throw isDataError(error) ? error : outageOf(error);
  });
}

/** Each attempt is undone; what was found good is credited once, at the end, with what is set aside. */
async function recordInParts(client: pg.ClientBase, entry: ShareEntry): Promise<Recorded> {
  const good: Row[] = [];
  const refused: RefusedRow[] = [];
  const fits = (rows: readonly Row[]): Promise<Error | undefined> =>
    whyRefused(client, { id: entry.id, ...partOf([...good, ...rows]) });
  const nothing = await fits([]);
  // It is nothing of this entry then.
  if (nothing) throw nothing;
  const take = async (rows: readonly Row[]): Promise<void> => {
    const error = await fits(rows);
    if (!error) good.push(...rows);
    else if (rows.length === 1) refused.push(...rows.map((row) => ({ row, error })));
    else {
      const half = rows.length >> 1;
      await take(rows.slice(0, half));
      await take(rows.slice(half));
    }
  };
  await take(rowsOf(entry));
  const outcome = await creditEntry(client, { id: entry.id, ...partOf(good) });
  if (outcome === 'repeated') return { outcome, setAside: 0 };
  const parts = byNameAndError(refused);
  for (const { part, error } of parts) await setAside(client, entry.id, part, error.message);
  return { outcome, setAside: parts.length };
}

async function whyRefused(client: pg.ClientBase, entry: ShareEntry): Promise<Error | undefined> {
  await client.query('SAVEPOINT attempt');
  try {
    await creditEntry(client, entry);
    return undefined;
  } catch (error) {
    if (!isDataError(error)) throw error;
    return error as Error;
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT attempt; RELEASE SAVEPOINT attempt');
  }
}

/** Those of one name beside one another, as the name is the likeliest fault. */
function rowsOf({ shares, rejections }: EntryPart): Row[] {
  const rows: Row[] = [
    ...shares.map((share) => ({ share })),
    ...rejections.map((rejection) => ({ rejection })),
  ];
  return rows
    .map((row): [string, Row] => [nameOf(row), row])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, row]) => row);
}

function nameOf(row: Row): string {
  const { account, rig } = 'share' in row ? row.share : row.rejection;
  return JSON.stringify([account, rig]);
}

function partOf(rows: readonly Row[]): EntryPart {
  return {
    shares: rows.flatMap((row) => ('share' in row ? row.share : [])),
    rejections: rows.flatMap((row) => ('rejection' in row ? row.rejection : [])),
  };
}

function byNameAndError(refused: readonly RefusedRow[]): { part: EntryPart; error: Error }[] {
  const groups = new Map<string, { rows: Row[]; error: Error }>();
  for (const { row, error } of refused) {
    const key = `${nameOf(row)} ${error.message}`;
    const group = groups.get(key) ?? { rows: [], error };
    group.rows.push(row);
    groups.set(key, group);
  }
  return Array.from(groups.values(), ({ rows, error }) => ({ part: partOf(rows), error }));
}
