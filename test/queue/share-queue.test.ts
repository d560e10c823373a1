/** The way of shares over disk and queue to the books, with either backend, whatever of it is away. */
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Log, SILENT } from '../../src/core/names/log.js';
import { giveUpEntry } from '../../src/ledger/recording/logs.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { type EntryAdder, EntryQueue } from '../../src/queue/bullmq/entry-queue.js';
import { FailedEntries } from '../../src/queue/recording/failed-entries.js';
import { type ShareRecorder, startShareRecorder } from '../../src/queue/recording/recorder.js';
import {
  openShareQueue,
  SHARE_QUEUE_LIMITS,
  type ShareQueue,
  type ShareQueueLimits,
  type ShareQueueOptions,
} from '../../src/queue/share-queue.js';
import { encodeEntry } from '../../src/queue/shipping/entry.js';
import { useBooks } from '../helpers/books/books.js';
import { withTemporaryFolder } from '../helpers/books/postgres.js';
import { findRedis, startTestRedis, type TestRedis } from '../helpers/books/redis.js';
import { type Gate, openGate } from '../helpers/processes/gate.js';
import { append, entryOf, makeShare } from '../helpers/rigs/shares.js';

const CHILD = new URL('../../dist/test/queue/crashing-bridge.js', import.meta.url);
const redisIsMissing = (await findRedis()) !== undefined;

const books = useBooks();
let redis: TestRedis | undefined;

beforeAll(async () => {
  if (!redisIsMissing) redis = await startTestRedis();
});

afterAll(async () => {
  await redis?.close();
});

function through(gate: Gate, text: string): string {
  const url = new URL(text);
  url.port = String(gate.port);
  return url.href;
}

/** Ends with its test at the latest: where that fails, it takes nothing from the next. */
function record(connection: QueueConnection): ShareRecorder {
  const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
  onTestFinished(() => recorder.close());
  return recorder;
}

async function untilCredited(shares: number): Promise<void> {
  await expect.poll(async () => (await books.ledger.totals()).shares).toBe(shares);
}

interface Way {
  readonly name: 'postgres' | 'redis';
  /** As the recorders see it. */
  connection(): QueueConnection;
  /** The same through a gate. */
  gated(): Promise<{ connection: QueueConnection; gate: Gate }>;
}

const ways: Way[] = [
  {
    name: 'postgres',
    connection: () => ({ backend: 'postgres', connectionString: books.connectionString }),
    gated: async () => {
      const gate = await openGate(Number(new URL(books.connectionString).port));
      return {
        gate,
        connection: { backend: 'postgres', connectionString: through(gate, books.connectionString) },
      };
    },
  },
  {
    name: 'redis',
    connection: () => ({ backend: 'redis', url: redis?.url ?? '' }),
    gated: async () => {
      const gate = await openGate(Number(new URL(redis?.url ?? '').port));
      return { gate, connection: { backend: 'redis', url: through(gate, redis?.url ?? '') } };
    },
  },
];

interface Opened extends Partial<Pick<ShareQueueOptions, 'durability' | 'log' | 'queue'>> {
  readonly limits?: Partial<ShareQueueLimits>;
}

function open(
  connection: QueueConnection,
  dataDir: string,
  { limits, ...rest }: Opened = {},
): Promise<ShareQueue> {
  return openShareQueue({
    ...{
      connection,
      folder: dataDir,
      ledger: books.ledger,
      place: 'test',
      log: SILENT,
      newLogId: randomUUID,
      ...rest,
    },
    limits: { ...SHARE_QUEUE_LIMITS, shipMs: 50, renewMs: 100, keepMs: 0, addTimeoutMs: 5000, ...limits },
  });
}

function appendMany(queue: ShareQueue, count: number): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, i) => append(queue, makeShare({ rig: `r${i % 7}` }))));
}

/** A queue that is away. */
const takesNothing: EntryAdder = {
  add: () => Promise.reject(new Error('away')),
  counts: () => Promise.reject(new Error('away')),
  close: async () => {},
};

const segments = async (dataDir: string): Promise<string[]> =>
  (await readdir(join(dataDir, 'shares')))
    .filter((name) => name.endsWith('.shares'))
    .map((name) => name.replace(/^.*-/, ''));

