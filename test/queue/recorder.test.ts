/** A recorder whose ledger is away, and entries that it cannot read. */
import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ShareEntry } from '../../src/bridge/ports.js';
import { type Log, SILENT } from '../../src/core/log.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { createEntryQueue, ENTRY_OPTIONS, type QueueConnection } from '../../src/queue/connection.js';
import { type EncodedEntry, encodeEntry, entryKey } from '../../src/queue/entry.js';
import { Producer } from '../../src/queue/producer.js';
import { startShareRecorder } from '../../src/queue/share-recorder.js';
import { useBooks } from '../helpers/books.js';
import { type Gate, openGate } from '../helpers/gate.js';
import { findRedis, startTestRedis, type TestRedis } from '../helpers/redis.js';
import { makeShare } from '../helpers/shares.js';

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
  const producer = new Producer(connection, SILENT, 20_000);
  await producer.addAll(entries);
  await producer.close();
}

async function jobOf(connection: QueueConnection, id: string): Promise<SeenJob | undefined> {
  const queue = createEntryQueue(connection);
  return queue.getJob(id).finally(() => queue.close()) as Promise<SeenJob | undefined>;
}

function entries(count: number): EncodedEntry[] {
  const producer = randomUUID();
  return Array.from({ length: count }, (_, i) =>
    encodeEntry({ id: { producer, number: i + 1 }, shares: [makeShare()], rejections: [] }),
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
  const queue = createEntryQueue(ways.postgres());
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
  const producer = new Producer(connection, SILENT, 20_000);
  expect((await producer.counts()).waiting).toBe(1);
  const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
  await expect.poll(async () => (await producer.counts()).waiting).toBe(0);
  await recorder.close();
  await producer.close();
});

for (const [name, connection] of Object.entries(ways)) {
  describe.skipIf(name === 'redis' && redisIsMissing)(`a recorder on ${name}`, () => {
    it('B6: holds on to its entries while the ledger is away, and leaves no trace of the attempts', async () => {
      const before = (await books.ledger.totals()).shares;
      const { ledger, gate } = await gatedLedger();
      await gate.shut();
      let attempts = 0;
      const counting = {
        recordEntry: (entry: ShareEntry) => {
          attempts++;
          return ledger.recordEntry(entry);
        },
      };
      const { log, said } = sayingLog();
      const recorder = startShareRecorder({ connection: connection(), ledger: counting, log });
      onTestFinished(() => recorder.close());
      const added = entries(12);
      await addAll(connection(), added);
      await expect.poll(() => attempts).toBeGreaterThan(16);
      // Four at a time are tried; nothing is written to the queue about it.
      for (const { id } of added.slice(0, 4)) {
        const job = await jobOf(connection(), entryKey({ producer: id[0], number: id[1] }));
        expect([job?.attemptsMade, job?.stacktrace ?? []]).toEqual([0, []]);
      }
      expect(said.filter((words) => words === 'entries wait for the ledger')).toHaveLength(1);
      await gate.open();
      await expect.poll(async () => (await books.ledger.totals()).shares).toBe(before + 12);
      await recorder.close();
      await ledger.close();
      await gate.shut();
    });

    it('B6: keeps one trace of an entry that version 0.1 queued, which set no limit', async () => {
      const recorder = startShareRecorder({ connection: connection(), ledger: books.ledger, log: SILENT });
      onTestFinished(() => recorder.close());
      const [entry] = entries(1);
      const key = entryKey({ producer: entry?.id[0] ?? '', number: 1 });
      const { stackTraceLimit: _, ...options } = ENTRY_OPTIONS;
      const queue = createEntryQueue(connection());
      queue.on('error', () => {}); // the add rejects
      await queue.add('entry', { ...entry, v: 2 } as never, { ...options, jobId: key });
      const seen = async (): Promise<SeenJob | undefined> =>
        queue.getJob(key) as Promise<SeenJob | undefined>;
      await expect.poll(async () => (await seen())?.attemptsMade ?? 0).toBeGreaterThan(2);
      expect((await seen())?.stacktrace).toHaveLength(1);
      await recorder.close();
      await ((await queue.getJob(key)) as { remove(): Promise<void> }).remove();
      await queue.close();
    });

    it('B10: tries an entry of a later version again, loudly, and keeps one trace of it', async () => {
      const { log, said } = sayingLog();
      const recorder = startShareRecorder({ connection: connection(), ledger: books.ledger, log });
      onTestFinished(() => recorder.close());
      const [entry] = entries(1);
      await addAll(connection(), [{ ...entry, v: 2 } as never]);
      const key = entryKey({ producer: entry?.id[0] ?? '', number: 1 });
      const seen = async (): Promise<SeenJob | undefined> => jobOf(connection(), key);
      await expect.poll(async () => (await seen())?.attemptsMade ?? 0).toBeGreaterThan(2);
      expect((await seen())?.stacktrace).toHaveLength(1);
      expect(said).toEqual(['entries of a later version wait in the queue; they are tried again']);
      const producer = new Producer(connection(), SILENT, 20_000);
      expect(await producer.counts()).toEqual({ waiting: 1, failed: 0 });
      await producer.close();
    });
  });
}
