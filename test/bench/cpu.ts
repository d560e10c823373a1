/**
 * Speed of mining on this machine: kernels, threads, how soon a job is left, and what settling a submit costs.
 *
 * Each figure is the best of several short rounds, and what is compared takes turns within a round: other load on the
 * machine then takes from all of them alike.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { JobBook } from '../../src/core/jobs/job.js';
import { hashSubmit } from '../../src/core/shares/share.js';
import { HEADER_BYTES } from '../../src/core/work/header.js';
import { KERNEL_NAMES, type Kernel, NATIVE_KERNEL_NAMES } from '../../workers/kernel.js';
import { chooseKernel, createKernel, scanFor } from '../../workers/kernels.js';
import { ThreadPool } from '../../workers/pool.js';
import type { Puzzle } from '../../workers/search.js';
import { makeWork } from '../helpers/rigs/works.js';

/** Compiled into dist/test/bench; the source of the yardstick stays where it is. */
const YARDSTICK = new URL('../../../test/bench/kernels.c', import.meta.url).pathname;
const SSE41 = 'sse41';
const ROUNDS = 6;
const ROUND_MS = 150;
const PREEMPTIONS = 60;
const VERIFICATIONS = 20_000;

export interface Measured {
  readonly name: string;
  readonly hashesPerSecond: number;
}

export interface Bar {
  readonly name: string;
  readonly value: number;
  readonly bar: number;
  /** At least 1 when the bar is held. */
  readonly ratio: number;
}

export interface CpuFigures {
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    /** Of the minute before: above zero means that other programs took part of what is measured here. */
    readonly loadBefore: number;
  };
  readonly kernels: readonly Measured[];
  readonly threads: readonly Measured[];
  readonly preemptionMs: { readonly median: number; readonly p99: number; readonly max: number };
  readonly verificationMicroseconds: number;
  readonly bars: readonly Bar[];
}

/** Measures for about half a minute and prints a table and one line of JSON. */
export async function benchCpu(print: (text: string) => void = (text) => process.stdout.write(text)) {
  const loadBefore = loadavg()[0] ?? 0;
  print('measuring kernels, threads, preemption and verification: about half a minute\n');
  const folder = mkdtempSync(join(tmpdir(), 'stratum-bridge-bench-'));
  const yardstick = compileYardstick(folder, print);
  const kernels = measureKernels(yardstick, print);
  const threads = await measureThreads(yardstick);
  rmSync(folder, { recursive: true });
  const preemptionMs = await measurePreemption();
  const verificationMicroseconds = measureVerification();
  const bars = barsOf(kernels, threads, preemptionMs.p99, verificationMicroseconds);
  const cpu = cpus()[0]?.model ?? 'unknown';
  const machine = { cpu, cores: availableParallelism(), node: process.version, loadBefore };
  const figures: CpuFigures = { machine, kernels, threads, preemptionMs, verificationMicroseconds, bars };
  print(tableOf(figures));
  print(`${JSON.stringify(figures)}\n`);
  return figures;
}

function measureKernels(yardstick: Yardstick, print: (text: string) => void): Measured[] {
  const own = KERNEL_NAMES.flatMap((name) => {
    const kernel = kernelOrNothing(name, print);
    return kernel ? [{ name: `${name} kernel`, measure: () => scanFor(kernel, ROUND_MS) }] : [];
  });
  const c = yardstick.names.map((name) => ({ name: `C ${name}`, measure: () => yardstick.run(name) }));
  const contenders = [...c, ...own];
  const best = new Map(contenders.map(({ name }) => [name, 0]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, measure } of contenders) best.set(name, Math.max(best.get(name) ?? 0, measure()));
  }
  return [...best].map(([name, hashesPerSecond]) => ({ name, hashesPerSecond }));
}

function kernelOrNothing(
  name: (typeof KERNEL_NAMES)[number],
  print: (text: string) => void,
): Kernel | undefined {
  try {
    const kernel = createKernel(name);
    scanFor(kernel, ROUND_MS);
    return kernel;
  } catch (error) {
    print(`left out: the ${name} kernel (${(error as Error).message})\n`);
    return undefined;
  }
}

