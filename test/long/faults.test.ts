/** Kills of each part, on each backend: every one right after every other. BRIDGE_TEST_KILLS sets another number. */
import { describe, expect, it } from 'vitest';
import { findRedis } from '../helpers/books/redis.js';
import { runFaults } from '../queue/fault-scenario.js';

const redisIsMissing = (await findRedis()) !== undefined;
const kills = Number(process.env['BRIDGE_TEST_KILLS'] ?? 200);

describe(`faults, ${kills} kills of each`, () => {
  it.each(['postgres', 'redis'] as const)('on %s', async (backend) => {
    if (backend === 'redis' && redisIsMissing) return;
    const report = await runFaults({ backend, kills, random: Math.random });
    process.stdout.write(`${backend}: ${JSON.stringify(report)}\n`);
    expect(report.acknowledged).toBeGreaterThan(kills);
  });
});
