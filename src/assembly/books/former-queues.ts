/**
 * Remembers in the folder of the bridge which queue was used, and says at a start what still waits in another one: a bridge that is
 * given a Redis, or another database, would leave behind what no recorder had taken yet.
 *
 *     queues.json    places without credentials, with the entries that waited when they were last looked into
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { z } from 'zod';
import { type Log, SILENT } from '../../core/names/log.js';
import { writeDurably } from '../../files/write-durably.js';
import { countQueued, countQueuedAt } from '../../ledger/database/queue-tables.js';
import { hasEmbeddedPostgres } from '../../ledger/embedded/embedded.js';
import { type QueueConnection, within } from '../../queue/bullmq/connection.js';
import { EntryQueue } from '../../queue/bullmq/entry-queue.js';

const PLACE = z.object({
  /** `redis://host:6379/0`, `postgres://host/database`, or `embedded`. */
  queue: z.string(),
  /** `null`: nobody could tell. */
  entries: z.number().nullable(),
});
const FILE = z.object({ v: z.literal(1), current: PLACE, former: z.array(PLACE) });

type Place = z.infer<typeof PLACE>;

interface FormerQueuesOptions {
  /** Of this bridge. */
  readonly folder: string;
  /** Where the embedded PostgreSQL would be. */
  readonly dataDir: string;
  readonly connection: QueueConnection;
  /** Of the ledger; absent for the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  readonly pool: pg.Pool;
  readonly log: Log;
  /** How long an answer of any of them is waited for. */
  readonly patienceMs?: number;
}

interface FormerQueues {
  /** Resolves when every other queue was looked into. */
  readonly looked: Promise<void>;
  /** Notes what waits in the queue in use. */
  close(): Promise<void>;
}

const EMBEDDED = 'embedded';
/** PostgreSQL's client takes more than URLs. */
const UNREADABLE = 'unreadable';
const TIMEOUT_MS = 2000;
const CLOSE_TIMEOUT_MS = 1000;
/** More would be an endless list of tries. */
const MAX_FORMER = 10;

/** Looks while the start goes on. */
export async function rememberQueue(options: FormerQueuesOptions): Promise<FormerQueues> {
  const { folder, dataDir, connection, databaseUrl, log } = options;
  const path = join(folder, 'queues.json');
  const ledger = databaseUrl === undefined ? EMBEDDED : placeOf(databaseUrl);
  const queue = connection.backend === 'redis' ? placeOf(connection.url) : ledger;
  const memory = await read(path, log);
  const candidates = [
    ...(memory ? [memory.current, ...memory.former] : []),
    ...(await placesOfBefore(dataDir, ledger)),
  ];
  const others = new Map<string, Place>();
  // What was written down, the latest first, says more of a place than that it is there.
  for (const one of candidates) if (one.queue !== queue && !others.has(one.queue)) others.set(one.queue, one);
  let former = [...others.values()].slice(0, MAX_FORMER);
  await write(path, { current: { queue, entries: null }, former }, log);
  const lookAtAll = async (): Promise<void> => {
    const looked = await Promise.all(former.map((place) => lookInto(place, ledger, options)));
    former = looked.flatMap((place) => place ?? []);
    await write(path, { current: { queue, entries: null }, former }, log);
  };
  const looked = lookAtAll();
  return {
    looked,
    close: async () => {
      await looked;
      // Unknown is said at the next start too, and a queue that is away must not hold up the end.
      const entries = await countIn(connection, options.patienceMs ?? CLOSE_TIMEOUT_MS).catch(() => null);
      await write(path, { current: { queue, entries }, former }, log);
    },
  };
}

/** Those that may hold a queue of before there was this file. */
async function placesOfBefore(dataDir: string, ledger: string): Promise<Place[]> {
  const places: Place[] = [{ queue: ledger, entries: 0 }];
  // One that cannot be used has nothing to say here.
  const isThere = ledger !== EMBEDDED && (await hasEmbeddedPostgres(dataDir).catch(() => false));
  if (isThere) places.push({ queue: EMBEDDED, entries: null });
  return places;
}

/** `undefined` when it is known to be empty, and need not be remembered for that. */
async function lookInto(
  place: Place,
  ledger: string,
  options: FormerQueuesOptions,
): Promise<Place | undefined> {
  const { log } = options;
  const { queue } = place;
  try {
    const entries = await entriesIn(queue, ledger, options);
    if (entries === 0) return undefined;
    const words = 'shares of earlier starts wait in another queue: a recorder with these settings books them';
    log.warn({ queue, entries }, words);
    return { queue, entries };
  } catch (error) {
    if (place.entries === 0) return queue === EMBEDDED ? place : undefined;
    const entries = place.entries ?? 'unknown';
    log.warn({ queue, entries, error: (error as Error).message }, wordsOf(queue));
    return place;
  }
}

function wordsOf(queue: string): string {
  const remedy =
    queue === EMBEDDED
      ? 'start the bridge once without ledger.databaseUrl and queue.redisUrl'
      : 'start a recorder with its settings';
  return `an earlier start used another queue, which cannot be looked into: ${remedy} to book what it holds`;
}

async function entriesIn(queue: string, ledger: string, options: FormerQueuesOptions): Promise<number> {
  const { connection, databaseUrl, pool, patienceMs = TIMEOUT_MS } = options;
  if (queue === ledger) return within(patienceMs, countQueued(pool));
  if (queue === UNREADABLE) throw new Error('its address is no URL');
  if (queue === EMBEDDED)
    throw new Error('it is the embedded PostgreSQL of this data directory, which does not run');
  const given = [connection.backend === 'redis' ? connection.url : '', databaseUrl ?? ''];
  const url = withCredentials(queue, given);
  if (queue.startsWith('redis')) return countIn({ backend: 'redis', url, asItIs: true }, patienceMs);
  return countQueuedAt(url, patienceMs);
}

async function countIn(connection: QueueConnection, timeoutMs: number): Promise<number> {
  const adder = new EntryQueue(connection, SILENT, timeoutMs);
  const { waiting, failed } = await adder.counts().finally(() => adder.close());
  return waiting + failed;
}

/** Without user, password and options. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return UNREADABLE;
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}

/** Those of a given URL that leads to the same server: nothing else is known of the other's. */
function withCredentials(place: string, given: readonly string[]): string {
  const url = new URL(place);
  for (const text of given) {
    const known = URL.canParse(text) ? new URL(text) : undefined;
    if (known?.host !== url.host || known.protocol !== url.protocol) continue;
    known.pathname = url.pathname;
    return known.href;
  }
  return place;
}

async function read(path: string, log: Log): Promise<z.infer<typeof FILE> | undefined> {
  try {
    return FILE.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn(
        { path, error: (error as Error).message },
        'which queue was used last cannot be read; it is written anew',
      );
    return undefined;
  }
}

/** A disk that is full must not stop a bridge for this. */
async function write(path: string, memory: Omit<z.infer<typeof FILE>, 'v'>, log: Log): Promise<void> {
  const text = `${JSON.stringify({ v: 1, ...memory })}\n`;
  await writeDurably(path, text).catch((error: Error) => {
    log.warn({ path, error: error.message }, 'which queue is used cannot be written down');
  });
}
