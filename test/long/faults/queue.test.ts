import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { checkRedisPersistence } from '../../../src/queue/bullmq/redis-persistence.js';
import { findRedis, startTestRedis } from '../../helpers/books/redis.js';
import { type FaultReport, runFaults } from '../../queue/fault-scenario.js';

const redisIsMissing = (await findRedis()) !== undefined;

/** Always the same numbers, evenly spread: when is chosen alike in every run. */
function evenly(): () => number {
  let at = 0.37;
  return () => {
    at = (at + 0.618_033_988_75) % 1;
    return at;
  };
}

/** Each ordered pair with all up in between, and with the second killed while the first is dead or on its way up. */
function expectEveryPair({ pairs }: FaultReport, victims: readonly string[]): void {
  for (const first of victims)
    for (const second of victims)
      for (const between of [['up'], ['down', 'starting']])
        expect(between.some((one) => pairs[`${first}, ${one}, ${second}`])).toBe(true);
}

// On Redis too, and with more kills: test/long/faults.test.ts.
describe('faults, short form: every one is killed right after every other', () => {
  const victims = ['bridge', 'recorder', 'postgres'];

  it('on PostgreSQL', async () => {
    const report = await runFaults({ backend: 'postgres', kills: 1, random: evenly() });
    expect(report.acknowledged).toBeGreaterThan(50);
    expectEveryPair(report, victims);
  });
});

describe.skipIf(redisIsMissing)('persistence of Redis', () => {
  it('is found as the promise needs it, or said in words', async () => {
    const redis = await startTestRedis();
    expect(await checkRedisPersistence(redis.url)).toEqual([]);
    const careless = new Redis(redis.url);
    const settings = { appendonly: 'no', appendfsync: 'everysec', 'maxmemory-policy': 'allkeys-lru' };
    for (const [setting, value] of Object.entries(settings)) await careless.config('SET', setting, value);
    careless.disconnect();
    const found = await checkRedisPersistence(redis.url);
    expect(found.map(({ setting, value }) => [setting, value])).toEqual(Object.entries(settings));
    for (const { advice, setting } of found) expect(advice).toContain(`set \`${setting} `);
    await redis.kill();
    await expect(checkRedisPersistence(redis.url)).rejects.toThrow();
    await redis.close();
  });
});
