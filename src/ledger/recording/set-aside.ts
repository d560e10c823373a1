/** Parts of entries that the database refused for their data: kept for the operator, and credited when it takes them. */
import type pg from 'pg';
import type { EntryId, WorkSum } from '../../bridge/ports.js';
import { isDataError, LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { encodeSum, SQL } from './book-entries.js';

export interface SetAside {
  readonly id: string;
  readonly account: string;
  readonly rig: string;
  readonly shares: number;
  /** Expected hashes, as a decimal string. */
  readonly work: string;
  readonly rejections: number;
  readonly setAsideAt: string;
  /** The database's words. */
  readonly error: string;
}

/** With the entry in one transaction, so that neither is there without the other. */
export async function setAside(
  client: pg.ClientBase,
  id: EntryId,
  part: readonly WorkSum[],
  error: string,
): Promise<void> {
  const { shares, work } = acceptedIn(part);
  const values = [id.log, id.number, shares, work.toString(), encodePart(part), error] as const;
  await run(client, SQL.setAside, values);
}

export async function countSetAside(pool: pg.Pool): Promise<number> {
  return (await rowOf(pool, SQL.countParts))?.parts ?? 0;
}

/** Oldest first. */
export async function listSetAside(pool: pg.Pool, limit: number): Promise<SetAside[]> {
  return (await rowsOf(pool, SQL.parts, [limit])).map(reportOf);
}

/** Credits a part now, once: it is gone from here when it is in the books. */
export async function retrySetAside(pool: pg.Pool, id: string): Promise<SetAside> {
  return inTransaction(pool, async (client) => {
    const stored = (await rowOf(client, SQL.takePart, [id])) ?? notSetAside(id);
    try {
      const sums = JSON.stringify(decodePart(stored.part).map(encodeSum));
      await run(client, SQL.bookPart, [stored.log, sums]);
    } catch (error) {
      if (!isDataError(error)) throw error;
      const words = `${id} is still refused: ${(error as Error).message}`;
      throw new LedgerError('refused', words, { cause: error });
    }
    return reportOf(stored);
  });
}

/** Gives a part up for good: nobody is credited for it, and the books say who wanted that. */
export async function dropSetAside(pool: pg.Pool, id: string, by: string): Promise<SetAside> {
  return reportOf((await rowOf(pool, SQL.giveUpPart, [id, by])) ?? notSetAside(id));
}

type StoredPart = RowOf<typeof SQL.parts>;

function notSetAside(id: string): never {
  throw new LedgerError('refused', `nothing is set aside as ${id}: \`ledger entry list\` tells what is`);
}

function reportOf({ id, shares, work, set_aside_at, part, error }: StoredPart): SetAside {
  const sums = decodePart(part);
  const { account = '', rig = '' } = sums[0] ?? {};
  const submits = sums.reduce((sum, one) => sum + one.submits, 0);
  return {
    ...{ id, account, rig, work, error },
    shares: Number(shares),
    rejections: submits - Number(shares),
    setAsideAt: set_aside_at.toISOString(),
  };
}

/** Shares and work of what was accepted. */
function acceptedIn(sums: readonly WorkSum[]): { readonly shares: number; readonly work: bigint } {
  const accepted = sums.filter(({ kind }) => kind === 'accepted');
  return {
    shares: accepted.reduce((sum, { submits }) => sum + submits, 0),
    work: accepted.reduce((sum, { work }) => sum + work, 0n),
  };
}

/** JSON writes as escapes what PostgreSQL's text would not take. */
function encodePart(part: readonly WorkSum[]): string {
  return JSON.stringify(part, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

function decodePart(text: string): WorkSum[] {
  const part = JSON.parse(text) as Stored<WorkSum, 'work' | 'expected'>[];
  return part.map((sum) => ({ ...sum, work: BigInt(sum.work), expected: BigInt(sum.expected) }));
}

/** As JSON has it: big integers as decimal strings. */
type Stored<T, K extends keyof T> = Omit<T, K> & Record<K, string>;
