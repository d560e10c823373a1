/** What nodes do to a bridge: rigs stay, and are back at work when it is over. */
import { expect, it } from 'vitest';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { ANY_PORT, EASY, startStory } from '../../helpers/stories/upstream-story.js';
import { until } from '../../helpers/until.js';

const HOUR_MS = 3_600_000;

it('a node that restarts: a solution found meanwhile is posted when it is back', async () => {
  await using folder = await temporaryFolder();
  await using story = await startStory({ nodes: [{ dataDir: folder.path }] });
  await story.isWell();
  const job = await story.freshJob();
  const before = story.settled.length;
  await story.node.close();
  await until('the node is away', () => story.state() === 'away');
  expect(await story.solve(job)).toBe(true);
  const again = await startDevNode({ ...EASY, dataDir: folder.path });
  story.nodes[0] = again;
  story.tap.targetPort = again.address.port;
  await until('the solution has its last word', () => story.settled.length > before);
  await story.isWell(again);
});

it('a node that restarts from nothing', async () => {
  await using story = await startStory();
  await story.isWell();
  await story.node.close();
  const again = await startDevNode(EASY);
  story.nodes[0] = again;
  story.tap.targetPort = again.address.port;
  story.tap.cut();
  await story.isWell(again);
});

it('a node that comes back as another network is not worked for', async () => {
  await using story = await startStory({ urlOf: (tap) => tap.url });
  const first = story.tap.targetPort;
  const other = await startDevNode({ network: 'testnet04', graph: 'petersen' });
  story.tap.targetPort = other.address.port;
  story.tap.cut();
  await until('it is quarantined', () => story.state() === 'quarantined');
  expect(story.reason()).toMatch(/a node of testnet04, and this bridge mines development/);
  await story.rivalBlock(story.newestJob()?.work.chainId ?? 0);
  const codes = story.book.liveJobs.map(({ work }) => work.fields.versionCode);
  expect(new Set(codes)).toEqual(new Set([2]));
  expect(story.upstream.clients().size).toBe(0);
  story.tap.targetPort = first;
  story.tap.cut();
  await story.isWell();
  expect(story.state()).toBe('healthy');
  await other.close();
});

it('a node that rewinds a reorganisation', async () => {
  await using story = await startStory({ nodes: [{ control: ANY_PORT }] });
  for (let block = 0; block < 3; block++) await story.rivalBlock(block);
  const job = await story.freshJob();
  await fetch(`${story.node.controlUrl}/rewind`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"height":0}',
  });
  await until('work of the heads before', () => story.newestJob()?.work.fields.height === 1);
  await until(
    'the job of the other branch is stale',
    () => story.book.find(job.id).state !== 'live' || job.work.fields.height === 1,
  );
  await story.isWell();
});

it('two nodes on different forks: each solution goes to the node of its work', async () => {
  await using story = await startStory({ nodes: [{}, {}], chains: 10 });
  const [one, two] = [story.nodes[0] ?? expect.fail(), story.nodes[1] ?? expect.fail()];
  for (const chainId of [0, 1, 2]) await story.rivalBlock(chainId, two);
  await story.isWell(one);
  const late = await story.freshJob(one);

  story.tap.set({ refuses: true });
  await until('rigs work for the second', () => story.upstream.reports[1]?.isActive);
  await story.freshJob(two);
  await story.isWell(two);

  story.tap.heal();
  const { chainId } = late.work;
  const before = one.cut().hashes[chainId];
  await story.solve(late);
  await until('the late one is on the first', () => one.cut().hashes[chainId] !== before);
  expect(two.cut().hashes[chainId]).not.toBe(one.cut().hashes[chainId]);

  await until('rigs are back at the first', () => story.upstream.reports[0]?.isActive);
  await story.isWell(one);
  expect(story.settled.filter((word) => word.startsWith('refused'))).toEqual([]);
});

it('a switch is one clean job', async () => {
  await using story = await startStory({ nodes: [{}, {}], chains: 4, timings: { failbackAfterMs: 60_000 } });
  await until('both are healthy', () => story.state(0) === 'healthy' && story.state(1) === 'healthy');
  await until('four chains each', () => story.upstream.reports.every(({ chains }) => chains === 4));
  // Further ones, which are not clean, come with time.
  const jobs = (): number => story.rig.notices('mining.notify').filter(({ params }) => params?.[2]).length;
  const before = jobs();
  story.tap.set({ refuses: true });
  await until('rigs work for the second', () => story.upstream.reports[1]?.isActive);
  await until('the job', () => jobs() > before);
  expect(jobs()).toBe(before + 1);
  story.tap.heal();
  await until('the first is healthy', () => story.state(0) === 'healthy');
  expect(story.upstream.reports.map(({ isActive }) => isActive)).toEqual([false, true]);
  await story.isWell(story.nodes[1]);
});

it('a standby whose clock is wrong, or that is far behind, is not switched to', async () => {
  const nodes = [{}, {}, { control: ANY_PORT }];
  await using story = await startStory({ nodes, upstream: { limits: { lagBlocks: 2 } } });
  await until('all are healthy', () => [0, 1, 2].every((index) => story.state(index) === 'healthy'));
  await fetch(`${story.nodes[2]?.controlUrl}/clock`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ skewMs: HOUR_MS }),
  });
  await until('the third is quarantined', () => story.state(2) === 'quarantined');
  expect(story.reason(2)).toMatch(/its clock is 3[56]\d\d s ahead of the other nodes'/);
  for (const chainId of [0, 1, 2, 3]) await story.rivalBlock(chainId);
  await until('the second is quarantined', () => story.state(1) === 'quarantined');
  expect(story.reason(1)).toMatch(/\d blocks behind the best node/);
  await story.isWell();
});
