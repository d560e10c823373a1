/** The faults of nodes and networks on `serve` as operators run it, one after the other in one run. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServeStory, startServeStory } from '../helpers/stories/serve-story.js';
import { until } from '../helpers/until.js';

/** Detection by probes: every five seconds, with three for the answer. */
const NOTICED_MS = 15_000;

let story: ServeStory;
beforeAll(async () => {
  story = await startServeStory();
});
afterAll(() => story[Symbol.asyncDispose]());

const isStream = (path: string): boolean => path.endsWith('/mining/updates');
const everyTap = (act: (tap: ServeStory['tap']) => void): void => story.taps.forEach(act);
const states = async (): Promise<(string | undefined)[]> =>
  (await story.summary()).nodes.map(({ state }) => state);
const isWell = (): Promise<void> => story.isWell();

it('streams that say nothing more', async () => {
  everyTap((tap) => tap.set({ onAnswer: (text, path) => (isStream(path) ? '' : text) }));
  await sleep(10_000);
  everyTap((tap) => tap.heal());
  await isWell();
});

it('streams that are cut as soon as they open', async () => {
  everyTap((tap) => tap.set({ onAnswer: (text, path) => (isStream(path) ? undefined : text) }));
  everyTap((tap) => tap.cut());
  await sleep(10_000);
  everyTap((tap) => tap.heal());
  await isWell();
});

it('works that hang', async () => {
  everyTap((tap) => tap.set({ onAnswer: (text, path) => (path.includes('/mining/work') ? '' : text) }));
  await until('both are stalled', async () => (await states()).every((state) => state === 'stalled'));
  everyTap((tap) => tap.heal());
  await isWell();
});

it('a storm of 503 for twenty seconds', async () => {
  everyTap((tap) => tap.set({ answers: 503 }));
  everyTap((tap) => tap.cut());
  await sleep(20_000);
  expect(await states()).toEqual(['away', 'away']);
  everyTap((tap) => tap.heal());
  await isWell();
});

it('half-open connections', async () => {
  everyTap((tap) => tap.freeze());
  await sleep(NOTICED_MS);
  await isWell();
});

it('a network that carries nothing for twenty seconds', async () => {
  everyTap((tap) => tap.set({ stallsNew: true }));
  everyTap((tap) => tap.freeze());
  await sleep(20_000);
  everyTap((tap) => tap.heal());
  await isWell();
});

it('a node that dies, and one that takes over within a second', async () => {
  const former = await story.active();
  const restarted = story.restartNode(former, 3_000);
  await until('rigs work for the other', async () => (await story.active()) === 1 - former);
  await story.isWell(1 - former);
  await restarted;
  await until('it is healthy again', async () => (await states())[former] === 'healthy');
  await isWell();
});

it('a node that comes back as one of another network', async () => {
  const former = await story.active();
  const tap = story.taps[former] ?? expect.fail();
  const port = tap.targetPort;
  await using foreign = story.foreignNode();
  tap.targetPort = Number(new URL(String((await foreign.ready())['url'])).port);
  tap.cut();
  await until('it is quarantined', async () => (await states())[former] === 'quarantined');
  await story.isWell(1 - former);
  tap.targetPort = port;
  tap.cut();
  await until('it is healthy again', async () => (await states())[former] === 'healthy');
  await isWell();
});

it('both nodes away for ten seconds', async () => {
  everyTap((tap) => tap.set({ refuses: true }));
  await sleep(10_000);
  expect(await states()).toEqual(['away', 'away']);
  everyTap((tap) => tap.heal());
  await isWell();
});
