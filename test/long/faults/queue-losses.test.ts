/** What breaks beyond the queue's reach: a Redis that forgets, a disk that is full. */

import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { checkDatabaseDurability } from '../../../src/ledger/database/durability.js';
import type { QueueConnection } from '../../../src/queue/bullmq/connection.js';
import { startShareRecorder } from '../../../src/queue/recording/recorder.js';
import { openShareQueue, SHARE_QUEUE_LIMITS, type ShareQueue } from '../../../src/queue/share-queue.js';
import { useBooks } from '../../helpers/books/books.js';
import { withTemporaryFolder } from '../../helpers/books/postgres.js';
import { findRedis, startTestRedis } from '../../helpers/books/redis.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';
import { openLog } from '../../queue/log/logs.js';

const redisIsMissing = (await findRedis()) !== undefined;

const books = useBooks();

function open(connection: QueueConnection, dataDir: string, log: Log = SILENT): Promise<ShareQueue> {
  const limits = {
    ...SHARE_QUEUE_LIMITS,
    addTimeoutMs: 1000,
    shipMs: 50,
    renewMs: 100,
    keepMs: 0,
    againMs: 1000,
  };
  return openShareQueue({
    connection,
    folder: dataDir,
    ledger: books.ledger,
    place: 'test',
    log,
    newLogId: randomUUID,
    limits,
  });
}

describe('losses', () => {
  it.skipIf(redisIsMissing)('B11: brings again what a flushed Redis has lost, aloud', () =>
    withTemporaryFolder(async (dataDir) => {
      const redis = await startTestRedis();
      const connection: QueueConnection = { backend: 'redis', url: redis.url };
      const said: [object, string][] = [];
      const log = { ...SILENT, error: (fields: object, words: string) => said.push([fields, words]) };
      const queue = await open(connection, dataDir, log);
      const before = (await books.ledger.totals()).shares;
      for (let i = 0; i < 3; i++) await append(queue, makeShare());
      await expect.poll(async () => (await queue.stats()).unshipped).toBe(0);
      const flusher = new Redis(redis.url);
      await flusher.flushall();
      flusher.disconnect();
      const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
      await append(queue, makeShare());
      await expect.poll(async () => (await books.ledger.totals()).shares - before).toBe(4);
      expect(said[0]?.[1]).toContain('shipped again from the share log');
      await queue.close();
      await recorder.close();
      await redis.close();
    }),
  );

  it('books what was acknowledged after a loss of power, wherever it has cut off the last group', () =>
    withTemporaryFolder(async (dataDir) => {
      const whole = await openLog(join(dataDir, 'whole'));
      // Each share has a bit of its own in the work of its log.
      const appendBits = (bits: readonly number[]): Promise<unknown> =>
        Promise.all(
          bits.map((bit) => append(whole, makeShare({ rig: `r${bit % 4}`, difficulty: 2n ** BigInt(bit) }))),
        );
      await appendBits([0, 1, 2]);
      const [{ path, bytes: acknowledged } = { path: '', bytes: 0 }] = whole.segments;
      await Promise.all([appendBits([3, 4, 5, 6]), whole.cut()]);
      await whole.close();
      const written = await readFile(path);
      expect(written.length).toBeGreaterThan(acknowledged + 300);
      // One for each byte: a log of as many starts that ended so.
      const ids: string[] = [];
      await mkdir(join(dataDir, 'shares'));
      for (let length = acknowledged; length <= written.length; length++) {
        const id = ids[ids.push(randomUUID()) - 1] ?? '';
        await writeFile(join(dataDir, 'shares', `${id}-000001.shares`), written.subarray(0, length));
      }
      const connection: QueueConnection = {
        backend: 'postgres',
        connectionString: books.connectionString,
      };
      const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
      const queue = await open(connection, dataDir);
      const ended =
        'SELECT work::int, shares::int FROM log WHERE id = ANY ($1) AND ended ORDER BY array_position($1, id)';
      const rows = async (): Promise<{ work: number; shares: number }[]> =>
        (await books.pool.query(ended, [ids])).rows;
      await expect.poll(async () => (await rows()).length, { interval: 200 }).toBe(ids.length);
      const works = (await rows()).map(({ work }) => work);
      // All of the first group, and of the last one no share without those before it; more the later it was cut off.
      expect(new Set(works)).toEqual(new Set([0b111, 0b1111, 0b1_1111, 0b11_1111, 0b111_1111]));
      expect(works).toEqual(works.toSorted((a, b) => a - b));
      expect((await rows()).map(({ shares }) => 2 ** shares - 1)).toEqual(works);
      await queue.close();
      await recorder.close();
    }));

  it('knows a database that does not keep what it committed', async () => {
    expect(await checkDatabaseDurability(books.pool)).toEqual([]);
    const client = await books.pool.connect();
    await client.query('SET synchronous_commit = off');
    const pool = { query: client.query.bind(client) } as unknown as typeof books.pool;
    expect(await checkDatabaseDurability(pool)).toMatchObject([
      { setting: 'synchronous_commit', value: 'off' },
    ]);
    client.release(true);
  });
});
