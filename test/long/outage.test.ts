/** Queue and ledger away for a minute under load; BRIDGE_TEST_OUTAGE_MS sets another time. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startTestPostgres } from '../helpers/books/postgres.js';
import { findRedis, startTestRedis } from '../helpers/books/redis.js';
import { runOutage } from '../queue/outage-scenario.js';

const outageMs = Number(process.env['BRIDGE_TEST_OUTAGE_MS'] ?? 60_000);
const redisIsMissing = (await findRedis()) !== undefined;

it.each([
  ['postgres', ['queue']],
  ['postgres', ['ledger']],
  ['postgres', ['queue', 'ledger']],
  ['redis', ['queue']],
  ['redis', ['ledger']],
] as const)(
  `loses nothing with the queue on %s and %j away for ${outageMs / 1000} s`,
  async (backend, away) => {
    if (backend === 'redis' && redisIsMissing) return;
    await using postgres = await startTestPostgres();
    const redis = backend === 'redis' ? await startTestRedis() : undefined;
    try {
      const report = await runOutage({
        databaseUrl: postgres.connectionString,
        redisUrl: redis?.url,
        ...{ away, load: 1000 },
        // A queue that holds few entries, so that the log has to wait for a ledger that is away, too.
        limits: { queueEntries: 5 },
        lasts: () => pause(outageMs),
      });
      process.stdout.write(`${backend}, ${away.join(' and ')} away: ${JSON.stringify(report)}\n`);
      expect(report.refused).toBe(0);
    } finally {
      await redis?.close();
    }
  },
);
