import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { checkRedisPersistence } from '../../src/queue/bullmq/redis-persistence.js';
import { findRedis, startTestRedis } from '../helpers/redis.js';
import { runFaults } from './fault-scenario.js';

const redisIsMissing = (await findRedis()) !== undefined;

/** Always the same numbers, evenly spread: whom and when is chosen alike in every run. */
function evenly(): () => number {
  let at = 0.37;
  return () => {
    at = (at + 0.618_033_988_75) % 1;
    return at;
  };
}

describe('faults, short form', () => {
  it('on PostgreSQL', async () => {
    const report = await runFaults({ backend: 'postgres', kills: 4, random: evenly() });
    expect(report.acknowledged).toBeGreaterThan(100);
  });

  it.skipIf(redisIsMissing)('on Redis', async () => {
    const report = await runFaults({ backend: 'redis', kills: 5, random: evenly() });
    expect(report.acknowledged).toBeGreaterThan(100);
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
