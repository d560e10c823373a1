/**
 * Who worked in which slots: all that settlement reads of shares. Slots are told by when they begin; both ends are part of what is asked
 * for. A slot that is closed stays as it is. Whole minutes are read by account, and single slots only at the ends: a pool has many
 * times as many rigs.
 *
 * A window of shares goes back from its last slot by pieces: the slots of a minute that is not over, then minutes, and where those are
 * summed up already, ten minutes, hours or days.
 */
import type pg from 'pg';
import { lastWork, type Weight } from '../../core/rewards.js';
import { bulkQuery } from '../database/transaction.js';

export const SLOT_MS = 10_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Work by account; an account is told by its number, in decimal digits. */
export async function workBetween(client: pg.ClientBase, from: Date, to: Date): Promise<Weight[]> {
  const [start, end] = [from.getTime(), to.getTime() + SLOT_MS];
  const first = Math.min(end, Math.ceil(start / MINUTE_MS) * MINUTE_MS);
  const last = Math.max(first, minuteOf(end));
  const bounds = [start, first, last, end].map((ms) => new Date(ms));
  const { rows } = await bulkQuery<{ account: string; work: string }>(client, WORK, bounds);
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

function minuteOf(timeMs: number): number {
  return Math.floor(timeMs / MINUTE_MS) * MINUTE_MS;
}

/** Of whole minutes, from $2 on and before $3, what nobody's account did is what is missing to what everybody did. */
const WORK = `
  WITH single AS (
    SELECT rig_id, work FROM rig_work WHERE kind = 0 AND seconds = 10 AND starts_at >= $1 AND starts_at < $2
    UNION ALL SELECT rig_id, work FROM rig_work WHERE kind = 0 AND seconds = 10 AND starts_at >= $3 AND starts_at < $4
  ), whole AS MATERIALIZED (
    SELECT account_id, sum(work) AS work FROM account_minute WHERE kind = 0 AND starts_at >= $2 AND starts_at < $3 GROUP BY account_id
  )
  SELECT account_id::text AS account, sum(work)::text AS work FROM (
    SELECT account_id, work FROM single JOIN rig ON id = rig_id
    UNION ALL SELECT account_id, work FROM whole WHERE account_id <> 0
    UNION ALL SELECT 0, sum(CASE account_id WHEN 0 THEN work ELSE -work END) FROM whole HAVING count(*) > 0) AS parts
  GROUP BY account_id HAVING sum(work) > 0`;

/** Of so long a time up to and with the slot `to`: of all pieces that lie in it, also in part. */
export async function workOfTime(client: pg.ClientBase, to: Date, ms: number): Promise<Weight[]> {
  const minute = new Date(minuteOf(to.getTime() + SLOT_MS - ms));
  const { rows } = await client.query<{ starts_at: Date }>(PIECE_OF, [minute]);
  return workBetween(client, rows[0]?.starts_at ?? minute, to);
}

const PIECE_OF = `
  SELECT starts_at FROM account_minute
  WHERE account_id = 0 AND kind = 0 AND starts_at <= $1 AND starts_at > $1::timestamptz - interval '1 day'
    AND starts_at + seconds * interval '1 second' > $1`;

/** The last `work` up to and with the slot `to`. Of the piece in which it ends each account counts with the same fraction. */
export async function lastWorkBefore(client: pg.ClientBase, to: Date, work: bigint): Promise<Weight[]> {
  const edge = await edgeOf(client, to, work);
  if (!edge) return workBetween(client, new Date(0), to);
  const next = edge.starts_at.getTime() + edge.seconds * 1000;
  const newest = await workBetween(client, new Date(next), to);
  const oldest = await workBetween(client, edge.starts_at, new Date(next - SLOT_MS));
  return lastWork([{ weights: newest }, { weights: oldest }], work);
}

interface Piece {
  readonly starts_at: Date;
  readonly seconds: number;
  readonly work: string;
}

/** The piece in which so much work ends; `undefined` when all there is does not fill it. */
async function edgeOf(client: pg.ClientBase, to: Date, work: bigint): Promise<Piece | undefined> {
  const lastMinute = minuteOf(to.getTime() + SLOT_MS);
  const slots = await bulkQuery<Piece>(client, SLOTS, [new Date(lastMinute), to]);
  let end = endOf(slots.rows, work);
  const oldest = await firstWorkFrom(client, new Date(0));
  let until = lastMinute;
  for (let spanMs = HOUR_MS; !end.at && oldest && until > oldest.getTime(); spanMs *= 2) {
    const from = until - spanMs;
    const { rows } = await bulkQuery<Piece>(client, PIECES, [new Date(from), new Date(until)]);
    end = endOf(rows, end.left);
    until = from;
  }
  return end.at;
}

const SLOTS = `
  SELECT starts_at, 10 AS seconds, sum(work)::text AS work FROM rig_work
  WHERE kind = 0 AND seconds = 10 AND starts_at BETWEEN $1 AND $2 GROUP BY 1 ORDER BY 1 DESC`;

const PIECES = `
  SELECT starts_at, seconds, work::text FROM account_minute
  WHERE account_id = 0 AND kind = 0 AND starts_at >= $1 AND starts_at < $2 ORDER BY starts_at DESC`;

/** Where in these, the newest first, so much work ends; or what is left after all of them. */
function endOf(pieces: readonly Piece[], work: bigint): { at?: Piece; left: bigint } {
  let left = work;
  for (const piece of pieces) {
    if (BigInt(piece.work) >= left) return { at: piece, left };
    left -= BigInt(piece.work);
  }
  return { left };
}

/** When the first share from then on was accepted, to the minute. */
export async function firstWorkFrom(client: pg.ClientBase | pg.Pool, from: Date): Promise<Date | undefined> {
  const { rows } = await client.query<{ starts_at: Date }>(
    'SELECT starts_at FROM account_minute WHERE account_id = 0 AND kind = 0 AND starts_at >= $1 ORDER BY starts_at LIMIT 1',
    [from],
  );
  return rows[0]?.starts_at;
}

export interface Expectation {
  readonly account: string;
  /** Blocks, in units of 10^-18. */
  readonly expected: bigint;
}

/** What was expected of each account's work from then on and before the other time, both of whole minutes. Nobody's is left out. */
export async function expectedIn(client: pg.ClientBase, from: Date, before: Date): Promise<Expectation[]> {
  const { rows } = await bulkQuery<{ account: string; expected: string }>(
    client,
    `SELECT account_id::text AS account, sum(expected)::text AS expected FROM account_minute
     WHERE kind = 0 AND account_id <> 0 AND starts_at >= $1 AND starts_at < $2 GROUP BY 1`,
    [from, before],
  );
  return rows.map(({ account, expected }) => ({ account, expected: BigInt(expected) }));
}