/** The kernels in C. */
interface Yardstick {
  /** Those that this processor runs; none where there is no compiler. */
  readonly names: readonly string[];
  /** Hashes a second of one. */
  run(name: string): number;
  /** Hashes a second of so many processes at once. */
  runTogether(name: string, processes: number): Promise<number>;
}

function compileYardstick(folder: string, print: (text: string) => void): Yardstick {
  const program = join(folder, 'kernels');
  const seconds = String(ROUND_MS / 1000);
  const run = (name: string): number =>
    Number.parseFloat(execFileSync(program, [name, seconds], { encoding: 'utf8' }));
  const runTogether = async (name: string, processes: number): Promise<number> => {
    const running = Array.from({ length: processes }, () => promisify(execFile)(program, [name, seconds]));
    const outputs = await Promise.all(running);
    return outputs.reduce((sum, { stdout }) => sum + Number.parseFloat(stdout), 0);
  };
  try {
    execFileSync(process.env['CC'] ?? 'cc', ['-O3', '-o', program, YARDSTICK], { stdio: 'pipe' });
    const names = execFileSync(program, ['list'], { encoding: 'utf8' }).trim().split('\n');
    return { names, run, runTogether };
  } catch (error) {
    print(
      `LEFT OUT: the yardstick in C does not compile or run: ${(error as Error).message.split('\n')[0]}\n`,
    );
    return { names: [], run, runTogether };
  }
}

const HOPELESS: Puzzle = {
  header: new Uint8Array(HEADER_BYTES),
  target: new Uint8Array(32),
  nonce1: 1,
  nonce1Bytes: 2,
};
const ENDLESS = 2 ** 44;

/** One thread, then as many as there are cores, and the same with processes of the yardstick, in turns. */
async function measureThreads(yardstick: Yardstick): Promise<Measured[]> {
  const cores = availableParallelism();
  const c = yardstick.names.includes(SSE41)
    ? [1, cores].map((count) => ({
        name: `C ${SSE41}, processes: ${count}`,
        measure: () => yardstick.runTogether(SSE41, count),
      }))
    : [];
  const own = [1, cores].map((count) => ({ name: `threads: ${count}`, measure: () => threadsFor(count) }));
  const best = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, measure } of [...c, ...own]) {
      best.set(name, Math.max(best.get(name) ?? 0, await measure()));
    }
  }
  return [...best].map(([name, hashesPerSecond]) => ({ name, hashesPerSecond }));
}

async function threadsFor(threads: number): Promise<number> {
  return withPool(threads, async (pool) => {
    const { hashes, ms } = await scanTogether(pool, ROUND_MS);
    return (hashes * 1000) / ms;
  });
}

async function withPool<T>(threads: number, use: (pool: ThreadPool) => Promise<T>): Promise<T> {
  const pool = new ThreadPool(threads, chooseKernel().name);
  try {
    await scanTogether(pool, 2 * ROUND_MS);
    return await use(pool);
  } finally {
    await pool.close();
  }
}

/** Every thread of the pool at work for a while. */
async function scanTogether(pool: ThreadPool, forMs: number): Promise<{ hashes: number; ms: number }> {
  const batches = Array.from({ length: pool.threads }, (_, thread) =>
    pool.run(thread, HOPELESS, 0, ENDLESS, () => undefined),
  );
  await new Promise((resolve) => setTimeout(resolve, forMs));
  pool.abandon();
  const results = await Promise.all(batches);
  const hashes = results.reduce((sum, { scanned }) => sum + scanned, 0);
  return { hashes, ms: Math.max(...results.map(({ elapsedMs }) => elapsedMs)) };
}

/** From the moment a new job is there to the moment that the host knows the old batch is left. */
async function measurePreemption(): Promise<CpuFigures['preemptionMs']> {
  const threads = Math.max(1, availableParallelism() - 1);
  const times = await withPool(threads, async (pool) => {
    const times: number[] = [];
    for (let i = 0; i < PREEMPTIONS; i++) times.push(await preempt(pool, 10 + (i % 30)));
    return times.sort((a, b) => a - b);
  });
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { median: at(0.5), p99: at(0.99), max: at(1) };
}

