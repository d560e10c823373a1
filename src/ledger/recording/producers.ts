/** Producers of entries: which there are, and what of each is booked. */
import type pg from 'pg';
import type { EntryId } from '../../bridge/ports.js';

/** From now on the books know that shares of this one may come. @param place for people: host and data directory. */
export async function announceProducer(pool: pg.Pool, id: string, place: string): Promise<void> {
  const text = `INSERT INTO producer (id, place) VALUES ($1, $2)
    ON CONFLICT (id) DO UPDATE SET place = excluded.place, heard_at = now()`;
  await pool.query(text, [id, place]);
}

export async function missingEntries(
  pool: pg.Pool,
  producer: string,
  first: number,
  last: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await pool.query<{ number: string }>(MISSING, [producer, first, last, limit]);
  return rows.map(({ number }) => Number(number));
}

const MISSING = `
  SELECT n AS number FROM unnest(int8multirange(int8range($2, $3, '[]')) -
      coalesce((SELECT numbers FROM producer WHERE id = $1), '{}')) AS gap, generate_series(lower(gap), upper(gap) - 1) AS n
  ORDER BY n LIMIT $4`;

/** What an operator gives up: shares and work as far as they can be counted. */
export interface GivenUp {
  readonly by: string;
  readonly shares: number;
  /** Expected hashes, as a decimal string. */
  readonly work: string;
}

/** Nothing of this entry will come: what waits for it waits no longer, and the books say who wanted that. */
export async function giveUpEntry(
  pool: pg.Pool,
  { producer, number }: EntryId,
  { by, shares, work }: GivenUp,
): Promise<void> {
  await pool.query('SELECT give_up_entry($1, $2, $3, $4, $5)', [producer, number, by, shares, work]);
}
