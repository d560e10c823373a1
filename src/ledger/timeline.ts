/** The timeline that all bridges on these books share: lines that they tell, and lines of the books themselves. */
import type pg from 'pg';
import {
  boundedFacts,
  boundedSentence,
  type Facts,
  type FactsOf,
  type Happening,
  KINDS,
  type Kind,
} from '../bridge/timeline/happenings.js';
import type { KeptLine, LinesAsked, TimelineBook } from '../bridge/timeline/timeline.js';
import { loginText } from '../core/names.js';
import { isDataError } from './database/errors.js';
import { inTransaction, quickQuery } from './database/transaction.js';

/** Any constant: who puts lines in holds this advisory lock, so that they become visible in the order of their numbers. */
const TIMELINE_LOCK = 0x5b_11e5;

/**
 * Lines that are kept of each kind, and as many of those of it that somebody ordered: none is pushed out by another kind, and no order
 * by what nobody ordered, however many come of that.
 */
export const LINES_OF_A_KIND = 20_000;
const HIGHEST = '9223372036854775807';
/** Of each kind, and of one step. */
const PRUNED_AT_ONCE = 1_000;
/** Who reads has lost patience by then. */
const READ_MS = 3_000;

export function timelineBook(pool: pg.Pool): TimelineBook {
  return {
    writeLines: (lines) => writeLines(pool, lines),
    readLines: (asked) => readLines(pool, asked),
    linesAfter: (id, limit) => linesAfter(pool, id, limit),
    newestId: () => newestId(pool),
    hasBlock: (kinds, hash) => hasBlock(pool, kinds, hash),
  };
}

/**
 * A line of the books themselves, in the transaction that makes it true: it is told exactly once, whoever does that. To be the
 * last statement of it, since all who tell wait for each other.
 */
export async function tellInBooks<K extends Kind>(
  client: pg.ClientBase,
  kind: K,
  says: string,
  facts: FactsOf<K>,
  by?: string,
): Promise<void> {
  const line = { kind, says: boundedSentence(says), facts: boundedFacts(facts), instance: null };
  await insertLines(client, [{ ...line, by: by === undefined ? null : boundedSentence(by) }]);
}

/** Lines that the database refuses for what is in them would keep all later ones waiting: they are left out and counted. */
async function writeLines(pool: pg.Pool, lines: readonly Happening[]): Promise<number> {
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

type NewLine = Pick<Happening, 'kind' | 'says' | 'facts' | 'instance' | 'by'> & Partial<Happening>;

async function insertLines(client: pg.ClientBase, lines: readonly NewLine[]): Promise<void> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [TIMELINE_LOCK]);
  const told = lines.map(({ atMs, ...line }) => ({
    ...line,
    at: atMs === undefined ? undefined : new Date(atMs).toISOString(),
  }));
  await client.query(INSERT_LINES, [JSON.stringify(told)]);
}

const INSERT_LINES = `
  INSERT INTO happening (run, number, happened_at, kind, says, facts, instance, ordered_by)
    SELECT coalesce((line ->> 'run')::uuid, gen_random_uuid()), coalesce((line ->> 'number')::bigint, 1),
           coalesce((line ->> 'at')::timestamptz, now()), line ->> 'kind', line ->> 'says', line -> 'facts',
           (line ->> 'instance')::integer, line ->> 'by'
    FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS u (line, place) ORDER BY place
  ON CONFLICT (run, number) DO NOTHING`;

const COLUMNS = `id, run, number, (extract(epoch FROM happened_at) * 1000)::float8 AS at_ms, kind, says, facts, instance,
  ordered_by`;

const WANTED = `($2::bigint IS NULL OR id < $2) AND ($3::float8 IS NULL OR happened_at >= to_timestamp($3 / 1000))
  AND ($4::text[] IS NULL OR kind = ANY ($4))`;

/** $1: how many, $2: before which id, $3: since when, $4: of which kinds; null for all. */
const LINES = `SELECT ${COLUMNS} FROM happening WHERE ${WANTED} ORDER BY id DESC LIMIT $1`;

