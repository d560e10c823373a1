import { afterEach, expect, it } from 'vitest';
import {
  type BridgeEvents,
  createBridgeEvents,
  type SessionInfo,
  type SubmitEvent,
} from '../../src/bridge/events.js';
import { createJudge } from '../../src/bridge/judge.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import type { Share, Solution } from '../../src/core/shares/share.js';
import { difficultyOf, type Target } from '../../src/core/work/target.js';
import { CpuRig } from '../../src/cpu/cpu.js';
import type { CpuOptions } from '../../src/cpu/options.js';
import { chooseKernel } from '../../workers/kernels.js';
import { ThreadPool } from '../../workers/pool.js';
import { logBy } from '../helpers/rigs/shares.js';
import { makeWork, type WorkOptions } from '../helpers/rigs/works.js';
import { untilTrue } from '../helpers/until.js';
import { cpuOptions } from './options.js';

const running: Bench[] = [];
afterEach(async () => {
  for (const bench of running.splice(0)) await bench.cpu.close();
});

/** The CPU between a real job book and a real judge; shares and solutions end in lists. */
interface Bench {
  readonly cpu: CpuRig;
  readonly events: BridgeEvents;
  readonly nonces: NonceSpace;
  readonly submits: SubmitEvent[];
  readonly shares: Share[];
  readonly solutions: Solution[];
  readonly sessions: string[];
  offer(work: WorkOptions): void;
}

