/**
 * Who worked in which slots: all that settlement reads of shares. Slots are told by when they begin; both ends are part of what is asked
 * for. A slot that is closed stays as it is. Whole minutes are read by account, and single slots only at the ends: a pool has a hundred
 * times as many rigs.
 */
import type pg from 'pg';
import { lastWork, type Weight } from '../../core/rewards.js';
import { bulkQuery } from '../database/transaction.js';

export const SLOT_MS = 10_000;
const HOUR_MS = 3_600_000;

/** Work by account; an account is told by its number, in decimal digits. */
export async function workBetween(client: pg.ClientBase, from: Date, to: Date): Promise<Weight[]> {
  const { rows } = await bulkQuery<{ account: string; work: string }>(client, WORK, [from, to]);
  return rows.map(({ account, work }) => ({ account, work: BigInt(work) }));
}

/** $1: the first slot, $2: the last one. Between the two minutes `first` and `last` there are whole ones, if any. */
const MINUTES = `
  WITH minutes AS MATERIALIZED (
    SELECT date_bin('1 minute', $1::timestamptz + interval '59999 milliseconds', 'epoch') AS first,
           date_bin('1 minute', $2::timestamptz + interval '10 seconds', 'epoch') AS last
  )`;

/** Of slots that are summed up already, the minutes know more. What nobody's account did is what is missing to what everybody did. */
const WORK = `${MINUTES}, single AS (
    SELECT r.account_id, sum(w.work) AS work FROM (
      SELECT rig_id, sum(work) AS work FROM rig_work WHERE kind = 0 AND seconds = 10 AND starts_at BETWEEN $1 AND $2
        AND (starts_at < (SELECT first FROM minutes) OR starts_at >= (SELECT last FROM minutes)) GROUP BY rig_id) w
    JOIN rig r ON r.id = w.rig_id GROUP BY r.account_id
  ), whole AS (
    SELECT account_id, sum(work) AS work FROM account_minute
    WHERE kind = 0 AND starts_at >= (SELECT first FROM minutes) AND starts_at < (SELECT last FROM minutes) GROUP BY account_id
  )
  SELECT account_id::text AS account, sum(work)::text AS work FROM (
    SELECT * FROM single
    UNION ALL SELECT account_id, work FROM whole WHERE account_id <> 0
    UNION ALL SELECT 0, sum(CASE account_id WHEN 0 THEN work ELSE -work END) FROM whole HAVING count(*) > 0) AS parts
  GROUP BY account_id HAVING sum(work) > 0`;

/** The last `work` up to and with the slot `to`. Of the slot in which it ends each account counts with the same fraction. */
export async function lastWorkBefore(client: pg.ClientBase, to: Date, work: bigint): Promise<Weight[]> {
  const edge = await edgeOf(client, to, work);
  if (!edge) return workBetween(client, new Date(0), to);
  const newest = await workBetween(client, new Date(edge.getTime() + 1), to);
  const slot = await workBetween(client, edge, edge);
  const oldest = slot.length > 0 ? slot : await workInMinute(client, edge);
  return lastWork([{ weights: newest }, { weights: oldest }], work);
}

/** Where slots are summed up into longer times than minutes are, or forgotten. */
async function workInMinute(client: pg.ClientBase, minute: Date): Promise<Weight[]> {
  return workBetween(client, minute, new Date(minute.getTime() + 60_000 - SLOT_MS));
}

interface TimeWork {
  readonly starts_at: Date;
  readonly work: string;
}

/** The slot in which so much work ends; `undefined` when all there is does not fill it. */
async function edgeOf(client: pg.ClientBase, to: Date, work: bigint): Promise<Date | undefined> {
  const lastMinute = new Date(Math.floor((to.getTime() + SLOT_MS) / 60_000) * 60_000);
  const inLast = endOf(await slotsOf(client, lastMinute, to), work);
  if (inLast.at) return inLast.at;
  const oldest = await firstWorkFrom(client, new Date(0));
  let { left } = inLast;
  let until = lastMinute.getTime();
  for (let spanMs = HOUR_MS; oldest && until > oldest.getTime(); spanMs *= 2) {
    const from = until - spanMs;
    const { rows } = await bulkQuery<TimeWork>(client, MINUTE_SUMS, [new Date(from), new Date(until)]);
    const found = endOf(rows, left);
    if (found.at) return slotIn(client, found.at, found.left);
    left = found.left;
    until = from;
  }
  return undefined;
}

const MINUTE_SUMS = `
  SELECT starts_at, work::text FROM account_minute WHERE account_id = 0 AND kind = 0 AND starts_at >= $1 AND starts_at < $2
  ORDER BY starts_at DESC`;

/** Of a minute in which the work ends. Where its slots are summed up already, it is one long slot. */
async function slotIn(client: pg.ClientBase, minute: Date, work: bigint): Promise<Date> {
  const slots = await slotsOf(client, minute, new Date(minute.getTime() + 59_999));
  return endOf(slots, work).at ?? minute;
}

async function slotsOf(client: pg.ClientBase, from: Date, to: Date): Promise<TimeWork[]> {
  const text =
    'SELECT starts_at, sum(work)::text AS work FROM rig_work WHERE kind = 0 AND seconds = 10 AND starts_at BETWEEN $1 AND $2 GROUP BY 1 ORDER BY 1 DESC';
  return (await bulkQuery<TimeWork>(client, text, [from, to])).rows;
}

/** Where in these, the newest first, so much work ends, with what of it is left for that time; or what is left after all of them. */
function endOf(rows: readonly TimeWork[], work: bigint): { at?: Date; left: bigint } {
  let left = work;
  for (const { starts_at, work: one } of rows) {
    if (BigInt(one) >= left) return { at: starts_at, left };
    left -= BigInt(one);
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