/** $5: a login, $6: its account. What is told of either is read from its newest line on, as an index has it. */
export const LINES_OF_RIG = `
  SELECT * FROM (
    (SELECT ${COLUMNS} FROM happening WHERE ${WANTED} AND login_of(facts) = $5 ORDER BY id DESC LIMIT $1)
    UNION ALL
    (SELECT ${COLUMNS} FROM happening WHERE ${WANTED} AND login_of(facts) = $6 AND $5 <> $6
       AND 'account' IN (facts ->> 'of', facts ->> 'to') ORDER BY id DESC LIMIT $1)) AS lines
  ORDER BY id DESC LIMIT $1`;

async function readLines(
  pool: pg.Pool,
  { limit, before, sinceMs, kinds, login }: LinesAsked,
): Promise<KeptLine[]> {
  const values = [limit, before ?? null, sinceMs ?? null, kinds ?? null];
  const { rows } = login
    ? await quickQuery<LineRow>(pool, LINES_OF_RIG, [...values, loginText(login), login.account], READ_MS)
    : await quickQuery<LineRow>(pool, LINES, values, READ_MS);
  return rows.map(lineFrom);
}

async function linesAfter(pool: pg.Pool, id: number, limit: number): Promise<KeptLine[]> {
  const { rows } = await quickQuery<LineRow>(
    pool,
    `SELECT ${COLUMNS} FROM happening WHERE id > $1 ORDER BY id LIMIT $2`,
    [id, limit],
    READ_MS,
  );
  return rows.map(lineFrom);
}

async function newestId(pool: pg.Pool): Promise<number> {
  const text = 'SELECT coalesce(max(id), 0) AS id FROM happening';
  const { rows } = await quickQuery<{ id: string }>(pool, text, [], READ_MS);
  return Number(rows[0]?.id ?? 0);
}

/** Of a kind there are no more lines than can be looked through. */
async function hasBlock(pool: pg.Pool, kinds: readonly Kind[], hash: string): Promise<boolean> {
  const text = "SELECT EXISTS (SELECT FROM happening WHERE kind = ANY ($1) AND facts ->> 'hash' = $2) AS has";
  const { rows } = await quickQuery<{ has: boolean }>(pool, text, [kinds, hash], READ_MS);
  return rows[0]?.has === true;
}

/** One step of upkeep. No clock decides what goes, and no flood of one kind pushes out another. */
export async function pruneTimeline(pool: pg.Pool, kept = LINES_OF_A_KIND): Promise<void> {
  for (const which of PRUNED) await pool.query(pruneOf(which), [KINDS, kept, PRUNED_AT_ONCE]);
}

export const PRUNED = ['ordered_by IS NULL', 'ordered_by IS NOT NULL'] as const;

/**
 * Kind and id are compared as pairs, so that an index by kind is read and nothing else: by id alone the way to the lines of one kind
 * leads through those of all others. What another bridge takes away now is passed over.
 */
export const pruneOf = (which: (typeof PRUNED)[number]): string => `
  DELETE FROM happening WHERE id = ANY (ARRAY (
    SELECT old.id FROM unnest($1::text[]) AS k (kind)
    CROSS JOIN LATERAL (
      SELECT id FROM happening WHERE (kind, id) > (k.kind, 0) AND (kind, id) <= (k.kind, ${HIGHEST}) AND ${which}
      ORDER BY kind DESC, id DESC OFFSET $2 LIMIT 1) last
    CROSS JOIN LATERAL (
      SELECT h.id FROM happening h WHERE (h.kind, h.id) > (k.kind, 0) AND (h.kind, h.id) <= (k.kind, last.id) AND ${which}
      ORDER BY h.kind, h.id LIMIT $3 FOR UPDATE SKIP LOCKED) old))`;

interface LineRow {
  readonly id: string;
  readonly run: string;
  readonly number: string;
  readonly at_ms: number;
  readonly kind: string;
  readonly says: string;
  readonly facts: Facts;
  readonly instance: number | null;
  readonly ordered_by: string | null;
}

function lineFrom(row: LineRow): KeptLine {
  const { id, run, number, at_ms, kind, says, facts, instance, ordered_by } = row;
  const place = { id: Number(id), run, number: Number(number), atMs: Math.round(at_ms) };
  return { ...place, kind, says, facts, instance, by: ordered_by };
}