async function preempt(pool: ThreadPool, afterMs: number): Promise<number> {
  const batches = Array.from({ length: pool.threads }, (_, thread) =>
    pool.run(thread, HOPELESS, 0, ENDLESS, () => undefined),
  );
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const startedMs = performance.now();
  pool.abandon();
  await Promise.all(batches);
  return performance.now() - startedMs;
}

function measureVerification(): number {
  const job = new JobBook(1).add(makeWork({}), 'node');
  let bestMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 5 * ROUNDS; round++) {
    const startedMs = performance.now();
    for (let nonce = 0; nonce < VERIFICATIONS; nonce++) hashSubmit(job, BigInt(nonce));
    bestMs = Math.min(bestMs, performance.now() - startedMs);
  }
  return (bestMs * 1000) / VERIFICATIONS;
}

function barsOf(
  kernels: readonly Measured[],
  threads: readonly Measured[],
  preemptionMs: number,
  verificationMicroseconds: number,
): Bar[] {
  const speed = (name: string): number =>
    [...kernels, ...threads].find((measured) => measured.name === name)?.hashesPerSecond ?? Number.NaN;
  const bestOfC = Math.max(
    ...kernels.filter(({ name }) => name.startsWith('C ')).map((c) => c.hashesPerSecond),
  );
  const native = Math.max(...NATIVE_KERNEL_NAMES.map((name) => speed(`${name} kernel`)).filter((x) => x > 0));
  const cores = availableParallelism();
  const together = speed(`threads: ${cores}`) / (cores * speed('threads: 1'));
  const machine = speed(`C ${SSE41}, processes: ${cores}`) / (cores * speed(`C ${SSE41}, processes: 1`));
  const atLeast = (name: string, value: number, bar: number): Bar => ({
    name,
    value,
    bar,
    ratio: value / bar,
  });
  const atMost = (name: string, value: number, bar: number): Bar => ({
    name,
    value,
    bar,
    ratio: bar / value,
  });
  return [
    atLeast('portable kernel / C sse41', speed('simd kernel') / speed(`C ${SSE41}`), 0.95),
    atLeast('native kernel / best C', native / bestOfC, 0.9),
    atLeast('all threads / (threads x one)', together, 0.95),
    atLeast('the same / that of C processes', together / machine, 0.95),
    atMost('job left after, p99 (ms)', preemptionMs, 5),
    atMost('submit verified in (microseconds)', verificationMicroseconds, 1),
  ].filter(({ ratio }) => Number.isFinite(ratio));
}

function tableOf({
  machine,
  kernels,
  threads,
  preemptionMs,
  verificationMicroseconds,
  bars,
}: CpuFigures): string {
  const speeds = [...kernels, ...threads].map(({ name, hashesPerSecond }) => [
    name,
    `${(hashesPerSecond / 1e6).toFixed(2)} million hashes a second`,
  ]);
  const { median, p99, max } = preemptionMs;
  const rows = [
    ...speeds,
    ['job left after', `median ${median.toFixed(2)}, p99 ${p99.toFixed(2)}, max ${max.toFixed(2)} ms`],
    ['submit verified in', `${verificationMicroseconds.toFixed(2)} microseconds`],
  ];
  const held = bars.map(({ name, value, bar, ratio }) => [
    name,
    `${value.toFixed(2)}, bar ${bar}: ${ratio >= 1 ? 'held' : 'MISSED'} (ratio ${ratio.toFixed(2)})`,
  ]);
  const lines = [...rows, ...held].map(([name = '', text]) => `  ${name.padEnd(36)} ${text}`);
  const load = `load before ${machine.loadBefore.toFixed(1)}`;
  return `\n${machine.cpu}, ${machine.cores} cores, Node.js ${machine.node}, ${load}\n${lines.join('\n')}\n\n`;
}
