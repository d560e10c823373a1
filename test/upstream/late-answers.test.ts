/** How long a node is waited for, and when it is asked a second time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Work } from '../../src/core/work/work.js';
import { LateAnswers } from '../../src/upstream/works/late-answers.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';

/** Questions are answered by hand; the clock is the test's where it says so. */
function waiting(leastMs: number, now = () => performance.now()) {
  const late: Work[] = [];
  const asked: { answer(work: Work): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  const answers = new LateAnswers({ leastMs, now, onLate: (work) => void late.push(work) });
  const ask = (signal: AbortSignal): Promise<Work> =>
    new Promise((answer, fail) => void asked.push({ answer, fail, signal }));
  return { answers, asked, late, inTime: () => answers.inTime(ask) };
}

/** The node answers so many questions at once. */
async function answerSome(count: number, { asked, inTime }: ReturnType<typeof waiting>): Promise<void> {
  for (let i = 0; i < count; i++) {
    const answer = inTime();
    asked.at(-1)?.answer(makeWork({}));
    await answer;
  }
}

describe('a second question', () => {
  it('is not asked of a node that nothing is known of', async () => {
    const one = waiting(200);
    expect(await one.inTime()).toBeUndefined();
    expect(one.asked).toHaveLength(1);
  });

  it('is asked where the first is late, and its answer counts', async () => {
    const one = waiting(600_000);
    await answerSome(20, one);
    const [before, work] = [one.asked.length, makeWork({ parent: 2 })];
    const answer = one.inTime();
    await until('a second question', () => one.asked.length === before + 2);
    one.asked.at(-1)?.answer(work);
    expect(await answer).toBe(work);
    // What the first says later is old.
    one.asked.at(-2)?.answer(makeWork({}));
    await sleep(0);
    expect(one.late).toEqual([]);
  });

  it('does not make a failure of the first one: that is told when the second fails too', async () => {
    const one = waiting(600_000);
    await answerSome(20, one);
    const before = one.asked.length;
    const [first, second] = [one.inTime(), one.inTime()];
    await until('two second questions', () => one.asked.length === before + 4);
    const [a, b, c, d] = one.asked.slice(before);
    const work = makeWork({});
    a?.fail(new Error('reset'));
    c?.answer(work);
    expect(await first).toBe(work);
    d?.fail(new Error('the second'));
    b?.fail(new Error('the first'));
    await expect(second).rejects.toThrow('the first');
  });

  it('is asked of one question in ten at the most', async () => {
    const one = waiting(600_000);
    await answerSome(100, one);
    const before = one.asked.length;
    const answers = Array.from({ length: 10 }, () => one.inTime());
    await until('as many as were saved up', () => one.asked.length === before + 13);
    await sleep(200);
    expect(one.asked).toHaveLength(before + 13);
    for (const { answer } of one.asked) answer(makeWork({}));
    expect(await Promise.all(answers)).toHaveLength(10);
  });
});

describe('an answer that comes when the time is over', () => {
  it('is told, and the node is waited for longer', async () => {
    const one = waiting(100);
    expect(await one.inTime()).toBeUndefined();
    const work = makeWork({});
    one.asked[0]?.answer(work);
    await until('it is told', () => one.late.length > 0);
    expect(one.late).toEqual([work]);
    expect(one.answers.limitMs).toBeGreaterThanOrEqual(200);
  });

  it('is given up when too many are waited for', async () => {
    const one = waiting(1);
    for (let i = 0; i < 9; i++) await one.inTime();
    expect(one.asked.map(({ signal }) => signal.aborted)).toEqual([true, ...Array(8).fill(false)]);
  });
});
