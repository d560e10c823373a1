/** The timeline that all bridges on these books share: lines that they tell, and lines of the books themselves. */
import type pg from 'pg';
import { type FactsOf, KINDS, type Kind } from '../bridge/timeline/events.js';
import type { KeptLine, LinesAsked, TimelineBook } from '../bridge/timeline/timeline.js';
import {
  boundedFacts,
  boundedSentence,
  type Facts,
  sentenceOf,
  type TimelineEvent,
} from '../bridge/timeline/timeline-event.js';
import { loginText } from '../core/names/names.js';
import { isDataError } from './database/errors.js';
import { rowOf, rowsOf, run, statementsOf } from './database/statements.js';
import { inTransaction } from './database/transaction.js';

export const SQL = statementsOf<
  'timeline.sql',
  Record<'lines' | 'linesOfRig' | 'linesAfter', { facts: Facts }>
>('timeline.sql');

/**
 * Lines that are kept of each kind, and as many of those of it that somebody ordered: none is pushed out by another kind, and no order
 * by what nobody ordered, however many come of that.
 */
const LINES_OF_A_KIND = 20_000;
/** Of each kind, and of one step. */
const PRUNED_AT_ONCE = 1_000;
/** Who reads has lost patience by then. */
const READ_MS = 3_000;

/** Who listens hears that there are lines to read. */
export const EVENT_CHANNEL = 'stratum_bridge_event';

export function timelineBook(pool: pg.Pool): TimelineBook {
  return {
    writeLines: (lines) => writeLines(pool, lines),
    readLines: (asked) => readLines(pool, asked),
    linesAfter: (id, limit) => rowsOf(pool, SQL.linesAfter, [id, limit], READ_MS),
    newestId: async () => (await rowOf(pool, SQL.newest, [], READ_MS))?.id ?? 0,
    hasBlock: async (kinds, hash) => (await rowOf(pool, SQL.hasBlock, [kinds, hash], READ_MS))?.has === true,
  };
}

/**
 * A line of the books themselves, in the transaction that makes it true: it is told exactly once, whoever does that. To be the
 * last statement of it, since all who tell wait for each other.
 */
export async function tellInBooks<K extends Kind>(
  client: pg.ClientBase,
  kind: K,
  facts: FactsOf<K>,
  by?: string,
  words?: string,
): Promise<void> {
  const says = sentenceOf(kind, facts, { by, words });
  const line = { kind, says, facts: boundedFacts(facts), instance: null };
  await insertLines(client, [{ ...line, by: by === undefined ? null : boundedSentence(by) }]);
}

/** Lines that the database refuses for what is in them would keep all later ones waiting: they are left out and counted. */
async function writeLines(pool: pg.Pool, lines: readonly TimelineEvent[]): Promise<number> {
  try {
    await inTransaction(pool, (client) => insertLines(client, lines));
    return 0;
  } catch (error) {
    if (!isDataError(error)) throw error;
    if (lines.length === 1) return 1;
    let refused = 0;
    for (const line of lines) refused += await writeLines(pool, [line]);
    return refused;
  }
}

type NewLine = Pick<TimelineEvent, 'kind' | 'says' | 'facts' | 'instance' | 'by'> & Partial<TimelineEvent>;

async function insertLines(client: pg.ClientBase, lines: readonly NewLine[]): Promise<void> {
  await run(client, SQL.lock);
  const told = lines.map(({ atMs, ...line }) => ({
    ...line,
    at: atMs === undefined ? undefined : new Date(atMs).toISOString(),
  }));
  await run(client, SQL.insert, [JSON.stringify(told)]);
}

function readLines(pool: pg.Pool, { limit, before, sinceMs, kinds, login }: LinesAsked): Promise<KeptLine[]> {
  if (!login) return rowsOf(pool, SQL.lines, [limit, before, sinceMs, kinds], READ_MS);
  const values = [limit, before, sinceMs, kinds, loginText(login), login.account] as const;
  return rowsOf(pool, SQL.linesOfRig, values, READ_MS);
}

/** One step of upkeep. No clock decides what goes, and no flood of one kind pushes out another. */
export async function pruneTimeline(pool: pg.Pool, kept = LINES_OF_A_KIND): Promise<void> {
  for (const isOrdered of [false, true]) await run(pool, SQL.prune, [KINDS, kept, PRUNED_AT_ONCE, isOrdered]);
}
