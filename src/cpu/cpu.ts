/** The CPU as one more rig: it gets jobs as any rig does and has its hits judged as any rig's submits. */

import type { KernelName } from '../../workers/kernel.js';
import { type Assignment, Mining } from '../../workers/mining.js';
import { ThreadPool, type ThreadPoolOptions } from '../../workers/pool.js';
import type { BridgeEvents } from '../bridge/events.js';
import { verdictOn } from '../bridge/judge.js';
import type { Clock, JobSink, Judge } from '../bridge/ports.js';
import type { Job, JobId } from '../core/jobs/job.js';
import { NONCE1_BYTES, type Nonce1, type NonceSpace, nonce2FromNumber } from '../core/jobs/nonce.js';
import type { Log } from '../core/names/log.js';
import { spentOn } from '../core/shares/share.js';
import { easierTarget, type Target, targetOf } from '../core/work/target.js';
import { ChainChoice } from './chain-choice.js';
import { CPU_RIG, Seat } from './seat.js';

/** How the CPU searches: `fallback` does only while no rig is connected. */
export type SearchMode = 'always' | 'fallback' | 'off';

export interface CpuOptions {
  readonly mode: SearchMode;
  readonly account: string;
  readonly threads: number;
  readonly kernel: KernelName;
  readonly judge: Judge;
  readonly nonces: NonceSpace;
  readonly events: BridgeEvents;
  readonly clock: Clock;
  readonly log: Log;
  /** A number that no other session of this process has. */
  nextSessionId(): number;
  /** Aimed at, for each thread. Default 5. */
  readonly secondsPerShare?: number;
  /** How long after the last rig has gone `fallback` mines again. Default 5000. */
  readonly resumeAfterMs?: number;
  /** The compiled workers/thread.js, for those who run the sources. */
  readonly threadUrl?: URL;
  /** As `new ThreadPool`; for tests that want the threads in their hand. */
  readonly startThreads?: (options: ThreadPoolOptions) => ThreadPool;
}

export interface Cpu extends JobSink {
  /** How many rigs are connected now; only `fallback` cares. */
  rigsConnected(count: number): void;
  /** Of each thread, over the last ten seconds. */
  hashesPerSecond(): number[];
  /** Ends threads, leases and sessions, once submits under way have their verdicts. */
  close(): Promise<void>;
}

export function startCpu(options: CpuOptions): Cpu {
  return options.mode === 'off' ? CPU_OFF : new CpuRig(options);
}

const CPU_OFF: Cpu = {
  offerJob() {},
  retireChains() {},
  rigsConnected() {},
  hashesPerSecond: () => [],
  close: async () => undefined,
};

const DEFAULT_SECONDS_PER_SHARE = 5;
const DEFAULT_RESUME_AFTER_MS = 5000;
/** Expected hashes of a share until the speed of the threads is known. */
const FIRST_DIFFICULTY = 2n ** 22n;
/** Jobs whose share target is remembered: more than are ever judged. */
const MAX_ISSUED = 2048;

class CpuRig implements Cpu {
  readonly #options: CpuOptions;
  readonly #mining: Mining;
  readonly #seats: Seat[];
  readonly #issued = new Map<JobId, Target>();
  readonly #choice = new ChainChoice();
  #paused = false;
  #closed = false;
  #resumeTimer: NodeJS.Timeout | undefined;

  constructor(options: CpuOptions) {
    this.#options = options;
    this.#seats = Array.from({ length: options.threads }, (_, thread) => new Seat(thread, options));
    const { threads, kernel, threadUrl, startThreads = (parts) => new ThreadPool(parts) } = options;
    const pool = startThreads({ threads, kernel, threadUrl, log: options.log });
    this.#mining = new Mining(pool, this, () => performance.now());
    options.log.info({ threads, kernel, mode: options.mode }, 'the CPU is ready to mine');
  }