for (const way of ways) {
  describe.skipIf(way.name === 'redis' && redisIsMissing)(`share queue on ${way.name}`, () => {
    it('brings every share to the books once, with two recorders, and forgets what is booked', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const queue = await open(way.connection(), dataDir, { limits: { segmentBytes: 5000 } });
        const recorders = [1, 2].map(() => record(way.connection()));
        for (let i = 0; i < 10; i++) await appendMany(queue, 123);
        await untilCredited(before + 1230);
        // What is booked is taken off the queue a moment later, and so it goes from the log.
        const done = { backend: way.name, isUp: true, failed: 0, heldBack: 0, unshipped: 0, oldestMs: 0 };
        await expect.poll(() => queue.stats()).toMatchObject(done);
        await expect.poll(async () => (await queue.stats()).logBytes).toBeLessThan(12_000);
        await queue.close();
        await Promise.all(recorders.map((recorder) => recorder.close()));
        const log = await books.pool.query(
          'SELECT shares::int, declared_shares::int, work = declared_work AS same FROM log WHERE id = $1',
          [queue.logId],
        );
        expect(log.rows).toEqual([{ shares: 1230, declared_shares: 1230, same: true }]);
      }));

    it('LQ16: what the disk does not give of an earlier start holds up neither this one nor its shares', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const said: string[] = [];
        const log = { ...SILENT, error: (_fields: object, words: string) => void said.push(words) };
        const first = await open(way.connection(), dataDir, { queue: takesNothing });
        await appendMany(first, 3);
        await first.close(200);
        const [name = ''] = (await readdir(join(dataDir, 'shares'))).filter((one) => one.endsWith('.shares'));
        const [path, aside] = [join(dataDir, 'shares', name), join(dataDir, 'aside')];
        // It is there at the start, and cannot be read then.
        const second = await open(way.connection(), dataDir, { log });
        await rename(path, aside);
        await mkdir(path);
        const recorder = record(way.connection());
        await appendMany(second, 5);
        await untilCredited(before + 5);
        await second.close();
        // It cannot be read at the start.
        const third = await open(way.connection(), dataDir, { log });
        await appendMany(third, 2);
        await untilCredited(before + 7);
        await third.close();
        expect(said).toContainEqual(expect.stringContaining('its log stays where it is'));
        await rm(path, { recursive: true });
        await rename(aside, path);
        const last = await open(way.connection(), dataDir);
        await untilCredited(before + 10);
        await last.close();
        await recorder.close();
      }));

    it('LQ13: what a copy of its data directory brought in its place is kept, and told, until somebody drops it', () =>
      withTemporaryFolder(async (folder) => {
        const [dataDir, copyDir] = [join(folder, 'one'), join(folder, 'copy')];
        const before = (await books.ledger.totals()).shares;
        const live = await open(way.connection(), dataDir, { limits: { shipMs: 60_000 } });
        // Its first entry is empty, and its second has what comes now.
        await expect.poll(async () => (await live.stats()).logBytes).toBeGreaterThan(200);
        await appendMany(live, 3);
        await cp(dataDir, copyDir, { recursive: true });
        const recorder = record(way.connection());
        const copy = await open(way.connection(), copyDir);
        await untilCredited(before + 3);
        await appendMany(live, 4);
        await live.close();
        const kept = async (): Promise<string[]> =>
          (await readdir(join(dataDir, 'shares'))).filter((name) => name.startsWith(live.logId));
        const again = await open(way.connection(), dataDir);
        await appendMany(again, 1);
        await untilCredited(before + 4);
        const failed = new FailedEntries(way.connection());
        onTestFinished(() => failed.close());
        const id = `${live.logId}-2`;
        const found = async () => (await failed.list(100)).find((one) => one.id === id);
        await expect.poll(found).toMatchObject({ shares: 7, total: { shares: 7, work: '7000' } });
        expect((await copy.stats()).failed).toBeGreaterThan(0);
        await copy.close();
        await again.close();
        expect(await kept()).toHaveLength(1);
        const dropped = (await failed.drop(id)) ?? expect.fail('it was kept');
        const named = { log: live.logId, number: 2 };
        await giveUpEntry(books.pool, named, { by: 'anna', ...dropped });
        const last = await open(way.connection(), dataDir);
        await expect.poll(kept).toEqual([]);
        await last.close();
        await recorder.close();
      }));

    it('credits an entry once that is delivered twice', async () => {
      const before = (await books.ledger.totals()).shares;
      const adder = new EntryQueue(way.connection(), SILENT, 20_000);
      const entry = encodeEntry(
        entryOf({ id: { log: randomUUID(), number: 1 }, shares: [makeShare(), makeShare()] }),
      );
      // What earlier tests left comes first.
      const recorder = record(way.connection());
      await expect.poll(async () => (await adder.counts()).waiting).toBe(0);
      const { recorded, repeated } = { ...recorder.counts };
      await adder.add(entry);
      await expect.poll(() => recorder.counts.recorded).toBeGreaterThan(recorded);
      // Added while the first is still in the queue, it would be taken for that one.
      await expect.poll(async () => (await adder.counts()).waiting).toBe(0);
      await adder.add(entry);
      await expect.poll(() => recorder.counts.repeated).toBeGreaterThan(repeated);
      expect((await books.ledger.totals()).shares).toBe(before + 2);
      await recorder.close();
      await adder.close();
    });

    it('ships what an earlier start left on disk, ends it, and forgets it once it is booked', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const { connection, gate } = await way.gated();
        await gate.shut();
        const first = await open(connection, dataDir, { limits: { addTimeoutMs: 500 } });
        for (let i = 0; i < 5; i++) await append(first, makeShare({ rig: `${i}` }));
        await first.close();
        expect(await segments(dataDir)).toEqual(['000001.shares']);
        await gate.open();
        const recorder = record(way.connection());
        const second = await open(connection, dataDir);
        await untilCredited(before + 5);
        await expect.poll(() => segments(dataDir)).toHaveLength(1);
        await second.close();
        await expect
          .poll(async () => {
            const ids = [first.logId, second.logId];
            const text = 'SELECT ended FROM log WHERE id = ANY ($1)';
            return (await books.pool.query(text, [ids])).rows;
          })
          .toEqual([{ ended: true }, { ended: true }]);
        await recorder.close();
        await gate.shut();
      }));

    it('B15: gives the queue no more entries than it may hold, and says so', () =>
      withTemporaryFolder(async (dataDir) => {
        const said: object[] = [];
        const log: Log = { ...SILENT, warn: (fields: object) => void said.push(fields) };
        const before = (await books.ledger.totals()).shares;
        const adder = new EntryQueue(way.connection(), SILENT, 20_000);
        const drainer = record(way.connection());
        await expect.poll(async () => (await adder.counts()).waiting).toBe(0);
        await drainer.close();
        const queue = await open(way.connection(), dataDir, { log, limits: { queueEntries: 2 } });
        for (let i = 1; i <= 2; i++) {
          await append(queue, makeShare());
          await expect.poll(async () => (await queue.stats()).waiting).toBeGreaterThanOrEqual(i);
        }
        await appendMany(queue, 7);
        await expect.poll(async () => (await queue.stats()).heldBack).toBeGreaterThanOrEqual(7);
        expect((await queue.stats()).waiting).toBe(2);
        expect(said).toContainEqual(
          expect.objectContaining({
            error: '2 entries wait in the queue already (queue.entries): does a recorder run?',
          }),
        );
        const recorder = record(way.connection());
        await untilCredited(before + 9);
        await queue.close();
        await recorder.close();
        await adder.close();
      }));

    it('with durability queue says true only when the queue has it too', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const { connection, gate } = await way.gated();
        const limits = { shipMs: 60_000, addTimeoutMs: 1000 };
        const queue = await open(connection, dataDir, { durability: 'queue', limits });
        for (let i = 0; i < 3; i++) await append(queue, makeShare());
        expect((await queue.stats()).unshipped).toBe(0);
        await gate.shut();
        let word = 'none';
        const doubtful = append(queue, makeShare()).then(
          () => (word = 'acknowledged'),
          () => (word = 'refused'),
        );
        await expect.poll(async () => (await queue.stats()).heldBack).toBe(1);
        const oldest = async (): Promise<number> => (await queue.stats()).oldestMs;
        const first = await oldest();
        // It is as old as it is, and grows older.
        expect(first).toBeLessThan(3_600_000);
        await expect.poll(oldest).toBeGreaterThan(first);
        expect(word).toBe('none');
        await gate.open();
        expect(await doubtful).toBe('acknowledged');
        const recorder = record(way.connection());
        await untilCredited(before + 4);
        // LQ17: what is on the disk at a stop will be in the books, and is not refused.
        await gate.shut();
        const last = append(queue, makeShare());
        await expect.poll(async () => (await queue.stats()).heldBack).toBe(1);
        await queue.close(1_000);
        await last;
        await gate.open();
        const next = await open(way.connection(), dataDir);
        await untilCredited(before + 5);
        await next.close();
        await recorder.close();
      }));

    it('loses nothing when its process is killed between logging and recording', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const child = fork(CHILD, [JSON.stringify(way.connection()), dataDir, await books.ledger.id()], {
          stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        });
        let acknowledged = 0;
        child.on('message', (count) => {
          acknowledged = Number(count);
          if (acknowledged > 300) child.kill('SIGKILL');
        });
        await once(child, 'exit');
        const recorder = record(way.connection());
        const queue = await open(way.connection(), dataDir);
        await expect
          .poll(async () => (await books.ledger.totals()).shares - before)
          .toBeGreaterThanOrEqual(acknowledged);
        await queue.close();
        await recorder.close();
      }));

    it('ends in time although its backend does not answer', () =>
      withTemporaryFolder(async (dataDir) => {
        const { connection, gate } = await way.gated();
        const queue = await open(connection, dataDir);
        const recorder = record(connection);
        await append(queue, makeShare({ account: 'end' }));
        await gate.shut();
        await append(queue, makeShare({ account: 'end' }));
        await Promise.all([queue.close(), recorder.close()]);
      }));
  });
}
