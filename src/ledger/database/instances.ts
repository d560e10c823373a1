/** The numbers of bridges that share a ledger, leased: renewed while a bridge runs, free when it stops or was silent for long. */
import type pg from 'pg';

export interface InstanceOwner {
  /** A UUID that names the data directory. */
  readonly id: string;
  /** One that names this start. */
  readonly run: string;
  /** For people. */
  readonly place: string;
}

/** By the database's clock. */
const LAPSE = "interval '60 seconds'";

/** `undefined` when the wanted number is another's and `only` that will do, or when all are. */
export async function leaseInstance(
  pool: pg.Pool,
  { id, run, place }: InstanceOwner,
  wanted: number | undefined,
  only: boolean,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ number: number | null }>(
    `SELECT lease_instance($1, $2, $3, $4, $5, ${LAPSE}) AS number`,
    [id, run, place, wanted ?? null, only],
  );
  return rows[0]?.number ?? undefined;
}

/** False when the number is not this start's any more. */
export async function renewInstance(
  pool: pg.Pool,
  { id, run }: InstanceOwner,
  number: number,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    'UPDATE instance SET heard_at = now() WHERE number = $1 AND owner = $2 AND run = $3',
    [number, id, run],
  );
  return rowCount === 1;
}

export async function releaseInstance(pool: pg.Pool, { id, run }: InstanceOwner): Promise<void> {
  await pool.query('DELETE FROM instance WHERE owner = $1 AND run = $2', [id, run]);
}

/** Words for who has a number. */
export async function holderOf(pool: pg.Pool, number: number): Promise<string> {
  const { rows } = await pool.query<{ place: string; seconds: number }>(
    'SELECT place, extract(epoch FROM now() - heard_at)::int AS seconds FROM instance WHERE number = $1',
    [number],
  );
  const [holder] = rows;
  return holder ? `${holder.place}, heard of ${holder.seconds} s ago` : 'another bridge';
}
