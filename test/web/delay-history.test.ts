/** How fresh jobs were over time; answers that are shared; what an account may expect. */
import { describe, expect, it } from 'vitest';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { JobBook } from '../../src/core/job.js';
import { DelayHistory, SPANS } from '../../src/web/state/delay-history.js';
import { expectedReward } from '../../src/web/state/expected-reward.js';
import { RecentAnswers } from '../../src/web/state/recent-answers.js';
import { makeWork } from '../helpers/works.js';

const MINUTE_MS = 60_000;

describe('delays over time', () => {
  const start = () => {
    const events = createBridgeEvents();
    const time = { nowMs: 1_700_000_000_000 };
    const delays = new DelayHistory(events, { nowMs: () => time.nowMs });
    const job = new JobBook(1).add(makeWork({}), 'n');
    const send = (...delaysMs: number[]): void => {
      for (const delayMs of delaysMs) events.emit('jobSent', job, delayMs);
    };
    const hour = () => delays.columns(SPANS['1h']) ?? expect.fail();
    return { events, time, delays, send, hour };
  };

  it('are kept by steps, and gone after their time', () => {
    const { time, send, hour, events } = start();
    send(10, 10, 10, 500);
    time.nowMs += 3 * MINUTE_MS;
    events.emit('chainsRetired', [1], 40);
    const { p50, p99, fromMs, untilMs } = hour();
    expect([p50.length, fromMs % MINUTE_MS, untilMs]).toEqual([60, 0, time.nowMs]);
    expect(p50.at(-4)).toBeGreaterThan(8);
    expect(p50.at(-4)).toBeLessThan(12);
    expect(p99.at(-4)).toBeGreaterThan(400);
    expect([p50.at(-3), p50.at(-2)]).toEqual([null, null]);
    expect(p50.at(-1)).toBeGreaterThan(33);
    time.nowMs += 58 * MINUTE_MS;
    expect(hour().p50.filter((value) => value !== null)).toHaveLength(1);
    time.nowMs += 300 * MINUTE_MS;
    expect(hour().p50).toEqual(Array(60).fill(null));
  });

  it('hold whatever comes, and no clock that goes back harms them', () => {
    const { time, send, hour, delays } = start();
    send(0, -1, Number.NaN, 1e12, Number.POSITIVE_INFINITY);
    time.nowMs -= 10 * MINUTE_MS;
    send(5);
    const { p50 } = hour();
    expect(p50.filter((value) => value !== null)).toHaveLength(1);
    for (const span of Object.values(SPANS)) expect(delays.columns(span)?.p99).toHaveLength(span.steps);
    expect(delays.columns({ stepMs: 5, steps: 5 })).toBeUndefined();
  });
});

describe('answers of a moment', () => {
  it('are asked for once, kept for their time, and not when they fail', async () => {
    let nowMs = 0;
    const recent = new RecentAnswers(() => nowMs);
    let asked = 0;
    const ask = (fails = false) =>
      recent.ask('name', 1000, async () => {
        asked++;
        if (fails) throw new Error('away');
        return asked;
      });
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([1, 1, 1]);
    nowMs = 999;
    expect(await ask()).toBe(1);
    nowMs = 1000;
    await expect(ask(true)).rejects.toThrow('away');
    expect(await ask()).toBe(3);
  });

  it('are of so many questions at the most', async () => {
    const recent = new RecentAnswers(() => 0);
    let asked = 0;
    const ask = (name: number) => recent.ask(String(name), 1000, async () => asked++);
    for (let name = 0; name < 300; name++) await ask(name);
    await ask(299);
    expect(asked).toBe(300);
    await ask(0);
    expect(asked).toBe(301);
  });
});

describe('the expected reward of a day', () => {
  const RATE = { hashesPerSecond: 1e12, standardError: 1e11, overMs: 3_600_000 };
  const PAY = { reward: '2.500000000000', blocks: 20, feeBasisPoints: 100 };

  it('is the part in finding blocks times what they pay, less the fee', () => {
    // A block in a thousand seconds.
    expect(expectedReward(RATE, [10n ** 15n], PAY)).toEqual({
      perDay: '213.840000000000',
      reason: null,
      blocksPerDay: 86.4,
    });
    // On one of two chains it takes half as long: three blocks where there were two.
    expect(expectedReward(RATE, [10n ** 15n, 5n * 10n ** 14n], PAY).blocksPerDay).toBeCloseTo(86.4 * 1.5, 9);
    expect(expectedReward({ ...RATE, hashesPerSecond: 1e-3 }, [1n << 200n], PAY).perDay).toBe(
      '0.000000000000',
    );
  });

  it('is not known without rate, work or reward, and says which', () => {
    expect(expectedReward(undefined, [1n], PAY).reason).toContain('no share');
    expect(expectedReward(RATE, [], PAY).reason).toContain('no node');
    expect(expectedReward(RATE, [1n], undefined)).toMatchObject({
      perDay: null,
      reason: expect.stringContaining('no block'),
    });
  });
});
