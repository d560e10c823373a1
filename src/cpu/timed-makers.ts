/** Blocks by the clock: as often as a given hash rate would find them, or one in a fixed time. */
import type { Job } from '../core/jobs/job.js';
import { difficultyOf } from '../core/work/target.js';
import { type BlockMaker, type BlockMakerParts, UsedParents, unsearched } from './block-maker.js';
import { ChainChoice } from './chain-choice.js';

/** Node's timers hold no more; a wait this long is begun anew. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface SimulationOptions extends BlockMakerParts {
  readonly hashesPerSecond: number;
  /** 0 to 1. */
  random(): number;
}

/**
 * Finds blocks as a rig of the given hash rate would: after a time with exponential distribution whose mean is the
 * block difficulty by the hash rate. It has no memory, as hashing has none, so each new job simply begins a new wait.
 */
export function startSimulation(options: SimulationOptions): BlockMaker {
  const used = new UsedParents();
  const choice = new ChainChoice();
  let timer: NodeJS.Timeout | undefined;
  const make = (job: Job): void => {
    used.use(job);
    options.send(unsearched(job, options));
    choice.retire(job.work.chainId);
    begin();
  };
  const wait = (job: Job): void => {
    const meanMs = (Number(difficultyOf(job.blockTarget)) * 1000) / options.hashesPerSecond;
    const delayMs = -Math.log(1 - options.random()) * meanMs;
    timer = setTimeout(
      () => (delayMs > LONGEST_TIMER_MS ? wait(job) : make(job)),
      Math.min(delayMs, LONGEST_TIMER_MS),
    );
  };
  const begin = (): void => {
    clearTimeout(timer);
    if (choice.current) wait(choice.current);
  };
  return {
    offerJob(job) {
      if (!used.has(job) && choice.offer(job)) begin();
    },
    retireChains(chainIds) {
      if (choice.retire(...chainIds)) begin();
    },
    close: async () => clearTimeout(timer),
  };
}

export interface ConstantDelayOptions extends BlockMakerParts {
  readonly delayMs: number;
}

/** Makes one block in each `delayMs`; where no work is there in time, as soon as there is. */
export function startConstantDelay(options: ConstantDelayOptions): BlockMaker {
  const used = new UsedParents();
  /** The newest unused job of each chain. */
  const jobs = new Map<number, Job>();
  let due = false;
  const makeIfDue = (): void => {
    const [job] = jobs.values();
    if (!due || !job) return;
    used.use(job);
    options.send(unsearched(job, options));
    due = false;
    jobs.delete(job.work.chainId);
  };
  const timer = setInterval(() => {
    due = true;
    makeIfDue();
  }, options.delayMs);
  return {
    offerJob(offered) {
      if (used.has(offered)) return;
      jobs.set(offered.work.chainId, offered);
      makeIfDue();
    },
    retireChains(chainIds) {
      for (const chainId of chainIds) jobs.delete(chainId);
    },
    close: async () => clearInterval(timer),
  };
}
