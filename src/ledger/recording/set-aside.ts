/** Parts of entries that the database refused for their data: kept for the operator, and credited when it takes them. */
import type pg from 'pg';
import type { EntryId, RejectionCount } from '../../bridge/ports.js';
import type { Share } from '../../core/share.js';
import { isDataError, LedgerError } from '../database/errors.js';
import { inTransaction } from '../database/transaction.js';
import { creditEntry, type EntryPart } from './credit-entry.js';

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
  part: EntryPart,
  error: string,
): Promise<void> {
  await client.query('INSERT INTO set_aside (producer, number, part, error) VALUES ($1, $2, $3, $4)', [
    id.producer,
    id.number,
    encodePart(part),
    error,
  ]);
}

export async function countSetAside(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ parts: number }>('SELECT count(*)::int AS parts FROM set_aside');
  return rows[0]?.parts ?? 0;
}

/** Oldest first. */
export async function listSetAside(pool: pg.Pool, limit: number): Promise<SetAside[]> {
  const { rows } = await pool.query<StoredPart>('SELECT * FROM set_aside ORDER BY id LIMIT $1', [limit]);
  return rows.map(reportOf);
}

/**
 * Credits a part now, once: it is gone from here when it is in the books.
 * @param newProducerId a random UUID, as {@link EntryId} wants.
 */
export async function retrySetAside(
  pool: pg.Pool,
  id: string,
  newProducerId: () => string,
): Promise<SetAside> {
  return inTransaction(pool, async (client) => {
    const stored = await takeOut(client, id);
    try {
      await creditEntry(client, { id: { producer: newProducerId(), number: 1 }, ...decodePart(stored.part) });
    } catch (error) {
      if (!isDataError(error)) throw error;
      const words = `${id} is still refused: ${(error as Error).message}`;
      throw new LedgerError('refused', words, { cause: error });
    }
    return reportOf(stored);
  });
}

/** Forgets a part for good: nobody is credited for it. */
export async function dropSetAside(pool: pg.Pool, id: string): Promise<SetAside> {
  return inTransaction(pool, async (client) => reportOf(await takeOut(client, id)));
}

interface StoredPart {
  readonly id: string;
  readonly set_aside_at: Date;
  readonly part: string;
  readonly error: string;
}

async function takeOut(client: pg.ClientBase, id: string): Promise<StoredPart> {
  const { rows } = await client.query<StoredPart>('DELETE FROM set_aside WHERE id::text = $1 RETURNING *', [
    id,
  ]);
  const [stored] = rows;
  if (stored) return stored;
  throw new LedgerError('refused', `nothing is set aside as ${id}: \`ledger queue list\` tells what is`);
}

function reportOf({ id, set_aside_at, part, error }: StoredPart): SetAside {
  const { shares, rejections } = decodePart(part);
  const { account = '', rig = '' } = shares[0] ?? rejections[0] ?? {};
  return {
    id,
    account,
    rig,
    shares: shares.length,
    work: shares.reduce((sum, { difficulty }) => sum + difficulty, 0n).toString(),
    rejections: rejections.reduce((sum, { submits }) => sum + submits, 0),
    setAsideAt: set_aside_at.toISOString(),
    error,
  };
}

/** JSON writes as escapes what PostgreSQL's text would not take. */
function encodePart(part: EntryPart): string {
  return JSON.stringify(part, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

type Stored<T, K extends keyof T> = Omit<T, K> & Record<K, string>;

function decodePart(text: string): EntryPart {
  const part = JSON.parse(text) as {
    shares: Stored<Share, 'difficulty' | 'blockDifficulty'>[];
    rejections: Stored<RejectionCount, 'work'>[];
  };
  return {
    shares: part.shares.map((share) => ({
      ...share,
      difficulty: BigInt(share.difficulty),
      blockDifficulty: BigInt(share.blockDifficulty),
    })),
    rejections: part.rejections.map((rejection) => ({ ...rejection, work: BigInt(rejection.work) })),
  };
}
