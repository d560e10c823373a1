/** What breaks beyond the queue's reach: a Redis that forgets, a disk that is full. */
import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { type Log, SILENT } from '../../src/core/log.js';
import { checkDatabaseDurability } from '../../src/ledger/database/durability.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { startShareRecorder } from '../../src/queue/recording/recorder.js';
import { openShareQueue, SHARE_QUEUE_LIMITS, type ShareQueue } from '../../src/queue/share-queue.js';
import { openSolutionJournal } from '../../src/queue/solutions/solution-journal.js';
import { useBooks } from '../helpers/books.js';
import { withTemporaryFolder } from '../helpers/postgres.js';
import { findRedis, startTestRedis } from '../helpers/redis.js';
import { append, makeShare } from '../helpers/shares.js';
import { withSmallDisk } from '../helpers/small-disk.js';
import { makeSolution } from '../helpers/solutions.js';

const redisIsMissing = (await findRedis()) !== undefined;

const books = useBooks();

function open(connection: QueueConnection, dataDir: string, log: Log = SILENT): Promise<ShareQueue> {
  const limits = { ...SHARE_QUEUE_LIMITS, addTimeoutMs: 1000, shipMs: 50, bookedMs: 100, lostAfterMs: 1000 };
  return openShareQueue({
    connection,
    dataDir,
    entries: books.ledger,
    log,
    newProducerId: randomUUID,
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
      expect(said[0]?.[1]).toContain('brought again from the share log');
      await queue.close();
      await recorder.close();
      await redis.close();
    }),
  );

  it('X2: books every block that a node took while the disk of the journal was full', async () => {
    const reason = await withSmallDisk(async (dataDir) => {
      const said: string[] = [];
      const log = { ...SILENT, error: (_fields: object, message: string) => said.push(message) };
      const journal = await openSolutionJournal({ dataDir, book: books.ledger, log });
      await writeFile(join(dataDir, 'ballast'), Buffer.alloc(65_536)).catch(() => {}); // as much as fits
      for (let nonce = 1n; nonce <= 4n; nonce++) {
        const solution = makeSolution({}, {}, nonce);
        await journal.recordSolution(solution, 'found', '');
        await journal.recordSolution(solution, 'received', '');
      }
      const { rows } = await books.pool.query(
        'SELECT s.state FROM solution s JOIN block b ON b.solution_id = s.id',
      );
      expect(rows).toEqual(Array.from({ length: 4 }, () => ({ state: 'received' })));
      expect(said[0]).toContain('cannot be written to disk');
      expect(await readdir(join(dataDir, 'solutions'))).toEqual([]);
      await journal.close();
    });
    if (reason !== undefined)
      process.stderr.write(`LEFT OUT: a full disk of the journal, because ${reason}\n`);
  });

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
