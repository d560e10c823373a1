/**
 * The way of entries into the books: one statement for many, or, when the database refuses the data of one that comes alone, one
 * transaction that books all of it but the bad rows, and sets these aside (`set-aside.ts`).
 */
import type pg from 'pg';
import type { EntryOutcome, ShareEntry, WorkSum } from '../../bridge/ports.js';
import { isDataError, LedgerError, outageOf } from '../database/errors.js';
import { inTransaction } from '../database/transaction.js';
import { bookEntries } from './book-entries.js';
import { setAside } from './set-aside.js';

interface RefusedSum {
  readonly sum: WorkSum;
  readonly error: Error;
}

interface Recorded {
  readonly entry: ShareEntry;
  readonly outcome: EntryOutcome;
  /** Parts that were set aside. */
  readonly setAside: number;
}

/**
 * Throws {@link LedgerError} `away` when the database does not answer: nothing is wrong with the entries then. Of several entries it throws
 * what the database says of one of them; nothing is booked then, and who asks parts them. `refused` is one that is not taken even without
 * its sums.
 */
export async function recordEntries(pool: pg.Pool, entries: readonly ShareEntry[]): Promise<Recorded[]> {
  try {
    const outcomes = await bookEntries(pool, entries);
    return entries.map((entry, i) => ({ entry, outcome: outcomes[i] ?? 'repeated', setAside: 0 }));
  } catch (error) {
    if (!isDataError(error)) throw outageOf(error);
    const [entry, another] = entries;
    if (!entry || another) throw error;
    return [await recordInParts(pool, entry)];
  }
}

async function recordInParts(pool: pg.Pool, entry: ShareEntry): Promise<Recorded> {
  return inTransaction(pool, (client) => bookGood(client, entry)).catch((error: unknown) => {
    throw isDataError(error) ? new LedgerError('refused', error.message, { cause: error }) : outageOf(error);
  });
}

/** Each attempt is undone; what was found good is booked once, at the end, with what is set aside. */
async function bookGood(client: pg.ClientBase, entry: ShareEntry): Promise<Recorded> {
  const good: WorkSum[] = [];
  const refused: RefusedSum[] = [];
  const fits = (sums: readonly WorkSum[]): Promise<Error | undefined> =>
    whyRefused(client, { ...entry, sums: [...good, ...sums] });
  const nothing = await fits([]);
  // It is nothing of its sums then.
  if (nothing) throw nothing;
  const take = async (sums: readonly WorkSum[]): Promise<void> => {
    const error = await fits(sums);
    if (!error) good.push(...sums);
    else if (sums.length === 1) refused.push(...sums.map((sum) => ({ sum, error })));
    else {
      const half = sums.length >> 1;
      await take(sums.slice(0, half));
      await take(sums.slice(half));
    }
  };
  await take(byName(entry.sums));
  const [outcome = 'repeated'] = await bookEntries(client, [{ ...entry, sums: good }]);
  if (outcome !== 'recorded') return { entry, outcome, setAside: 0 };
  const parts = byNameAndError(refused);
  for (const { part, error } of parts) await setAside(client, entry.id, part, error.message);
  return { entry, outcome, setAside: parts.length };
}

async function whyRefused(client: pg.ClientBase, entry: ShareEntry): Promise<Error | undefined> {
  await client.query('SAVEPOINT attempt');
  try {
    await bookEntries(client, [entry]);
    return undefined;
  } catch (error) {
    if (!isDataError(error)) throw error;
    return error as Error;
  } finally {
    await client.query('ROLLBACK TO SAVEPOINT attempt; RELEASE SAVEPOINT attempt');
  }
}

/** Those of one name beside one another, as the name is the likeliest fault. */
function byName(sums: readonly WorkSum[]): WorkSum[] {
  return sums
    .map((sum): [string, WorkSum] => [nameOf(sum), sum])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, sum]) => sum);
}

function nameOf({ account, rig }: WorkSum): string {
  return JSON.stringify([account, rig]);
}

function byNameAndError(refused: readonly RefusedSum[]): { part: WorkSum[]; error: Error }[] {
  const groups = new Map<string, { part: WorkSum[]; error: Error }>();
  for (const { sum, error } of refused) {
    const key = `${nameOf(sum)} ${error.message}`;
    const group = groups.get(key) ?? { part: [], error };
    group.part.push(sum);
    groups.set(key, group);
  }
  return [...groups.values()];
}
