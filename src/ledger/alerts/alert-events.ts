/** Events that alerts tell of, read from where any bridge has stopped reading, so that each is told once. */
import type pg from 'pg';
import type { Line, Look } from '../../bridge/alerts.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { SQL as TIMELINE } from '../timeline.js';
import { SQL } from './alerts.js';

const MOST_READ = 5_000;

export async function readEvents(
  client: pg.ClientBase,
  { events, mostLately }: Pick<Look, 'events' | 'mostLately'>,
): Promise<readonly Line[]> {
  const conditions = events.map(({ condition }) => condition);
  if ((await rowOf(client, SQL.tooMany, [conditions, mostLately]))?.are) return [];
  // Lines come in the order of their numbers: what comes meanwhile is behind this one.
  const until = (await rowOf(client, TIMELINE.newest))?.id ?? 0;
  const rows = await rowsOf(client, SQL.events, [events.map(({ kind }) => kind), MOST_READ, until]);
  await run(client, SQL.wasRead, [rows.length === MOST_READ ? rows.at(-1)?.id : until]);
  return rows;
}
