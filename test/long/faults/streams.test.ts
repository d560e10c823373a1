/** What update streams do to a bridge: nothing. */
import { expect, it } from 'vitest';
import { sameWork } from '../../../src/core/work/work.js';
import { insertTransaction } from '../../helpers/books/transactions.js';
import { startStory } from '../../helpers/stories/upstream-story.js';
import { until } from '../../helpers/until.js';

const isStream = (path: string): boolean => path.endsWith('/mining/updates');
const streamsOnly =
  (change: (text: string) => string) =>
  (text: string, path: string): string =>
    isStream(path) ? change(text) : text;

it('streams that end every second', async () => {
  await using story = await startStory({ nodes: [{ streamLifetime: 1_000 }] });
  await until('four streams', () => story.tap.requests.filter(isStream).length >= 4);
  const job = await story.freshJob();
  await story.rivalBlock(job.work.chainId);
  await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  await story.isWell();
});

it('a stream that stalls for ever: probes see the block', async () => {
  await using story = await startStory({ timings: { refreshMs: 600_000 } });
  const job = await story.freshJob();
  story.tap.set({ onAnswer: streamsOnly(() => '') });
  await story.rivalBlock(job.work.chainId);
  await story.isWell();
});

it('events that are missing: the timer sees the block where the node tells no cut', async () => {
  await using story = await startStory();
  const job = await story.freshJob();
  story.tap.set({
    onAnswer: streamsOnly((text) => text.replaceAll('event:New Cut\n\n', '')),
    onRequest: (text) => text.replace('/cut ', '/nowhere '),
  });
  await story.rivalBlock(job.work.chainId);
  await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  await story.isWell();
});

it('a stream that is split at every byte', async () => {
  // An answer takes as many turns of this thread as it has bytes, however long these are.
  const timings = { workTimeoutMs: 60_000, probeTimeoutMs: 60_000, probeMs: 5_000, silenceMs: 600_000 };
  await using story = await startStory({ timings });
  story.tap.set({ splits: true });
  story.tap.cut();
  for (let block = 0; block < 3; block++) {
    const job = await story.freshJob();
    await story.rivalBlock(job.work.chainId);
    await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  }
  await story.isWell();
});

it('events that are doubled: nothing but one more look', async () => {
  await using story = await startStory();
  story.tap.set({
    onAnswer: streamsOnly((text) => text.replaceAll('event:New Cut\n\n', 'event:New Cut\n\n'.repeat(50))),
  });
  story.tap.cut();
  const job = await story.freshJob();
  await story.rivalBlock(job.work.chainId);
  await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  await story.isWell();
});

it('events that are merged into one', async () => {
  await using story = await startStory();
  let held = '';
  const hold = (text: string): string => {
    if (!text.includes('New Cut')) return text;
    held += text;
    return held.split('New Cut').length > 2 ? held.slice(held.length / 2) : '';
  };
  story.tap.set({ onAnswer: streamsOnly(hold) });
  const job = await story.freshJob();
  await story.rivalBlock(job.work.chainId);
  await story.rivalBlock(job.work.chainId);
  await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  story.tap.heal();
  await story.isWell();
});

it('streams that are cut as soon as they open: works are fetched all the same', async () => {
  await using story = await startStory();
  story.tap.set({ onAnswer: (text, path) => (isStream(path) ? undefined : text) });
  story.tap.cut();
  const job = await story.freshJob();
  await story.rivalBlock(job.work.chainId);
  await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  expect(story.state()).toBe('healthy');
  await story.isWell();
});

it.each(['specification', 'chainweb'] as const)(
  'new transactions (profile %s): a fresh job that is not clean, and the one before still solves',
  async (profile) => {
    await using story = await startStory({
      nodes: [{ profile, payloadRefresh: 1 }],
      timings: { refreshMs: 600_000 },
    });
    const before = await story.freshJob();
    await insertTransaction(story.node, before.work.chainId);
    const fresh = await until('a fresh job', () => {
      const job = story.newestJob();
      return job && !sameWork(job.work, before.work) && job;
    });
    expect(fresh.clean).toBe(false);
    expect(fresh.work.fields.parent).toEqual(before.work.fields.parent);
    expect(story.book.find(before.id).state).toBe('live');
    expect(await story.solve(before)).toBe(true);
    await until('it is taken', () => story.settled.includes('received'));
    await story.isWell();
  },
);