  offerJob(job: Job): void {
    this.#issued.set(job.id, this.#shareTargetFor(job));
    for (const id of this.#issued.keys()) {
      if (this.#issued.size <= MAX_ISSUED) break;
      this.#issued.delete(id);
    }
    if (this.#choice.offer(job) && !this.#paused) this.#mining.restart();
  }

  retireChains(chainIds: readonly number[]): void {
    if (this.#choice.retire(...chainIds) && !this.#paused) this.#mining.restart();
  }

  rigsConnected(count: number): void {
    if (this.#options.mode !== 'fallback' || this.#closed) return;
    if (count > 0) {
      clearTimeout(this.#resumeTimer);
      this.#resumeTimer = undefined;
      if (!this.#paused) this.#pause();
    } else if (this.#paused && !this.#resumeTimer) {
      this.#resumeTimer = setTimeout(
        () => this.#resume(),
        this.#options.resumeAfterMs ?? DEFAULT_RESUME_AFTER_MS,
      );
    }
  }

  hashesPerSecond(): number[] {
    return this.#mining.hashesPerSecond();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#resumeTimer);
    await this.#mining.close();
    for (const seat of this.#seats) seat.leave('the CPU stops mining');
  }

  /** Called by the mining loop. */
  next(thread: number, count: number): Assignment | undefined {
    const job = this.#choice.current;
    const seat = this.#seats[thread];
    if (!job || !seat || this.#paused) return undefined;
    const part = seat.take(job.header, count);
    if (!part) return undefined;
    const { nonce1, first, length } = part;
    return {
      puzzle: {
        header: job.header,
        target: this.#issued.get(job.id) ?? job.blockTarget,
        nonce1,
        nonce1Bytes: NONCE1_BYTES,
      },
      first,
      count: length,
      found: (nonce2) => this.#submit(seat, job, nonce1, nonce2),
    };
  }

  /** Called by the mining loop. */
  threadDied(thread: number, error: Error): void {
    this.#options.log.warn({ thread, error: error.message }, 'a mining thread died and is replaced');
    this.#seats[thread]?.change('its thread died');
  }

  async #submit(seat: Seat, job: Job, nonce1: Nonce1, nonce2: number): Promise<void> {
    const { account, judge, events } = this.#options;
    const { session } = seat;
    const verdict = await verdictOn(judge, {
      jobId: job.id,
      nonce1,
      nonce2: nonce2FromNumber(nonce2),
      account,
      rig: CPU_RIG,
      shareTargetOf: (judged) => this.#issued.get(judged.id),
    });
    const spent = spentOn(verdict);
    const common = { session, account, rig: CPU_RIG, jobId: job.id, ...(spent ? { spent } : {}) };
    events.emit(
      'submit',
      verdict.accepted
        ? {
            ...common,
            outcome: 'accepted',
            detail: '',
            difficulty: verdict.share.difficulty,
            reached: verdict.reached,
          }
        : {
            ...common,
            outcome: verdict.reason,
            detail: verdict.detail,
            ...(verdict.claimed !== undefined && { claimed: verdict.claimed }),
          },
    );
  }

  /** The easier of the block target and the one that gives a share in the time aimed at. */
  #shareTargetFor(job: Job): Target {
    const seconds = this.#options.secondsPerShare ?? DEFAULT_SECONDS_PER_SHARE;
    const rates = this.hashesPerSecond().filter((rate) => rate > 0);
    const rate = rates.reduce((sum, each) => sum + each, 0) / Math.max(1, rates.length);
    const difficulty = rate > 0 ? BigInt(Math.max(1, Math.round(rate * seconds))) : FIRST_DIFFICULTY;
    return easierTarget(job.blockTarget, targetOf(difficulty));
  }

  #pause(): void {
    this.#paused = true;
    this.#mining.restart();
    this.#options.log.info({}, 'a rig is connected: the CPU stops mining');
  }

  #resume(): void {
    this.#resumeTimer = undefined;
    this.#paused = false;
    this.#mining.restart();
    this.#options.log.info({}, 'no rig is connected: the CPU mines');
  }
}
