/** Queue and ledger away, each alone and both, under load: until the log is full. `test/long/outage.test.ts` does it for minutes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPostgres } from '../../helpers/books/books.js';
import { createDatabase } from '../../helpers/books/postgres.js';
import { findRedis, startTestRedis, type TestRedis } from '../../helpers/books/redis.js';
import { until } from '../../helpers/until.js';
import { runOutage } from '../../queue/outage-scenario.js';

const redisIsMissing = (await findRedis()) !== undefined;
/** Full within a second or two, and with few entries in the queue. */
const LOG_BYTES = 60_000;
const LIMITS = { totalBytes: LOG_BYTES, segmentBytes: 5000, cutBytes: 5000, queueEntries: 3 };
const SOON = { shipMs: 50, bookedMs: 100, addTimeoutMs: 500 };

let redis: TestRedis | undefined;
beforeAll(async () => {
  if (!redisIsMissing) redis = await startTestRedis();
});
afterAll(async () => {
  await redis?.close();
});

describe('under load, until the share log holds all it may', () => {
  it.each([
    ['postgres', ['queue']],
    ['postgres', ['ledger']],
    ['postgres', ['queue', 'ledger']],
    ['redis', ['queue']],
  ] as const)(
    'with the queue on %s and %j away: nothing is lost, and all goes on by itself',
    async (backend, away) => {
      if (backend === 'redis' && !redis) return;
      const { acknowledged, refused, stats, mostBytes } = await runOutage({
        databaseUrl: await createDatabase(await sharedPostgres()),
        redisUrl: backend === 'redis' ? redis?.url : undefined,
        ...{ away, load: 400, limits: { ...LIMITS, ...SOON } },
        lasts: (so) => until('shares are refused', () => so.refused.size > 20),
      });
      expect(acknowledged).toBeGreaterThan(100);
      expect(refused).toBeGreaterThan(20);
      // It is bounded, but for cuts and the second copies of names; and it is shown.
      expect(mostBytes).toBeGreaterThan(LOG_BYTES / 2);
      expect(mostBytes).toBeLessThan(1.2 * LOG_BYTES);
      expect(stats).toMatchObject({ backend, isUp: !away.some((one) => one === 'queue') });
      expect(stats.logBytes).toBeGreaterThan(LOG_BYTES / 2);
      expect(stats.heldBack).toBeGreaterThan(50);
    },
  );
});
