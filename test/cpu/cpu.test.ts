import { afterEach, expect, it } from 'vitest';
import { createBridgeEvents, type SubmitEvent } from '../../src/bridge/events.js';
import { createJudge } from '../../src/bridge/judge.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { NonceSpace } from '../../src/core/jobs/nonce.js';
import { SILENT } from '../../src/core/names/log.js';
import type { Share, Solution } from '../../src/core/shares/share.js';
import { type Cpu, type CpuOptions, startCpu } from '../../src/cpu/cpu.js';
import { ThreadPool, type ThreadPoolOptions } from '../../workers/pool.js';
import { THREAD_URL } from '../helpers/processes/threads.js';
import { logBy } from '../helpers/rigs/shares.js';
import { makeWork, type WorkOptions } from '../helpers/rigs/works.js';
import { untilTrue } from '../helpers/until.js';

const running: Bench[] = [];
afterEach(async () => {
  for (const bench of running.splice(0)) await bench.cpu.close();
});

/** The CPU between a real job book and a real judge; shares and solutions end in lists. */
interface Bench {
  readonly cpu: Cpu;
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
  const ids = { next: 1 };
  const cpu = startCpu({
    mode: 'always',
    account: 'k:miner',
    threads: 1,
    kernel: 'plain',
    judge: createJudge({
      book,
      clock,
      shares: logBy(async (share) => void lists.shares.push(share)),
      sendSolution: (solution) => void lists.solutions.push(solution),
    }),
    nonces,
    events,
    clock,
    log: SILENT,
    nextSessionId: () => ids.next++,
    threadUrl: THREAD_URL,
    ...overrides,
  });
  const offer = (work: WorkOptions): void => cpu.offerJob(book.add(makeWork(work), 'node'));
  const bench = { cpu, nonces, sessions, offer, ...lists };
  running.push(bench);
  return bench;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it('mines solutions and has them judged under the name cpu', async () => {
  const bench = startBench();
  bench.offer({ difficulty: 3000n });
  await untilTrue(() => bench.solutions.length >= 3 && bench.submits.length >= 3);
  expect(bench.solutions[0]).toMatchObject({ account: 'k:miner', rig: 'cpu' });
  expect(bench.submits[0]).toMatchObject({
    session: { transport: 'cpu', peer: 'thread 1' },
    outcome: 'accepted',
    difficulty: 3000n,
  });
  expect(bench.submits.every(({ outcome }) => outcome === 'accepted')).toBe(true);
  await untilTrue(() => (bench.cpu.hashesPerSecond()[0] ?? 0) > 0);
});

it('never submits a nonce twice, also when the same header comes again', async () => {
  const bench = startBench({ threads: 2 });
  for (let i = 0; i < 8; i++) {
    bench.offer({ difficulty: 2000n });
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
  bench.offer({ difficulty: 2000n, parent: 1 });
  await untilTrue(() => bench.submits.length > 0);
  bench.offer({ difficulty: 2000n, parent: 2 });
  const first = (): number => bench.submits.findIndex(({ jobId }) => jobId === '2');
  await untilTrue(() => first() >= 0 && bench.submits.length > first() + 5);
  expect(bench.submits.slice(first()).every(({ jobId }) => jobId === '2')).toBe(true);
});

it('asks for an easier share where blocks are hard, so that shares come at the rate aimed at', async () => {
  const bench = startBench({ secondsPerShare: 0.05 });
  bench.offer({ difficulty: 2n ** 60n });
  await untilTrue(() => (bench.cpu.hashesPerSecond()[0] ?? 0) > 0);
  bench.offer({ difficulty: 2n ** 60n, parent: 2 });
  await untilTrue(() => bench.shares.length > 2);
  expect(bench.solutions).toEqual([]);
  expect(bench.shares[0]?.difficulty).toBeLessThan(2n ** 40n);
});

it('rests while rigs are connected when it is the fallback, and resumes after they have gone', async () => {
  let batches = 0;
  const startThreads = (options: ThreadPoolOptions): ThreadPool => {
    const pool = new ThreadPool(options);
    const run = pool.run.bind(pool);
    pool.run = async (...parts) => {
      batches++;
      return run(...parts).finally(() => batches--);
    };
    return pool;
  };
  const bench = startBench({ mode: 'fallback', resumeAfterMs: 10_000, startThreads });
  bench.offer({ difficulty: 2000n });
  await untilTrue(() => bench.submits.length > 0);
  bench.cpu.rigsConnected(1);
  // What its threads had found by then is judged first.
  await untilTrue(() => batches === 0);
  await pause(200);
  const resting = bench.submits.length;
  bench.cpu.rigsConnected(2);
  bench.offer({ difficulty: 2000n, parent: 2 });
  await pause(200);
  bench.cpu.rigsConnected(0);
  await pause(100);
  bench.cpu.rigsConnected(1);
  await pause(300);
  expect(bench.submits.length).toBe(resting);
  bench.cpu.rigsConnected(0);
  await untilTrue(() => bench.submits.length > resting);
  expect(bench.submits.at(-1)?.jobId).toBe('2');
});

it('mines no more once it is closed, whoever leaves then', async () => {
  const bench = startBench({ mode: 'fallback', resumeAfterMs: 0 });
  bench.cpu.rigsConnected(1);
  await bench.cpu.close();
  const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  bench.cpu.rigsConnected(0);
  expect(timers()).toBe(before);
});

it('mines on beside rigs when it always does', async () => {
  const bench = startBench();
  bench.cpu.rigsConnected(3);
  bench.offer({ difficulty: 2000n });
  await untilTrue(() => bench.submits.length > 2);
});

it('does nothing when it is off', async () => {
  const bench = startBench({ mode: 'off' });
  bench.offer({ difficulty: 1n });
  await pause(100);
  expect(bench.submits).toEqual([]);
  expect(bench.sessions).toEqual([]);
  expect(bench.nonces.leased).toBe(0);
});

it('leaves no lease and no session behind', async () => {
  const bench = startBench({ threads: 2 });
  bench.offer({ difficulty: 2000n });
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
  const pools: ThreadPool[] = [];
  const startThreads = (options: ThreadPoolOptions): ThreadPool => {
    const pool = new ThreadPool(options);
    pools.push(pool);
    return pool;
  };
  const bench = startBench({ startThreads });
  bench.offer({ difficulty: 2000n });
  await untilTrue(() => bench.submits.length > 0);
  const [before = 0n] = bench.solutions.map(({ nonce }) => nonce & 0xffffn);
  await pools[0]?.killThreads();
  await untilTrue(() => bench.solutions.some(({ nonce }) => (nonce & 0xffffn) !== before));
  expect(bench.nonces.leased).toBe(1);
  expect(bench.sessions).toEqual([
    '1 thread 1 opened',
    '1 thread 1 closed: its thread died',
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
