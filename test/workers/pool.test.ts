import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { MAX_TARGET, targetFromInteger } from '../../src/core/work/target.js';
import type { KernelName } from '../../workers/kernel.js';
import { chooseKernel } from '../../workers/kernels.js';
import { type Assignment, type Miner, Mining } from '../../workers/mining.js';
import { ThreadDiedError, ThreadPool } from '../../workers/pool.js';
import type { Puzzle } from '../../workers/search.js';
import { THREAD_URL } from '../helpers/processes/threads.js';
import { makeWork } from '../helpers/rigs/works.js';
import { untilTrue } from '../helpers/until.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function startPool(threads = 1, kernel: KernelName = 'plain'): ThreadPool {
  const pool = new ThreadPool({ threads, kernel, threadUrl: THREAD_URL });
  open.push(pool);
  return pool;
}

function puzzleWith(target: Uint8Array): Puzzle {
  return { header: makeWork({}).header, target, nonce1: 7, nonce1Bytes: 2 };
}

const IMPOSSIBLE = puzzleWith(new Uint8Array(32));
/** About one in 4096. */
const RARE = puzzleWith(targetFromInteger(1n << 244n));

it('scans a range and tells every hit once', async () => {
  const hits: number[] = [];
  const result = await startPool().run(RARE, 1000, 20_000, (nonce2) => hits.push(nonce2));
  expect(result).toMatchObject({ scanned: 20_000, abandoned: false });
  expect(hits.length).toBeGreaterThan(0);
  expect(new Set(hits).size).toBe(hits.length);
  expect(hits.every((hit) => hit >= 1000 && hit < 21_000)).toBe(true);
  expect([...hits].sort((a, b) => a - b)).toEqual([...result.hits]);
});

it('finds the same with the kernel of this machine, in several threads at once', async () => {
  const plain = await startPool().run(RARE, 0, 50_000, () => undefined);
  const pool = startPool(2, chooseKernel());
  const scans = [0, 1, 2, 3].map(() => pool.run(RARE, 0, 50_000, () => undefined));
  for (const scan of await Promise.all(scans)) expect(scan.hits).toEqual(plain.hits);
});

it('tells a hit while the batch still runs', async () => {
  const pool = startPool();
  const first = deferred<number>();
  const batch = pool.run(RARE, 0, 2 ** 40, first.resolve);
  expect(await first.promise).toBeGreaterThanOrEqual(0);
  pool.abandon();
  expect((await batch).abandoned).toBe(true);
});

it('ends a batch that finds too much, and says how far it came', async () => {
  const result = await startPool().run(puzzleWith(MAX_TARGET), 0, 10_000, () => undefined);
  expect(result.scanned).toBe(256);
  expect(result.hits).toHaveLength(256);
});

it('abandons a running batch, and the thread takes the next', async () => {
  const pool = startPool();
  await pool.run(IMPOSSIBLE, 0, 100, () => undefined);
  const found = deferred<void>();
  const batch = pool.run(RARE, 0, 2 ** 40, () => found.resolve());
  await found.promise;
  pool.abandon();
  const result = await batch;
  expect(result.abandoned).toBe(true);
  expect(result.scanned).toBeGreaterThan(0);
  expect(await pool.run(IMPOSSIBLE, 0, 100, () => undefined)).toMatchObject({
    scanned: 100,
    abandoned: false,
  });
});

it('replaces a thread that dies, and keeps what it had found', async () => {
  const pool = startPool();
  const hits: number[] = [];
  const found = deferred<void>();
  const batch = pool.run(RARE, 0, 2 ** 40, (nonce2) => {
    hits.push(nonce2);
    found.resolve();
  });
  await found.promise;
  const [ended] = await Promise.allSettled([batch, pool.killThreads()]);
  expect(ended).toMatchObject({ status: 'rejected', reason: expect.any(ThreadDiedError) });
  expect(hits.length).toBeGreaterThan(0);
  expect(await pool.run(IMPOSSIBLE, 0, 100, () => undefined)).toMatchObject({ scanned: 100 });
});

const LOWER = Math.min(19, getPriority() + 10);

// Below 19 there is nothing: a run of lowest priority cannot tell its threads from others.
it.skipIf(process.platform !== 'linux' || getPriority() === LOWER)(
  'leaves the processor to others: its threads have a lower priority',
  async () => {
    const before = new Set(lowThreads());
    await startPool(2).run(IMPOSSIBLE, 0, 100, () => undefined);
    await untilTrue(() => lowThreads().filter((thread) => !before.has(thread)).length === 2);
  },
);

/** Threads of this process that have the lower priority. */
function lowThreads(): string[] {
  return readdirSync('/proc/self/task').filter((thread) => nicenessOf(thread) === String(LOWER));
}

function nicenessOf(thread: string): string | undefined {
  try {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')')).split(' ')[17];
  } catch {
    return undefined; // it has ended since it was listed
  }
}

class Recorder implements Miner {
  readonly parts: { thread: number; first: number; count: number }[] = [];
  readonly deaths: number[] = [];
  working = true;
  #first = 0;

  next(thread: number, count: number): Assignment | undefined {
    if (!this.working) return undefined;
    const first = this.#first;
    this.#first += count;
    this.parts.push({ thread, first, count });
    return { puzzle: IMPOSSIBLE, first, count, found: async () => undefined };
  }

  threadDied(thread: number): void {
    this.deaths.push(thread);
  }
}

it('keeps every thread at work, idles when told nothing, and wakes', async () => {
  const miner = new Recorder();
  const mining = new Mining(startPool(2), miner, () => performance.now());
  open.unshift(mining);
  await untilTrue(() => miner.parts.filter(({ thread }) => thread === 0).length > 3);
  await untilTrue(() => mining.hashesPerSecond().every((rate) => rate > 0));
  miner.working = false;
  mining.restart();
  await new Promise((resolve) => setTimeout(resolve, 100));
  const before = miner.parts.length;
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(miner.parts.length).toBe(before);
  miner.working = true;
  mining.wake();
  await untilTrue(() => miner.parts.length > before);
});

it('says which thread died and goes on', async () => {
  const miner = new Recorder();
  const pool = startPool();
  open.unshift(new Mining(pool, miner, () => performance.now()));
  await untilTrue(() => miner.parts.length > 1);
  await pool.killThreads();
  await untilTrue(() => miner.deaths.length === 1);
  const before = miner.parts.length;
  await untilTrue(() => miner.parts.length > before + 1);
  expect(miner.deaths).toEqual([0]);
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((r) => {
    resolve = r;
  });
  return { promise, resolve };
}
