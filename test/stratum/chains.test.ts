/** Sessions on several chains. */
import { expect, it } from 'vitest';
import { JobRoller } from '../../src/bridge/job-roller.js';
import type { JobBook } from '../../src/core/jobs/job.js';
import type { Nonce1 } from '../../src/core/jobs/nonce.js';
import { targetOf } from '../../src/core/work/target.js';
import type { WireRig } from '../helpers/rigs/wire-rig.js';
import { mine, startTestBridge, type TestBridge } from '../helpers/stories/stratum-bridge.js';
import { until } from '../helpers/until.js';

const HARD = { difficulty: 1n << 60n };
type Rigs = readonly WireRig[];

/** A bridge on these chains, with so many rigs. */
async function start(chains: readonly number[], count: number, closed = new Set<number>()) {
  let roller: JobRoller | undefined;
  const jobs = {
    groups: 1,
    oldestJob: 0,
    rollJob: (chainId: number, group: number, clean: boolean) => roller?.rollJob(chainId, group, clean),
  };
  const bridge = await startTestBridge({ jobs, handsOut: (chainId) => !closed.has(chainId) });
  roller = new JobRoller(bridge.book, { nowMs: () => performance.now() });
  bridge.dispatcher.addSink(roller);
  for (const chainId of chains) bridge.offer({ ...HARD, chainId });
  const rigs = await Promise.all(
    Array.from({ length: count }, async () => (await bridge.readyRig('tcp')).rig),
  );
  await until('all have jobs', () => rigs.every((rig) => rig.notices('mining.notify').length > 0));
  return { bridge, rigs };
}

const chainOf = (book: JobBook, rig: WireRig): number | undefined =>
  book.find(String(rig.notices('mining.notify').at(-1)?.params?.[0])).job?.work.chainId;

function countsOf(bridge: TestBridge, rigs: Rigs): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const rig of rigs) {
    const chainId = chainOf(bridge.book, rig) ?? expect.fail('a rig without a job');
    counts[chainId] = (counts[chainId] ?? 0) + 1;
  }
  return counts;
}

it('spreads rigs evenly as they come', async () => {
  const { bridge, rigs } = await start([3, 7, 9], 9);
  await using _ = bridge;
  expect(countsOf(bridge, rigs)).toEqual({ 3: 3, 7: 3, 9: 3 });
  expect([...bridge.sessionCounts.counts]).toEqual([
    [3, 3],
    [7, 3],
    [9, 3],
  ]);
});

it('sends a new job to the rigs of its chain alone', async () => {
  const { bridge, rigs } = await start([3, 7], 4);
  await using _ = bridge;
  const before = rigs.map((rig) => rig.notices('mining.notify').length);
  const on7 = rigs.filter((rig) => chainOf(bridge.book, rig) === 7);
  bridge.offer({ ...HARD, chainId: 7, parent: 2 });
  await until('its rigs have it', () => on7.every((rig) => rig.notices('mining.notify').at(-1)?.params?.[2]));
  await Promise.all(rigs.map((rig, i) => rig.request(i + 10, 'mining.ping')));
  rigs.forEach((rig, i) => {
    const isOn7 = on7.includes(rig);
    expect(rig.notices('mining.notify')).toHaveLength((before[i] ?? 0) + (isOn7 ? 1 : 0));
  });
});

it('moves the rigs of chains that end, each with one clean job that nobody had before', async () => {
  const { bridge, rigs } = await start([3, 7, 9, 11], 8);
  await using _ = bridge;
  const stay = rigs.filter((rig) => [9, 11].includes(chainOf(bridge.book, rig) ?? -1));
  const before = new Map(rigs.map((rig) => [rig, rig.notices('mining.notify').length]));
  bridge.dispatcher.replaceWorks(
    bridge.book.liveJobs.filter(({ work }) => work.chainId > 7).map(({ work }) => work),
    'another node',
  );
  await until('all are on the chains that are left', () => {
    const counts = countsOf(bridge, rigs);
    return counts[9] === 4 && counts[11] === 4;
  });
  for (const rig of rigs) {
    const notices = rig.notices('mining.notify');
    expect(notices).toHaveLength((before.get(rig) ?? 0) + 1);
    expect(notices.at(-1)?.params?.[2]).toBe(true);
    if (stay.includes(rig)) continue;
    const id = notices.at(-1)?.params?.[0];
    expect(
      stay.some((other) => other.notices('mining.notify').some(({ params }) => params?.[0] === id)),
    ).toBe(false);
  }
});

it('A4: puts nobody on a chain that is no longer handed out, and counts the shares of who was there', async () => {
  const closed = new Set<number>();
  const { bridge, rigs } = await start([3, 7], 2, closed);
  await using _ = bridge;
  const stays = rigs.find((rig) => chainOf(bridge.book, rig) === 7) ?? expect.fail();
  const job =
    bridge.book.find(String(stays.notices('mining.notify').at(-1)?.params?.[0])).job ?? expect.fail();
  closed.add(7);
  for (let i = 0; i < 3; i++) {
    const { rig } = await bridge.readyRig('tcp');
    await until('it has a job', () => rig.notices('mining.notify').length > 0);
    expect(chainOf(bridge.book, rig)).toBe(3);
  }
  const nonce1 = [0, 1].map((n) => n as Nonce1);
  const answers = await Promise.all(
    nonce1.map((each) =>
      stays.request(each, 'mining.submit', ['a.r', job.id, mine(job, each, targetOf(4n))]),
    ),
  );
  expect(answers.map(({ result }) => result)).toContain(true);
  expect(bridge.book.find(job.id).state).toBe('live');
});

it('lets rigs wait when no chain is left, and gives them the next one', async () => {
  const { bridge, rigs } = await start([3], 3);
  await using _ = bridge;
  bridge.dispatcher.retireWork(3);
  bridge.offer({ ...HARD, chainId: 5 });
  await until('all work on it', () => countsOf(bridge, rigs)[5] === 3);
});

it('draws rigs to a new chain, and leaves no trace of those that go', async () => {
  const { bridge, rigs } = await start([3], 6);
  await using _ = bridge;
  bridge.offer({ ...HARD, chainId: 5 });
  await until('half of them work on it', () => countsOf(bridge, rigs)[5] === 3);
  for (const rig of rigs) rig.vanish();
  await until('nobody is left', () =>
    [...bridge.sessionCounts.counts.values()].every((count) => count === 0),
  );
});