function startBench(overrides: Partial<CpuOptions> = {}): Bench {
  const book = new JobBook(1);
  const events = createBridgeEvents();
  const clock = { nowMs: () => Date.now() };
  const nonces = new NonceSpace(1000);
  const lists = { submits: [] as SubmitEvent[], shares: [] as Share[], solutions: [] as Solution[] };
  const sessions: string[] = [];
  events.on('submit', (event) => lists.submits.push(event));
  events.on('sessionOpened', ({ id, peer }) => sessions.push(`${id} ${peer} opened`));
  events.on('sessionClosed', ({ id, peer }, reason) => sessions.push(`${id} ${peer} closed: ${reason}`));
  const judge = createJudge({
    book,
    clock,
    shares: logBy(async (share) => void lists.shares.push(share)),
    sendSolution: (solution) => void lists.solutions.push(solution),
  });
  const cpu = new CpuRig(cpuOptions({ judge, nonces, events, clock, ...overrides }));
  const offer = (work: WorkOptions): void => cpu.offerJob(book.add(makeWork(work), 'node'));
  const bench = { cpu, events, nonces, sessions, offer, ...lists };
  running.push(bench);
  return bench;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('mines solutions and has them judged under the name cpu', async () => {
  const bench = startBench();
  bench.offer({ difficulty: 60_000n });
  await untilTrue(() => bench.solutions.length >= 3 && bench.submits.length >= 3);
  expect(bench.solutions[0]).toMatchObject({ account: 'k:miner', rig: 'cpu' });
  expect(bench.submits[0]).toMatchObject({
    session: { transport: 'cpu', peer: 'thread 1' },
    outcome: 'accepted',
    difficulty: 60_000n,
  });
  expect(bench.submits.every(({ outcome }) => outcome === 'accepted')).toBe(true);
  await untilTrue(() => (bench.cpu.hashRate().hashesPerSecond[0] ?? 0) > 0);
});

it('never submits a nonce twice, also when the same header comes again', async () => {
  const bench = startBench({ threads: 2 });
  for (let i = 0; i < 8; i++) {
    bench.offer({ difficulty: 60_000n });
    await pause(100);
  }
  const threads = () => new Set(bench.solutions.map(({ nonce }) => nonce & 0xffffn)).size;
  await untilTrue(() => bench.submits.length > 20 && threads() === 2);
  await bench.cpu.close();
  const nonces = bench.solutions.map(({ nonce }) => nonce);
  expect(new Set(nonces).size).toBe(nonces.length);
});

it('leaves a job when the next arrives', async () => {
  const bench = startBench();
  bench.offer({ difficulty: 60_000n, parent: 1 });
  await untilTrue(() => bench.submits.length > 0);
  bench.offer({ difficulty: 60_000n, parent: 2 });
  const first = (): number => bench.submits.findIndex(({ jobId }) => jobId === '2');
  await untilTrue(() => first() >= 0 && bench.submits.length > first() + 5);
  expect(bench.submits.slice(first()).every(({ jobId }) => jobId === '2')).toBe(true);
});

/** A rig elsewhere, as the CPU sees it. */
const RIG: SessionInfo = { id: 99, transport: 'tcp', peer: '127.0.0.1:9' };
const shareOf = ({ events }: Bench, session = RIG): unknown =>
  events.emit('submit', { session, account: 'a', rig: 'r', jobId: '1', outcome: 'accepted', detail: '' });
const leaves = ({ events }: Bench, session = RIG): unknown =>
  events.emit('sessionClosed', session, 'it left');

/** The threads of a bench, and the difficulties that they were given. */
function watchedThreads() {
  const pools: ThreadPool[] = [];
  const difficulties: number[] = [];
  const startThreads: CpuOptions['startThreads'] = (...parts) => {
    const pool = new ThreadPool(...parts);
    const run = pool.run.bind(pool);
    pool.run = (...batch) => {
      difficulties.push(Number(difficultyOf(batch[1].target as Target)));
      return run(...batch);
    };
    pools.push(pool);
    return pool;
  };
  return { startThreads, difficulties, pools };
}

it('CU6: gives its first job, and one after a rest, the difficulty of its speed', async () => {
  const { startThreads, difficulties } = watchedThreads();
  const timing = { resumeAfterMs: 0 };
  const bench = startBench({ mode: 'fallback', chooseKernel, startThreads, timing });
  bench.offer({ difficulty: 2n ** 60n });
  await untilTrue(() => (bench.cpu.hashRate().hashesPerSecond[0] ?? 0) > 0);
  const [first = 0] = difficulties;
  // Vardiff aims at a share in ten seconds; a busy machine is measured slower.
  const perSecond = bench.cpu.hashRate().hashesPerSecond[0] ?? 0;
  expect(first).toBeGreaterThan(perSecond);
  shareOf(bench);
  await untilTrue(() => bench.cpu.hashRate().hashesPerSecond[0] === 0);
  expect(bench.cpu.hashRate().rests).toBe('rigs mine');
  const rested = difficulties.length;
  leaves(bench);
  await untilTrue(() => difficulties.length > rested);
  expect(difficulties[rested]).toBe(difficulties[rested - 1]);
  await untilTrue(() => (bench.cpu.hashRate().hashesPerSecond[0] ?? 0) > 0);
  expect(bench.cpu.hashRate().rests).toBe('');
});

it('CU5: ends its threads some time after a pause began, and starts them again', async () => {
  const { startThreads, pools } = watchedThreads();
  const bench = startBench({
    mode: 'fallback',
    threads: 2,
    startThreads,
    timing: { resumeAfterMs: 0, endThreadsAfterMs: 10 },
  });
  bench.offer({ difficulty: 60_000n });
  await untilTrue(() => pools[0]?.started === 2);
  shareOf(bench);
  await untilTrue(() => pools[0]?.started === 0);
  const before = bench.submits.length;
  leaves(bench);
  await untilTrue(() => pools[0]?.started === 2 && bench.submits.length > before);
});

it('CU16: mines on beside who has sent no share, or none for long', async () => {
  const bench = startBench({ mode: 'fallback', timing: { rigMemoryMs: -1, resumeAfterMs: 0 } });
  bench.events.emit('sessionAuthorized', RIG, 'a', 'r', '');
  bench.offer({ difficulty: 60_000n });
  await untilTrue(() => bench.submits.length > 0);
  shareOf(bench);
  const before = bench.submits.length;
  await untilTrue(() => bench.submits.length > before + 5);
});

it('rests while rigs mine when it is the fallback, and resumes after they have gone', async () => {
  let batches = 0;
  const startThreads: CpuOptions['startThreads'] = (...parts) => {
    const pool = new ThreadPool(...parts);
    const run = pool.run.bind(pool);
    pool.run = async (...batch) => {
      batches++;
      return run(...batch).finally(() => batches--);
    };
    return pool;
  };
  const bench = startBench({ mode: 'fallback', timing: { resumeAfterMs: 10_000 }, startThreads });
  const own = (): SubmitEvent[] => bench.submits.filter(({ session }) => session.transport === 'cpu');
  bench.offer({ difficulty: 60_000n });
  await untilTrue(() => own().length > 0);
  shareOf(bench);
  // What its threads had found by then is judged first.
  await untilTrue(() => batches === 0);
  await pause(200);
  const resting = own().length;
  shareOf(bench, { ...RIG, id: 98 });
  bench.offer({ difficulty: 60_000n, parent: 2 });
  await pause(200);
  for (const id of [98, 99]) leaves(bench, { ...RIG, id });
  await pause(100);
  shareOf(bench);
  await pause(300);
  expect(own().length).toBe(resting);
  leaves(bench);
  await untilTrue(() => own().length > resting);
  expect(own().at(-1)?.jobId).toBe('2');
});

it('mines no more once it is closed, whoever leaves then', async () => {
  const bench = startBench({ mode: 'fallback', timing: { resumeAfterMs: 0 } });
  shareOf(bench);
  await bench.cpu.close();
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  leaves(bench);
  expect(timers()).toBe(before);
});

it('mines on beside rigs when it always does', async () => {
  const bench = startBench();
  shareOf(bench);
  bench.offer({ difficulty: 60_000n });
  await untilTrue(() => bench.submits.length > 2);
});

it('leaves no lease and no session behind', async () => {
  const bench = startBench({ threads: 2 });
  bench.offer({ difficulty: 60_000n });
  await untilTrue(() => bench.submits.length > 2);
  expect(bench.nonces.leased).toBe(2);
  await bench.cpu.close();
  expect(bench.nonces.leased).toBe(0);
  expect(bench.sessions).toEqual([
    '1 thread 1 opened',
    '2 thread 2 opened',
    '1 thread 1 closed: the CPU stops mining',
    '2 thread 2 closed: the CPU stops mining',
  ]);
});

it('gives up the lease and the session of a thread that dies, and mines on with others', async () => {
  const { startThreads, pools } = watchedThreads();
  const bench = startBench({ startThreads });
  bench.offer({ difficulty: 60_000n });
  await untilTrue(() => bench.submits.length > 0);
  const [before = 0n] = bench.solutions.map(({ nonce }) => nonce & 0xffffn);
  await pools[0]?.killThreads();
  await untilTrue(() => bench.solutions.some(({ nonce }) => (nonce & 0xffffn) !== before));
  expect(bench.nonces.leased).toBe(1);
  expect(bench.sessions).toEqual([
    '1 thread 1 opened',
    '1 thread 1 closed: its thread failed',
    '2 thread 1 opened',
  ]);
  expect(bench.submits.every(({ outcome }) => outcome === 'accepted')).toBe(true);
});

it('waits for the verdicts when shares are slow to become durable', async () => {
  const verdicts: (() => void)[] = [];
  const bench = startBench({
    judge: { judge: ({ settled }) => void verdicts.push(() => settled(REJECTED)) },
  });
  bench.offer({ difficulty: 1n });
  await untilTrue(() => verdicts.length >= 256);
  await pause(200);
  expect(verdicts.length).toBeLessThan(512);
  for (const answer of verdicts.splice(0)) answer();
  await untilTrue(() => verdicts.length > 0);
  const closed = bench.cpu.close();
  const answering = setInterval(() => {
    for (const answer of verdicts.splice(0)) answer();
  });
  await closed;
  clearInterval(answering);
});

const REJECTED = { accepted: false, reason: 'tryAgain', detail: 'the queue is away' } as const;
