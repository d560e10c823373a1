/** Entries as the function record_entries wants them. */
import type pg from 'pg';
import type { ShareEntry, WorkSum } from '../../bridge/ports.js';
import { rowOf, statementsOf } from '../database/statements.js';
import { kindNumber } from './kinds.js';

export const SQL = statementsOf('recording/recording.sql');

/** One statement, and so one transaction unless the caller has begun one. */
export async function bookEntries(
  client: pg.Pool | pg.ClientBase,
  entries: readonly ShareEntry[],
): Promise<('recorded' | 'repeated')[]> {
  const heads = entries.map(({ id, watermarkMs, ends, total }, place) => ({
    ...{ place, producer: id.producer, number: id.number },
    ...{ watermark: watermarkMs, ends, shares: total.shares, work: total.work.toString() },
  }));
  const sums = entries.flatMap((entry, place) => entry.sums.map((sum) => ({ place, ...encodeSum(sum) })));
  const booked = await rowOf(client, SQL.record, [JSON.stringify(heads), JSON.stringify(sums)]);
  const recorded = new Set(booked?.recorded);
  return entries.map((_, place) => (recorded.has(place) ? 'recorded' : 'repeated'));
}

/** As functions of the books want one. */
export function encodeSum({ account, rig, slot, kind, submits, work, expected, best }: WorkSum) {
  return {
    ...{ account, rig, slot, kind: kindNumber(kind), submits, best },
    ...{ work: work.toString(), expected: expected.toString() },
  };
}
