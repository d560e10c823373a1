/** What answers to `work` do to a bridge: it says so, asks seldom, and goes on when they are good again. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startStory } from '../../helpers/stories/upstream-story.js';
import { until } from '../../helpers/until.js';

const NETWORK_CHAINS = 20;
const isWork = (path: string): boolean => path.includes('/mining/work');

it('work that hangs', async () => {
  await using story = await startStory({ timings: { workTimeoutMs: 500 } });
  const job = await story.freshJob();
  story.tap.set({ onAnswer: (text, path) => (isWork(path) ? '' : text) });
  await story.rivalBlock(job.work.chainId);
  await until('the node is stalled', () => story.state() === 'stalled');
  // Longer where this machine itself made the answers before late.
  expect(story.reason()).toMatch(/did not answer within \d+ ms/);
  story.tap.heal();
  await story.isWell();
});

it('work that is slow', async () => {
  await using story = await startStory({ timings: { workTimeoutMs: 10_000 } });
  story.tap.set({ delayMs: 300 });
  const job = await story.freshJob();
  await story.rivalBlock(job.work.chainId);
  await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  expect(story.state()).toBe('healthy');
  story.tap.heal();
  await story.isWell();
});

it('work that is cut short', async () => {
  await using story = await startStory();
  const job = await story.freshJob();
  story.tap.set({ onAnswer: (text, path) => (isWork(path) ? undefined : text) });
  await story.rivalBlock(job.work.chainId);
  await until('the node is away', () => story.state() === 'away');
  story.tap.heal();
  await story.isWell();
});

it('work of another length', async () => {
  await using story = await startStory();
  const job = await story.freshJob();
  const shorten = (text: string): string => text.replace('content-length: 322', 'content-length: 286');
  story.tap.set({ onAnswer: (text, path) => (isWork(path) ? shorten(text).slice(0, -36) : text) });
  await story.rivalBlock(job.work.chainId);
  await until('the node is away', () => story.state() === 'away');
  expect(story.reason()).toMatch(/this one 286: it is of a network whose chains have 2 neighbours each/);
  story.tap.heal();
  await story.isWell();
});

it('work of another chain than was asked for, always: what still extends the cut is worked on', async () => {
  // An answer that came too late would say that a work is dead.
  await using story = await startStory({ chains: 3, timings: { workTimeoutMs: 60_000 } });
  // By chance a node that hears no wish fulfils it now and then: too often, and it is trusted again.
  const next = (chainId: string): string => `?chain=${(Number(chainId) + 1) % NETWORK_CHAINS}`;
  story.tap.set({ onRequest: (text) => text.replace(/\?chain=(\d+)/, (_, chainId) => next(chainId)) });
  await until('three chains', () => story.upstream.reports[0]?.chains === 3);
  const retired: number[] = [];
  story.events.on('chainsRetired', (chainIds) => retired.push(...chainIds));
  const { works } = story.tap.answers;
  const refresh = async (): Promise<void> => {
    const before = works.length;
    story.upstream.refresh();
    await until('an answer for each chain', () => works.length >= before + 3);
    // Each is answered at once: as many in a second would count as a storm, which the bridge did not ask for.
    await pause(200);
  };
  for (let i = 0; i < 6; i++) await refresh();
  // It takes some answers to see that the node heeds no wishes.
  expect(retired.length).toBeLessThan(8);
  retired.length = 0;
  for (let i = 0; i < 8; i++) await refresh();
  expect(retired).toEqual([]);
  for (let block = 0; block < 3; block++) {
    const job = await story.freshJob();
    await story.rivalBlock(job.work.chainId);
    await until('the job is stale', () => story.book.find(job.id).state === 'stale');
  }
  await story.isWell();
});

it('a proxy that keeps answers', async () => {
  await using story = await startStory({ timings: { refreshMs: 600 } });
  const kept = new Map<string, string>();
  const keep = (text: string, path: string): string => {
    if (!isWork(path) || !text.startsWith('HTTP/1.1 200')) return text;
    if (!kept.has(path)) kept.set(path, text);
    return kept.get(path) ?? text;
  };
  story.tap.set({ onAnswer: keep });
  await until('a word about it', () => /proxy in between keeps answers/.test(story.reason()));
  story.tap.heal();
  await until('no word any more', () => !/proxy/.test(story.reason()));
  await story.isWell();
});

it('storms of 503', async () => {
  await using story = await startStory({ chains: 10 });
  await until('ten chains', () => story.upstream.reports[0]?.chains === 10);
  const before = story.tap.requests.length;
  const startedAtMs = performance.now();
  story.tap.set({ answers: 503 });
  story.tap.cut();
  await until('it says so', () => /overloaded.*fewer chains/.test(story.reason()));
  expect(story.state()).toBe('away');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
  const perSecond = (story.tap.requests.length - before) / ((performance.now() - startedAtMs) / 1000);
  expect(perSecond).toBeLessThan(25);
  story.tap.heal();
  await story.isWell();
});

it.each([
  [403, 'unauthorized', /add the account/],
  [404, 'disabled', /enable mining coordination/],
  [415, 'away', /strip the body/],
])('an answer of %i', async (status, state, words) => {
  await using story = await startStory();
  const job = await story.freshJob();
  story.tap.set({ answers: status });
  story.upstream.refresh(job.work.chainId);
  // For a moment alone: then it is looked for anew, and /info is answered in the same way.
  const isSaid = (): boolean =>
    story.reports.some((report) => report.state === state && words.test(report.reason));
  await until(state, isSaid);
  await story.rivalBlock(job.work.chainId);
  story.tap.heal();
  await story.isWell();
  expect(story.state()).toBe('healthy');
});

it('work that nothing changes for longer than a node keeps it: the timer renews it, and it still solves', async () => {
  // Far less than the node keeps, as in earnest.
  await using story = await startStory({
    nodes: [{ payloadLifetime: 5_000 }],
    timings: { refreshMs: 200, silenceMs: 600_000 },
  });
  const job = await story.freshJob();
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(story.newestJob()?.work.fields).toEqual(job.work.fields);
  expect(await story.solve(job)).toBe(true);
  await until('it is taken', () => story.settled.length > 0);
  expect(story.settled).toEqual(['received']);
  await story.isWell();
});
