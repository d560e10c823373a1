/** X5: connections to Redis that are silently dead, as behind a firewall that forgot them. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { startShareRecorder } from '../../../src/queue/recording/recorder.js';
import { openShareQueue } from '../../../src/queue/share-queue.js';
import { useBooks } from '../../helpers/books/books.js';
import { withTemporaryFolder } from '../../helpers/books/postgres.js';
import { findRedis, startTestRedis } from '../../helpers/books/redis.js';
import { openGate } from '../../helpers/processes/gate.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';

const books = useBooks();
const redisIsMissing = (await findRedis()) !== undefined;

it.skipIf(redisIsMissing)(
  'X5: queue and recorder leave half-open connections to Redis by themselves, and everything is booked',
  { timeout: 180_000 },
  () =>
    withTemporaryFolder(async (dataDir) => {
      const redis = await startTestRedis();
      const gate = await openGate(Number(new URL(redis.url).port));
      const connection = { backend: 'redis', url: `redis://127.0.0.1:${gate.port}` } as const;
      const recorder = startShareRecorder({ connection, ledger: books.ledger, log: SILENT });
      const queue = await openShareQueue({
        ...{
          connection,
          folder: dataDir,
          ledger: books.ledger,
          place: 'test',
          log: SILENT,
          newLogId: randomUUID,
        },
      });
      const shares = async (): Promise<number> => (await books.ledger.totals()).shares;
      await append(queue, makeShare());
      await expect.poll(shares, { timeout: 20_000 }).toBe(1);
      gate.freeze();
      for (let i = 0; i < 20; i++) await append(queue, makeShare());
      // Nobody ends the dead connections: Redis and its clients would keep them.
      await expect.poll(shares, { timeout: 120_000, interval: 500 }).toBe(21);
      await expect.poll(async () => (await queue.stats()).heldBack, { timeout: 60_000 }).toBe(0);
      await queue.close();
      await recorder.close();
      await gate.shut();
      await redis.close();
    }),
);
