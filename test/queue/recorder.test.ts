/** A recorder whose ledger is away, and entries that it cannot read. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ShareEntry } from '../../src/bridge/ports.js';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { dropSetAside, listSetAside } from '../../src/ledger/recording/set-aside.js';
import { createQueue, type QueueConnection } from '../../src/queue/bullmq/connection.js';
import { EntryQueue } from '../../src/queue/bullmq/entry-queue.js';
import { startShareRecorder } from '../../src/queue/recording/recorder.js';
import { type EncodedEntry, encodeEntry, entryKey, SHARES } from '../../src/queue/shipping/entry.js';
import { useBooks } from '../helpers/books/books.js';
import { findRedis, startTestRedis, type TestRedis } from '../helpers/books/redis.js';
import { type Gate, openGate } from '../helpers/processes/gate.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';

const redisIsMissing = (await findRedis()) !== undefined;
const books = useBooks();
let redis: TestRedis | undefined;

beforeAll(async () => {
  if (!redisIsMissing) redis = await startTestRedis();
});
afterAll(() => redis?.close());

const ways: Record<'postgres' | 'redis', () => QueueConnection> = {
  postgres: () => ({ backend: 'postgres', connectionString: books.connectionString }),
  redis: () => ({ backend: 'redis', url: redis?.url ?? '' }),
};

interface SeenJob {
  readonly attemptsMade: number;
  readonly stacktrace: readonly string[] | null;
}

async function addAll(connection: QueueConnection, entries: readonly EncodedEntry[]): Promise<void> {
  const adder = new EntryQueue(connection, SILENT, 20_000);
  for (const entry of entries) await adder.add(entry);
  await adder.close();
}

async function jobOf(connection: QueueConnection, id: string): Promise<SeenJob | undefined> {
  const queue = createQueue(SHARES, connection);
  return queue.getJob(id).finally(() => queue.close()) as Promise<SeenJob | undefined>;
}

function entries(count: number): EncodedEntry[] {
  const log = randomUUID();
  return Array.from({ length: count }, (_, i) =>
    encodeEntry(entryOf({ id: { log, number: i + 1 }, shares: [makeShare()], rejections: [] })),
  );
}

async function gatedLedger(): Promise<{ ledger: Ledger; gate: Gate }> {
  const gate = await openGate(Number(new URL(books.connectionString).port));
  const url = new URL(books.connectionString);
  url.port = String(gate.port);
  return { ledger: await openLedger({ connectionString: url.href, log: SILENT }), gate };
}

function sayingLog(): { log: Log; said: string[] } {
  const said: string[] = [];
  const say = (_fields: object, message: string): void => void said.push(message);
  return { said, log: { ...SILENT, warn: say, error: say } };
}

it('B13: gives no statement of the queue longer on the server than is waited for', async () => {
  const queue = createQueue(SHARES, ways.postgres());
  await queue.waitUntilReady();
  const { pool } = (queue as unknown as { backend: { connection: { pool: pg.Pool } } }).backend.connection;
  const shown =
    "SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle";
  expect((await pool.query(shown)).rows).toEqual([{ statement: '8s', idle: '1min' }]);
  expect(pool.options.query_timeout).toBe(10_000);
  await queue.close();
});

it('B13: finds the queue beside the options of a URL', async () => {
  const url = new URL(books.connectionString);
  url.searchParams.set('options', '-c work_mem=7MB');
  const connection: QueueConnection = { backend: 'postgres', connectionString: url.href };
  await addAll(connection, entries(1));
  const adder = new EntryQueue(connection, SILENT, 20_000);
  expect((await adder.counts()).waiting).toBe(1);
  const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
  await expect.poll(async () => (await adder.counts()).waiting).toBe(0);
  await recorder.close();
  await adder.close();
});

const READY = Buffer.from('5a0000000549', 'hex');
const NOTHING = Buffer.alloc(0);

/** Before the database: it ends some connections as soon as they stand, and who asked hears both at once. */
async function openBreaker(breaks: (number: number) => boolean): Promise<{ port: number; broken(): number }> {
  const end = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = $1';
  let [connections, broken] = [0, 0];
  const server = createServer((near) => {
    const far = connect(Number(new URL(books.connectionString).port), '127.0.0.1');
    let hasToBreak = breaks(++connections);
    let held = NOTHING;
    far.on('data', (chunk) => {
      if (held.length > 0) held = Buffer.concat([held, chunk]);
      else if (hasToBreak && chunk.includes(READY)) {
        held = chunk;
        hasToBreak = false;
        void books.pool.query(end, [far.localPort]);
      } else near.write(chunk);
    });
    far.on('close', () => {
      if (held.length > 0) broken++;
      near.end(held);
    });
    near.on('data', (chunk) => far.write(chunk)).on('close', () => far.destroy());
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, broken: () => broken };
}

it('outlives connections that are broken in the moment they stand', async () => {
  const before = (await books.ledger.totals()).shares;
  // The first one is asked whether the queue is there.
  const breaker = await openBreaker((number) => number > 1 && number < 8);
  const url = new URL(books.connectionString);
  url.port = String(breaker.port);
  const connection: QueueConnection = { backend: 'postgres', connectionString: url.href };
  const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
  onTestFinished(() => recorder.close());
  await expect.poll(breaker.broken).toBeGreaterThan(3);
  await addAll(ways.postgres(), entries(3));
  await expect.poll(async () => (await books.ledger.totals()).shares).toBe(before + 3);
});

for (const [name, connection] of Object.entries(ways)) {
  describe.skipIf(name === 'redis' && redisIsMissing)(`a recorder on ${name}`, () => {
    it('B6: holds on to its entries while the ledger is away, and leaves no trace of the attempts', async () => {
      const before = (await books.ledger.totals()).shares;
      const { ledger, gate } = await gatedLedger();
      await gate.shut();
      let attempts = 0;
      const counting = {
        recordEntries: (some: readonly ShareEntry[]) => {
          attempts++;
          return ledger.recordEntries(some);
        },
      };
      const { log, said } = sayingLog();
      const recorder = startShareRecorder({ connection: connection(), ledger: counting, log });
      onTestFinished(() => recorder.close());
      const added = entries(12);
      await addAll(connection(), added);
      await expect.poll(() => attempts).toBeGreaterThan(3);
      // All of them are tried together; nothing is written to the queue about it.
      for (const { id } of added.slice(0, 4)) {
        const job = await jobOf(connection(), entryKey({ log: id[0], number: id[1] }));
        expect([job?.attemptsMade, job?.stacktrace ?? []]).toEqual([0, []]);
      }
      expect(said.filter((words) => words === 'entries wait for the ledger')).toHaveLength(1);
      await gate.open();
      await expect.poll(async () => (await books.ledger.totals()).shares).toBe(before + 12);
      await recorder.close();
      await ledger.close();
      await gate.shut();
    });

    it('books many entries together, each once, in whatever order and however often they come', async () => {
      const before = (await books.ledger.totals()).shares;
      const added = entries(300);
      const [log = ''] = added[0]?.id ?? [];
      await addAll(connection(), added.toReversed());
      let calls = 0;
      const counting = {
        recordEntries: (some: readonly ShareEntry[]) => {
          calls++;
          return books.ledger.recordEntries(some);
        },
      };
      const recorders = [1, 2].map(() =>
        startShareRecorder({ connection: connection(), ledger: counting, log: SILENT }),
      );
      onTestFinished(async () => void (await Promise.all(recorders.map((recorder) => recorder.close()))));
      await expect.poll(async () => (await books.ledger.totals()).shares).toBe(before + 300);
      expect(calls).toBeLessThan(300);
      const again = new EntryQueue(connection(), SILENT, 20_000);
      await expect.poll(async () => (await again.counts()).waiting).toBe(0);
      for (const entry of added.slice(0, 40)) await again.add(entry);
      // On a busy machine the queue brings some twice by itself.
      const repeated = (): number => recorders.reduce((sum, { counts }) => sum + counts.repeated, 0);
      await expect.poll(repeated).toBeGreaterThanOrEqual(40);
      await again.close();
      expect((await books.ledger.totals()).shares).toBe(before + 300);
      const { rows } = await books.pool.query('SELECT numbers::text, shares::int FROM log WHERE id = $1', [
        log,
      ]);
      expect(rows).toEqual([{ numbers: '{[1,301)}', shares: 300 }]);
    });

    it('B1: books all but one poisoned row of many entries that come together', async () => {
      const before = (await books.ledger.totals()).shares;
      const added = entries(40);
      const bad = added[17] ?? expect.fail();
      await addAll(connection(), added.with(17, { ...bad, rigs: [['k:a', 'poison']] }));
      await books.pool.query("ALTER TABLE rig ADD CONSTRAINT no_poison CHECK (name <> 'poison')");
      const recorder = startShareRecorder({ connection: connection(), ledger: books.ledger, log: SILENT });
      onTestFinished(() => recorder.close());
      await expect.poll(() => recorder.counts.recorded).toBe(40);
      await books.pool.query('ALTER TABLE rig DROP CONSTRAINT no_poison');
      expect((await books.ledger.totals()).shares).toBe(before + 39);
      const parts = await listSetAside(books.pool, 10);
      expect(parts).toMatchObject([{ rig: 'poison', shares: 1 }]);
      await dropSetAside(books.pool, parts[0]?.id ?? '', 'anna');
    });

    it('B10: tries an entry of a later version again, loudly, and keeps one trace of it', async () => {
      const { log, said } = sayingLog();
      const recorder = startShareRecorder({ connection: connection(), ledger: books.ledger, log });
      onTestFinished(() => recorder.close());
      const [entry] = entries(1);
      await addAll(connection(), [{ ...entry, v: 4 } as never]);
      const key = entryKey({ log: entry?.id[0] ?? '', number: 1 });
      const seen = async (): Promise<SeenJob | undefined> => jobOf(connection(), key);
      await expect.poll(async () => (await seen())?.attemptsMade ?? 0).toBeGreaterThan(2);
      expect((await seen())?.stacktrace).toHaveLength(1);
      expect(said).toEqual(['entries of a later version wait in the queue; they are tried again']);
      const adder = new EntryQueue(connection(), SILENT, 20_000);
      expect(await adder.counts()).toEqual({ waiting: 1, failed: 0 });
      await adder.close();
    });
  });
}
