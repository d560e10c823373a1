import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { createEntryQueue, type QueueConnection } from '../../src/queue/connection.js';
import { encodeEntry } from '../../src/queue/entry.js';
import { Producer } from '../../src/queue/producer.js';
import { openShareQueue, SHARE_QUEUE_LIMITS, type ShareQueue } from '../../src/queue/share-queue.js';
import { type ShareRecorder, startShareRecorder } from '../../src/queue/share-recorder.js';
import { useBooks } from '../helpers/books.js';
import { type Gate, openGate } from '../helpers/gate.js';
import { withTemporaryFolder } from '../helpers/postgres.js';
import { findRedis, startTestRedis, type TestRedis } from '../helpers/redis.js';
import { makeShare } from '../helpers/shares.js';

const CHILD = new URL('../../dist/test/queue/crashing-producer.js', import.meta.url);
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

function open(connection: QueueConnection, dataDir: string, spoolBytes?: number): Promise<ShareQueue> {
  const spool = { totalBytes: spoolBytes ?? 10 ** 7, fileBytes: 5000 };
  // What takes longer is spooled too, and was not to be.
  const limits = { ...SHARE_QUEUE_LIMITS, sharesPerEntry: 10, addTimeoutMs: 5_000, spool };
  return openShareQueue({ connection, dataDir, log: SILENT, newProducerId: randomUUID, limits });
}

function appendMany(queue: ShareQueue, count: number): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, (_, i) => queue.append(makeShare({ rig: `r${i % 7}` }))));
}

