import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { MAX_TARGET, targetFromInteger } from '../../src/core/work/target.js';
import type { KernelName } from '../../workers/kernel.js';
import { chooseKernel, createKernel } from '../../workers/kernels.js';
import { type Assignment, type Miner, Mining } from '../../workers/mining.js';
import { ThreadPool } from '../../workers/pool.js';
import type { Puzzle } from '../../workers/search.js';
import { THREAD_URL } from '../helpers/processes/threads.js';
import { makeWork } from '../helpers/rigs/works.js';
import { untilTrue } from '../helpers/until.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

function startPool(threads = 1, kernel: KernelName = 'scalar'): ThreadPool {
  const pool = new ThreadPool(threads, kernel, THREAD_URL);
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
  const result = await startPool().run(0, RARE, 1000, 20_000, (nonce2) => hits.push(nonce2));
  expect(result).toMatchObject({ scanned: 20_000, abandoned: false });
  expect(hits.length).toBeGreaterThan(0);
  expect(new Set(hits).size).toBe(hits.length);
  expect(hits.every((hit) => hit >= 1000 && hit < 21_000)).toBe(true);
  expect([...hits].sort((a, b) => a - b)).toEqual([...result.hits]);
});

it('finds the same with the kernel of this machine, in several threads at once', async () => {
  const scalar = await startPool().run(0, RARE, 0, 50_000, () => undefined);
  const pool = startPool(2, chooseKernel().name);
  const scans = [0, 1].map((thread) => pool.run(thread, RARE, 0, 50_000, () => undefined));
  for (const scan of await Promise.all(scans)) expect(scan.hits).toEqual(scalar.hits);
});

it('CU5: hands a kernel in WebAssembly to its threads as it was compiled', async () => {
  const compile = vi.spyOn(WebAssembly, 'Module');
  const pool = startPool(2, 'simd');
  expect(compile).toHaveBeenCalledTimes(1);
  const module = compile.mock.results[0]?.value;
  createKernel('simd', module);
  expect(compile).toHaveBeenCalledTimes(1);
  compile.mockRestore();
  const scalar = await startPool().run(0, RARE, 0, 20_000, () => undefined);
  for (const thread of [0, 1])
    expect((await pool.run(thread, RARE, 0, 20_000, () => undefined)).hits).toEqual(scalar.hits);
});

it('tells a hit while the batch still runs', async () => {
  const pool = startPool();
  const first = deferred<number>();
  const batch = pool.run(0, RARE, 0, 2 ** 40, first.resolve);
  expect(await first.promise).toBeGreaterThanOrEqual(0);
  pool.abandon();
  expect((await batch).abandoned).toBe(true);
});

it('ends a batch that finds too much, and says how far it came', async () => {
  const result = await startPool().run(0, puzzleWith(MAX_TARGET), 0, 10_000, () => undefined);
  expect(result.scanned).toBe(256);
  expect(result.hits).toHaveLength(256);
});

it('abandons a running batch, and the thread takes the next', async () => {
  const pool = startPool();
  await pool.run(0, IMPOSSIBLE, 0, 100, () => undefined);
  const found = deferred<void>();
  const batch = pool.run(0, RARE, 0, 2 ** 40, () => found.resolve());
  await found.promise;
  pool.abandon();
  const result = await batch;
  expect(result.abandoned).toBe(true);
  expect(result.scanned).toBeGreaterThan(0);
  expect(await pool.run(0, IMPOSSIBLE, 0, 100, () => undefined)).toMatchObject({
    scanned: 100,
    abandoned: false,
  });
});

it('replaces a thread that dies, and keeps what it had found', async () => {
  const pool = startPool();
  const hits: number[] = [];
  const found = deferred<void>();
  const batch = pool.run(0, RARE, 0, 2 ** 40, (nonce2) => {
    hits.push(nonce2);
    found.resolve();
  });
  await found.promise;
  const [ended] = await Promise.allSettled([batch, pool.killThreads()]);
  expect(ended).toMatchObject({ status: 'rejected' });
  expect(hits.length).toBeGreaterThan(0);
  expect(await pool.run(0, IMPOSSIBLE, 0, 100, () => undefined)).toMatchObject({ scanned: 100 });
});

const LOWER = Math.min(19, getPriority() + 10);

