/** Answers that are shared; what an account may expect. */
import { describe, expect, it } from 'vitest';
import { expectedReward } from '../../src/web/state/expected-reward.js';
import { RecentAnswers } from '../../src/web/state/recent-answers.js';

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
