/** What breaks beyond the queue's reach: a Redis that forgets, a disk that is full. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { type Log, SILENT } from '../../src/core/log.js';
import { checkDatabaseDurability } from '../../src/ledger/database/durability.js';
import type { QueueConnection } from '../../src/queue/connection.js';
import { EntryNumbers } from '../../src/queue/entry-numbers.js';
import { watchForLoss } from '../../src/queue/loss-watch.js';
import { openShareQueue, SHARE_QUEUE_LIMITS, type ShareQueue } from '../../src/queue/share-queue.js';
import { startShareRecorder } from '../../src/queue/share-recorder.js';
import { openSolutionJournal } from '../../src/queue/solution-journal.js';
import { useBooks } from '../helpers/books.js';
import { openGate } from '../helpers/gate.js';
import { withTemporaryFolder } from '../helpers/postgres.js';
import { findRedis, startTestRedis } from '../helpers/redis.js';
import { makeShare } from '../helpers/shares.js';
import { withSmallDisk } from '../helpers/small-disk.js';
import { makeSolution } from '../helpers/solutions.js';

const redisIsMissing = (await findRedis()) !== undefined;

const books = useBooks();

function open(connection: QueueConnection, dataDir: string, log: Log = SILENT): Promise<ShareQueue> {
  const limits = { ...SHARE_QUEUE_LIMITS, sharesPerEntry: 10, addTimeoutMs: 1000 };
  return openShareQueue({ connection, dataDir, log, newProducerId: randomUUID, limits });
}

describe('losses', () => {
  it.skipIf(redisIsMissing)(
    'B11: says how much a flushed Redis has lost, on a queue that is never empty',
    () =>
      withTemporaryFolder(async (dataDir) => {
        const redis = await startTestRedis();
        const connection: QueueConnection = { backend: 'redis', url: redis.url };
        const queue = await open(connection, dataDir);
        const said: object[] = [];
        const log = { ...SILENT, error: (fields: object) => said.push(fields) };
        const watch = watchForLoss({ queue, entries: books.ledger, log, intervalMs: 3_600_000 });
        const before = (await books.ledger.totals()).shares;
        for (let i = 0; i < 3; i++) await queue.append(makeShare());
        await watch.look();
        await watch.look();
        // They wait, for there is no recorder.
        expect([watch.lost, said]).toEqual([0, []]);
        const flusher = new Redis(redis.url);
        await flusher.flushall();
        flusher.disconnect();
        const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
        await queue.append(makeShare());
        await expect.poll(async () => (await books.ledger.totals()).shares - before).toBe(1);
        await recorder.close();
        // Somebody's entries always wait.
        await queue.append(makeShare());
        await watch.look();
        await watch.look();
        await watch.look();
        expect([watch.lost, said]).toEqual([3, [{ entries: 3 }]]);
        await watch.close();
        await queue.close();
        await redis.close();
      }),
  );

  it('B11: takes for lost neither what was refused nor what is recorded, in whatever order', async () => {
    const numbers = new EntryNumbers();
    const held = new Set<number>();
    const credited = new Set<number>();
    const entries = {
      missingEntries: async (_producer: string, first: number, last: number, limit: number) =>
        Array.from({ length: last - first + 1 }, (_, i) => first + i)
          .filter((number) => !credited.has(number))
          .slice(0, limit),
    };
    const absent = async (asked: readonly number[]) => asked.filter((number) => !held.has(number));
    const queue = { numbers, absent, isSpooling: false, producerId: 'p' } as never;
    const watch = watchForLoss({ queue, entries, log: SILENT, intervalMs: 3_600_000 });
    for (let i = 1; i <= 1000; i++) {
      const number = numbers.next();
      if (i % 100 < 30) numbers.refuse(number);
      else if (i % 100 < 60) credited.add(number);
      else if (i > 900) held.add(number);
      if (i % 100 >= 30 && i !== 1000) numbers.acknowledge(number);
    }
    await watch.look();
    await watch.look();
    expect(watch.lost).toBe(9 * 40);
    for (const number of held) credited.add(number);
    numbers.acknowledge(1000);
    await watch.look();
    await watch.look();
    await watch.look();
    expect(watch.lost).toBe(9 * 40);
    await watch.close();
  });

  it('refuses shares while the disk of the spool is full, and takes them when there is room', async () => {
    const reason = await withSmallDisk(async (dataDir) => {
      const gate = await openGate(Number(new URL(books.connectionString).port));
      const url = new URL(books.connectionString);
      url.port = String(gate.port);
      const connection: QueueConnection = { backend: 'postgres', connectionString: url.href };
      const said: string[] = [];
      const log = { ...SILENT, error: (_fields: object, message: string) => said.push(message) };
      const queue = await open(connection, dataDir, log);
      await gate.shut();
      await queue.append(makeShare());
      const { spooled } = await queue.stats();
      const ballast = join(dataDir, 'ballast');
      await writeFile(ballast, Buffer.alloc(60_000)).catch(() => {});
      await writeFile(`${ballast}2`, Buffer.alloc(60_000)).catch(() => {});
      const refusal = { code: 'spool-broken', message: expect.stringContaining('no space left') };
      await expect(fill(queue)).rejects.toMatchObject(refusal);
      expect(said).toEqual(['shares are refused: they cannot be kept']);
      const kept = (await queue.stats()).spooled;
      expect(kept).toBeGreaterThanOrEqual(spooled);
      execFileSync('rm', ['-f', ballast, `${ballast}2`]);
      await queue.append(makeShare());
      await gate.open();
      await expect.poll(async () => (await queue.stats()).spooled).toBe(0);
      await queue.close();
      await gate.shut();
    });
    if (reason !== undefined) process.stderr.write(`LEFT OUT: a full disk, because ${reason}\n`);
  });

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

async function fill(queue: ShareQueue): Promise<void> {
  for (let i = 0; i < 2000; i++) await queue.append(makeShare());
}