// Below 19 there is nothing: a run of lowest priority cannot tell its threads from others.
it.skipIf(process.platform !== 'linux' || getPriority() === LOWER)(
  'leaves the processor to others: its threads have a lower priority',
  async () => {
    const before = new Set(lowThreads());
    const pool = startPool(2);
    for (const thread of [0, 1]) await pool.run(thread, IMPOSSIBLE, 0, 100, () => undefined);
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

  threadFailed(thread: number): void {
    this.deaths.push(thread);
  }
}

it('keeps every thread at work, idles when told nothing, and wakes', async () => {
  const miner = new Recorder();
  const mining = new Mining(startPool(2), miner);
  open.unshift(mining);
  expect(mining.trouble).toBe('the threads start');
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
  open.unshift(new Mining(pool, miner));
  await untilTrue(() => miner.parts.length > 1);
  await pool.killThreads();
  await untilTrue(() => miner.deaths.length === 1);
  const before = miner.parts.length;
  await untilTrue(() => miner.parts.length > before + 1);
  expect(miner.deaths).toEqual([0]);
});

/** A thread whose file throws at its first loads, and loads as ever then. */
function failingThread(times: number): { url: URL; loads: () => number; end: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'stratum-bridge-test-'));
  const [file, count] = [join(folder, 'thread.mjs'), join(folder, 'loads')];
  writeFileSync(count, '');
  writeFileSync(
    file,
    `import { appendFileSync, readFileSync } from 'node:fs';
     appendFileSync(${JSON.stringify(count)}, '.');
     const loads = readFileSync(${JSON.stringify(count)}, 'utf8').length;
     if (loads <= ${times}) throw new Error('load ' + loads + ' fails');
     const { default: run } = await import(${JSON.stringify(THREAD_URL.href)});
     export default run;`,
  );
  const loads = (): number => readFileSync(count, 'utf8').length;
  return { url: pathToFileURL(file), loads, end: () => rmSync(folder, { recursive: true }) };
}

it('CU9: starts a thread again that failed to load three times and more, and says so each time', async () => {
  const thread = failingThread(5);
  const miner = new Recorder();
  const pool = new ThreadPool(1, 'scalar', thread.url);
  const mining = new Mining(pool, miner);
  open.push({ close: async () => thread.end() }, pool);
  open.unshift(mining);
  await untilTrue(() => miner.deaths.length >= 2);
  expect(mining.trouble).toMatch(/^1 of 1 threads fail: load \d fails$/);
  await untilTrue(() => mining.hashesPerSecond().every((rate) => rate > 0));
  expect(thread.loads()).toBeGreaterThan(5);
  expect(mining.trouble).toBe('');
});

it('CU23: takes any error of a batch for one of its thread, and goes on', async () => {
  const miner = new Recorder();
  const pool = startPool();
  const run = pool.run.bind(pool);
  let faults = 2;
  pool.run = (...batch) => (faults-- > 0 ? Promise.reject(new Error('of another kind')) : run(...batch));
  const mining = new Mining(pool, miner);
  open.unshift(mining);
  await untilTrue(() => mining.hashesPerSecond().every((rate) => rate > 0));
  expect(miner.deaths).toEqual([0, 0]);
});

it('CU1: goes on as soon as one of many answers has come', async () => {
  const answers: (() => void)[] = [];
  let batches = 0;
  const miner: Miner = {
    next: (_thread, count) => ({
      puzzle: puzzleWith(MAX_TARGET),
      first: 1000 * batches++,
      count: Math.min(count, 1000),
      found: () => new Promise((resolve) => answers.push(resolve)),
    }),
    threadFailed() {},
  };
  const mining = new Mining(startPool(), miner);
  open.unshift({
    close: async () => {
      const answering = setInterval(() => {
        for (const answer of answers.splice(0)) answer();
      });
      await mining.close();
      clearInterval(answering);
    },
  });
  await untilTrue(() => answers.length === 256);
  await untilTrue(() => mining.trouble !== '');
  expect(mining.trouble).toBe('1 threads wait for answers to 256 shares each');
  expect(mining.hashesPerSecond()).toEqual([0]);
  answers.shift()?.();
  await untilTrue(() => answers.length > 256);
});

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((r) => {
    resolve = r;
  });
  return { promise, resolve };
}
