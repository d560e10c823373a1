import { describe, expect, it } from 'vitest';
import { checkRedisPersistence } from '../../src/queue/redis-persistence.js';
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
  it('on PostgreSQL', { timeout: 120_000 }, async () => {
    const report = await runFaults({ backend: 'postgres', kills: 4, random: evenly() });
    expect(report.acknowledged).toBeGreaterThan(100);
  });

  it.skipIf(redisIsMissing)('on Redis', { timeout: 120_000 }, async () => {
    const report = await runFaults({ backend: 'redis', kills: 5, random: evenly() });
    expect(report.acknowledged).toBeGreaterThan(100);
  });
});

describe.skipIf(redisIsMissing)('persistence of Redis', () => {
  it('is found as the promise needs it, or said in words', async () => {
    const redis = await startTestRedis();
    expect(await checkRedisPersistence(redis.url)).toEqual([]);
    await redis.kill();
    await expect(checkRedisPersistence(redis.url)).rejects.toThrow();
    await redis.close();
  });
});
