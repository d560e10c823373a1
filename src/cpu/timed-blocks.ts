/** Blocks by the clock: as often as a given hash rate would find them, or one in a fixed time. */
import type { Job } from '../core/jobs/job.js';
import { difficultyOf } from '../core/work/target.js';
import { BlockSource } from './block-source.js';
import type { CpuOptions } from './options.js';

/** Node's timers hold no more; a wait this long is begun anew. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Finds blocks as a rig of the given hash rate would: after a time with exponential distribution whose mean is the
 * block difficulty by the hash rate. It has no memory, as hashing has none, so each new job simply begins a new wait.
 */
export function startSimulation(options: CpuOptions): BlockSource {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  const begin = (): void => {
    stop();
    const job = source.freeJob();
    if (job) wait(job);
  };
  const source = new BlockSource(options, begin, stop);
  const wait = (job: Job): void => {
    const meanMs = (Number(difficultyOf(job.blockTarget)) * 1000) / options.simulatedHashesPerSecond;
    const delayMs = -Math.log(1 - options.random()) * meanMs;
    const isLong = delayMs > LONGEST_TIMER_MS;
    timer = setTimeout(() => (isLong ? wait(job) : source.make(job)), Math.min(delayMs, LONGEST_TIMER_MS));
  };
  return source;
}

/** Makes one block in each `blockDelayMs`; where no work is there in time, as soon as there is. */
export function startConstantDelay(options: CpuOptions): BlockSource {
  let isDue = false;
  const makeIfDue = (): void => {
    const job = isDue ? source.freeJob() : undefined;
    if (!job) return;
    isDue = false;
    void source.make(job);
  };
  const timer = setInterval(() => {
    isDue = true;
    makeIfDue();
  }, options.blockDelayMs);
  const source = new BlockSource(options, makeIfDue, () => clearInterval(timer));
  return source;
}
