/** Producers that were waited for no longer when blocks were weighed: told aloud, and noted in the books. */
import type pg from 'pg';
import type { Log } from '../../core/log.js';

interface Absent {
  readonly producer: string;
  readonly place: string;
  readonly heard_at: Date;
  readonly blocks: string;
}

/** @param blocks how many were weighed, all of this slot. */
export async function tellAbsent(
  client: pg.ClientBase,
  { patienceMs, log }: { readonly patienceMs: number; readonly log: Log },
  slot: Date,
  blocks: number,
): Promise<void> {
  const { rows } = await client.query<Absent>(NOTE, [slot, blocks, patienceMs]);
  for (const { producer, place, heard_at } of rows.filter((row) => Number(row.blocks) === blocks))
    log.warn(
      { producer, place, heardAt: heard_at.toISOString() },
      'blocks are split without what a bridge may have accepted since it was last heard of: it was silent for longer than rewards.patience',
    );
}

/** $1: slot, $2: how many blocks, $3: milliseconds of patience. One that was started after the slot has nothing to do with it. */
const NOTE = `
  INSERT INTO absence (producer, place, heard_at, first_slot, last_slot, blocks)
    SELECT id, place, heard_at, $1, $1, $2 FROM producer
    WHERE NOT ended AND watermark < $1::timestamptz + interval '10 seconds' AND heard_at < now() - $3 * interval '1 millisecond'
      AND started_at < $1::timestamptz + interval '10 seconds'
  ON CONFLICT (producer) DO UPDATE SET last_slot = excluded.last_slot, blocks = absence.blocks + excluded.blocks
  RETURNING producer, place, heard_at, blocks`;