for (const way of ways) {
  describe.skipIf(way.name === 'redis' && redisIsMissing)(`share queue on ${way.name}`, () => {
    it('brings every share to the books once, with two recorders', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const queue = await open(way.connection(), dataDir);
        const recorders = [1, 2].map(() => record(way.connection()));
        await appendMany(queue, 1234);
        await untilCredited(before + 1234);
        // What is credited is taken off the queue a moment later.
        const done = { backend: way.name, isUp: true, waiting: 0, failed: 0, spooled: 0 };
        await expect.poll(() => queue.stats()).toEqual(done);
        await queue.close();
        await Promise.all(recorders.map((recorder) => recorder.close()));
        const recorded = recorders.reduce((sum, { counts }) => sum + counts.recorded, 0);
        expect(recorded).toBeGreaterThanOrEqual(124);
      }));

    it('makes an entry of 500 shares, or of what came within 20 ms', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const connection = way.connection();
        const options = { connection, dataDir, log: SILENT, newProducerId: randomUUID };
        const queue = await openShareQueue({
          ...options,
          limits: { ...SHARE_QUEUE_LIMITS, gatherMs: 60_000 },
        });
        await appendMany(queue, 1000);
        expect((await queue.stats()).waiting).toBe(2);
        await queue.close();
        const hasty = await openShareQueue(options);
        await appendMany(hasty, 3);
        await hasty.append(makeShare());
        expect((await hasty.stats()).waiting).toBe(4);
        await hasty.close();
        const recorder = record(connection);
        await untilCredited(before + 1004);
        await recorder.close();
      }));

    it('credits an entry once that is delivered twice', async () => {
      const before = (await books.ledger.totals()).shares;
      const producer = new Producer(way.connection(), SILENT, 20_000);
      const entry = encodeEntry({
        id: { producer: randomUUID(), number: 1 },
        shares: [makeShare(), makeShare()],
        rejections: [],
      });
      const recorder = record(way.connection());
      await producer.add(entry);
      await expect.poll(() => recorder.counts.recorded).toBe(1);
      // Added while the first is still in the queue, it would be taken for that one.
      await expect.poll(async () => (await producer.counts()).waiting).toBe(0);
      await producer.add(entry);
      await expect.poll(() => recorder.counts.repeated).toBe(1);
      expect((await books.ledger.totals()).shares).toBe(before + 2);
      await recorder.close();
      await producer.close();
    });

    it('keeps shares on disk while the backend is away, and replays them when it is back', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const { connection, gate } = await way.gated();
        const queue = await open(connection, dataDir);
        await appendMany(queue, 20);
        await gate.shut();
        await appendMany(queue, 300);
        expect((await queue.stats()).spooled).toBe(30);
        await gate.open();
        await expect.poll(async () => (await queue.stats()).spooled).toBe(0);
        await appendMany(queue, 10);
        const recorder = record(way.connection());
        await untilCredited(before + 330);
        await recorder.close();
        await queue.close();
        await gate.shut();
      }));

    it('replays what an earlier run left on disk, before anything else and in order', () =>
      withTemporaryFolder(async (dataDir) => {
        const { connection, gate } = await way.gated();
        await gate.shut();
        const first = await open(connection, dataDir);
        for (let i = 0; i < 5; i++) await first.append(makeShare({ account: 'order', rig: `${i}` }));
        await first.close();
        await gate.open();
        const second = await open(connection, dataDir);
        await second.append(makeShare({ account: 'order', rig: 'last' }));
        await expect.poll(async () => (await second.stats()).spooled).toBe(0);
        expect(await waitingRigs(way.connection())).toEqual(['0', '1', '2', '3', '4', 'last']);
        await second.close();
        await gate.shut();
        const before = (await books.ledger.totals()).shares;
        const recorder = record(way.connection());
        await untilCredited(before + 6);
        await recorder.close();
      }));

    it('refuses shares when neither backend nor spool can take them', () =>
      withTemporaryFolder(async (dataDir) => {
        const { connection, gate } = await way.gated();
        const queue = await open(connection, dataDir, 2000);
        await gate.shut();
        await appendMany(queue, 30);
        await expect(appendMany(queue, 50)).rejects.toMatchObject({ code: 'spool-full' });
        await queue.close();
        await expect(queue.append(makeShare())).rejects.toMatchObject({ code: 'closed' });
      }));

    it.each([
      ['was taken although its answer was lost', true],
      ['never arrived', false],
    ])('neither acknowledges nor refuses, on a full disk, an entry that %s', (_words, arrives) =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const { connection, gate } = await way.gated();
        const queue = await open(connection, dataDir, 1);
        const recorder = record(way.connection());
        await queue.append(makeShare());
        await untilCredited(before + 1);
        if (arrives) gate.mute();
        else await gate.shut();
        let word = 'none';
        const doubtful = queue.append(makeShare({ account: 'doubtful' })).then(
          () => (word = 'acknowledged'),
          () => (word = 'refused'),
        );
        if (arrives) await untilCredited(before + 2);
        await expect.poll(async () => (await queue.stats()).spooled).toBe(1);
        if (arrives) await gate.shut();
        await expect(queue.append(makeShare({ account: 'refused' }))).rejects.toMatchObject({
          code: 'spool-full',
        });
        expect(word).toBe('none');
        await gate.open();
        expect(await doubtful).toBe('acknowledged');
        await untilCredited(before + 2);
        await expect.poll(async () => (await queue.stats()).waiting).toBe(0);
        // Resubmitted and answered, the refused one is there once.
        await queue.append(makeShare({ account: 'refused' }));
        await untilCredited(before + 3);
        await expect.poll(() => recorder.counts.recorded).toBe(3);
        if (arrives) expect(recorder.counts.repeated).toBeGreaterThan(0);
        await recorder.close();
        await queue.close();
        await gate.shut();
      }),
    );

    it('loses nothing when its process is killed between adding and recording', () =>
      withTemporaryFolder(async (dataDir) => {
        const before = (await books.ledger.totals()).shares;
        const child = fork(CHILD, [JSON.stringify(way.connection()), dataDir], {
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
        // Some may come from the disk, and the queue may be empty before.
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
        await queue.append(makeShare({ account: 'end' }));
        await gate.shut();
        const appended = queue.append(makeShare({ account: 'end' }));
        await Promise.all([queue.close(), recorder.close()]);
        await appended;
      }));
  });
}

/** Rigs of the waiting entries, first the one that is taken first. */
async function waitingRigs(connection: QueueConnection): Promise<string[]> {
  const queue = createEntryQueue(connection) as ReturnType<typeof createEntryQueue> & {
    getJobs(
      states: string[],
      start: number,
      end: number,
      ascending: boolean,
    ): Promise<{ data: { miners: string[][] } }[]>;
  };
  const entries = await queue.getJobs(['waiting'], 0, -1, true);
  await queue.close();
  return entries.flatMap(({ data }) =>
    data.miners.filter(([account]) => account === 'order').map(([, rig]) => rig ?? ''),
  );
}
