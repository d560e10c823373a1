/** Parts of entries that the database refused for their data: kept for the operator, and credited when it takes them. */
import type pg from 'pg';
import type { EntryId, ShareEntry, WorkSum } from '../../bridge/ports.js';
import { expectedBlocks, type Rejection, type Share } from '../../core/share.js';
import { slotOf } from '../../core/slot.js';
import { isDataError, LedgerError } from '../database/errors.js';
import { inTransaction } from '../database/transaction.js';
import { bookEntries } from './book-entries.js';

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
      await bookEntries(client, [entryOf(newProducerId(), decodePart(stored.part))]);
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
  const sums = decodePart(part);
  const accepted = sums.filter(({ kind }) => kind === 'accepted');
  const { account = '', rig = '' } = sums[0] ?? {};
  const submits = (some: readonly WorkSum[]): number => some.reduce((sum, { submits }) => sum + submits, 0);
  return {
    id,
    account,
    rig,
    shares: submits(accepted),
    work: accepted.reduce((sum, { work }) => sum + work, 0n).toString(),
    rejections: submits(sums) - submits(accepted),
    setAsideAt: set_aside_at.toISOString(),
    error,
  };
}

/** Of a producer of its own, which brings nothing else. */
function entryOf(producer: string, sums: readonly WorkSum[]): ShareEntry {
  const accepted = sums.filter(({ kind }) => kind === 'accepted');
  const shares = accepted.reduce((sum, { submits }) => sum + submits, 0);
  const work = accepted.reduce((sum, one) => sum + one.work, 0n);
  return { id: { producer, number: 1 }, watermarkMs: 0, ends: true, total: { shares, work }, sums };
}

/** JSON writes as escapes what PostgreSQL's text would not take. */
function encodePart(part: readonly WorkSum[]): string {
  return JSON.stringify(part, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

function decodePart(text: string): WorkSum[] {
  const part = JSON.parse(text) as Stored<WorkSum, 'work' | 'expected'>[] | FormerPart;
  if (!Array.isArray(part)) return decodeFormer(part);
  return part.map((sum) => ({ ...sum, work: BigInt(sum.work), expected: BigInt(sum.expected) }));
}

type Stored<T, K extends keyof T> = Omit<T, K> & Record<K, string>;

/** Of version 0.1: shares one by one, and refused submits. */
interface FormerPart {
  readonly shares: Stored<Share, 'difficulty' | 'blockDifficulty'>[];
  readonly rejections: {
    account: string;
    rig: string;
    reason: Rejection;
    sinceMs: number;
    submits: number;
    work: string;
  }[];
}

function decodeFormer({ shares, rejections }: FormerPart): WorkSum[] {
  const accepted = shares.map((share): WorkSum => {
    const [difficulty, blockDifficulty] = [BigInt(share.difficulty), BigInt(share.blockDifficulty)];
    const { account, rig, acceptedAtMs } = share;
    const expected = expectedBlocks({ difficulty, blockDifficulty });
    const best = Number(difficulty);
    return {
      account,
      rig,
      slot: slotOf(acceptedAtMs),
      kind: 'accepted',
      submits: 1,
      work: difficulty,
      expected,
      best,
    };
  });
  const refused = rejections.map(({ account, rig, reason, sinceMs, submits, work }): WorkSum => {
    return {
      account,
      rig,
      slot: slotOf(sinceMs),
      kind: reason,
      submits,
      work: BigInt(work),
      expected: 0n,
      best: 0,
    };
  });
  return [...accepted, ...refused];
}
