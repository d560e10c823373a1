/**
 * Who worked in which slots: all that settlement reads of shares. Slots are told by when they begin; both ends are part of what is asked
 * for. A slot that is closed stays as it is.
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

const WORK = `
  SELECT r.account_id::text AS account, sum(w.work)::text AS work FROM (
    SELECT rig_id, sum(work) AS work FROM rig_work WHERE kind = 0 AND starts_at BETWEEN $1 AND $2 GROUP BY rig_id) w
  JOIN rig r ON r.id = w.rig_id GROUP BY r.account_id`;

/** The last `work` up to and with the slot `to`. Of the slot in which it ends each account counts with the same fraction. */
export async function lastWorkBefore(client: pg.ClientBase, to: Date, work: bigint): Promise<Weight[]> {
  const edge = await slotOfEdge(client, to, work);
  if (!edge) return workBetween(client, new Date(0), to);
  const newest = await workBetween(client, new Date(edge.getTime() + 1), to);
  const oldest = await workBetween(client, edge, edge);
  return lastWork([{ weights: newest }, { weights: oldest }], work);
}

/** The slot in which so much work ends; `undefined` when all there is does not fill it. */
async function slotOfEdge(client: pg.ClientBase, until: Date, work: bigint): Promise<Date | undefined> {
  const oldest = await oldestSlot(client);
  if (!oldest) return undefined;
  let left = work;
  let to = until.getTime() + 1;
  for (let spanMs = HOUR_MS; to > oldest.getTime(); spanMs *= 2) {
    const from = to - spanMs;
    const { rows } = await bulkQuery<{ starts_at: Date; work: string }>(
      client,
      'SELECT starts_at, sum(work) AS work FROM rig_work WHERE kind = 0 AND starts_at >= $1 AND starts_at < $2 GROUP BY 1 ORDER BY 1 DESC',
      [new Date(from), new Date(to)],
    );
    for (const row of rows) {
      left -= BigInt(row.work);
      if (left <= 0n) return row.starts_at;
    }
    to = from;
  }
  return undefined;
}

async function oldestSlot(client: pg.ClientBase): Promise<Date | undefined> {
  const { rows } = await client.query<{ starts_at: Date | null }>(
    'SELECT min(starts_at) AS starts_at FROM rig_work',
  );
  return rows[0]?.starts_at ?? undefined;
}
