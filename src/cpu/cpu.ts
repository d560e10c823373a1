/** The CPU as one more rig: it gets jobs as any rig does, has their vardiff, and its hits are judged as any rig's submits. */

import { type Assignment, Mining } from '../../workers/mining.js';
import { ThreadPool } from '../../workers/pool.js';
import { SearchPositions } from '../../workers/positions.js';
import type { SubmitEvent } from '../bridge/events.js';
import type { Job } from '../core/jobs/job.js';
import { NONCE1_BYTES, type Nonce1, nonce2FromNumber } from '../core/jobs/nonce.js';
import { startVardiff, stepVardiff, VARDIFF_SETTINGS, type VardiffState } from '../core/shares/vardiff.js';
import { difficultyOf, easierTarget, type Target, targetOf } from '../core/work/target.js';
import { ChainChoice } from './chain-choice.js';
import { CPU_TIMING, type Cpu, type CpuOptions, type CpuTiming } from './options.js';
import { CpuSession } from './session.js';

/** The name under which the CPU is paid and listed. */
export const CPU_RIG = 'cpu';

/** How often rigs are looked for that have sent no share for long. */
const LOOK_MS = 10_000;

/** What threads search now, and the difficulty of that. */
interface Issued {
  readonly job: Job;
  readonly target: Target;
  readonly difficulty: number;
}

export class CpuRig implements Cpu {
  readonly #options: CpuOptions;
  readonly #timing: CpuTiming;
  readonly #mining: Mining;
  readonly #sessions: CpuSession[];
  readonly #positions = new SearchPositions();
  readonly #choice = new ChainChoice();
  /** When each rig has sent its last share, by session. */
  readonly #rigs = new Map<number, number>();
  readonly #timers: { look?: NodeJS.Timeout; resume?: NodeJS.Timeout; end?: NodeJS.Timeout } = {};
  /** Of all threads together. */
  #vardiff: VardiffState;
  #issued: Issued | undefined;
  /** No thread has had work since: that time says nothing of their speed. */
  #rested = true;
  #paused = false;

  constructor(options: CpuOptions) {
    const { threads, threadUrl, startThreads, events, mode, log } = options;
    this.#options = options;
    this.#timing = { ...CPU_TIMING, ...options.timing };
    const { name: kernel, hashesPerSecond } = options.chooseKernel();
    this.#vardiff = this.#vardiffAt(threads * hashesPerSecond * VARDIFF_SETTINGS.secondsPerShare);
    this.#sessions = Array.from(
      { length: threads },
      (_, thread) => new CpuSession(options, CPU_RIG, `thread ${thread + 1}`, `${kernel} kernel`),
    );
    const make = startThreads ?? ((...parts) => new ThreadPool(...parts));
    this.#mining = new Mining(make(threads, kernel, threadUrl), this);
    if (mode === 'fallback') {
      events.on('submit', this.#onSubmit);
      events.on('sessionClosed', this.#onClosed);
      this.#timers.look = setInterval(() => this.#lookAtRigs(), LOOK_MS);
    }
    options.mines(true);
    log.info({ threads, kernel, mode }, 'the CPU is ready to mine');
  }

  offerJob(job: Job): void {
    if (this.#choice.offer(job) && !this.#paused) this.#mining.restart();
  }

  retireChains(chainIds: readonly number[]): void {
    if (this.#choice.retire(...chainIds) && !this.#paused) this.#mining.restart();
  }

  hashRate(): { hashesPerSecond: readonly number[]; rests: string } {
    const waits = this.#choice.current ? this.#mining.trouble : 'no chain has work';
    const rests = this.#paused ? 'rigs mine' : waits;
    return { hashesPerSecond: this.#mining.hashesPerSecond(), rests };
  }

  async close(): Promise<void> {
    const { events } = this.#options;
    events.off('submit', this.#onSubmit);
    events.off('sessionClosed', this.#onClosed);
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    await this.#mining.close();
    for (const session of this.#sessions) session.close('the CPU stops mining');
  }

  /** Called by the mining loop. */
  next(thread: number, count: number): Assignment | undefined {
    const job = this.#choice.current;
    if (!job || this.#paused) {
      this.#rested = true;
      return undefined;
    }
    const session = this.#sessions[thread];
    const nonce1 = session?.nonce1;
    if (!session || nonce1 === undefined) return undefined;
    const { target, difficulty } = this.#issue(job);
    const puzzle = { header: job.header, target, nonce1, nonce1Bytes: NONCE1_BYTES };
    const part = this.#positions.take(puzzle, count);
    if (!part) return undefined;
    const found = (nonce2: number): Promise<void> =>
      this.#submit(session, { job, target, difficulty }, nonce1, nonce2);
    return { puzzle, ...part, found };
  }

  /** Called by the mining loop. */
  threadFailed(thread: number, error: Error): void {
    this.#options.log.warn({ thread, error: error.message }, 'a mining thread failed');
    this.#sessions[thread]?.renew('its thread failed');
  }

  /** The easier of the block target and that of vardiff. */
  #issue(job: Job): Issued {
    const nowMs = this.#options.clock.nowMs();
    if (this.#rested) this.#vardiff = this.#vardiffAt(this.#vardiff.difficulty);
    else if (this.#issued) this.#step('tick', this.#issued.difficulty, nowMs);
    this.#rested = false;
    if (this.#issued?.job !== job) {
      const target = easierTarget(job.blockTarget, targetOf(BigInt(Math.round(this.#vardiff.difficulty))));
      this.#issued = { job, target, difficulty: Number(difficultyOf(target)) };
    }
    return this.#issued;
  }

  #vardiffAt(difficulty: number): VardiffState {
    return startVardiff(VARDIFF_SETTINGS, this.#options.clock.nowMs(), difficulty);
  }

  #step(kind: 'share' | 'tick', difficulty: number, nowMs: number): void {
    const before = this.#vardiff;
    const inForce = this.#issued?.difficulty ?? difficulty;
    this.#vardiff = stepVardiff(VARDIFF_SETTINGS, before, { kind, difficulty, inForce }, nowMs);
    if (this.#vardiff.difficulty !== before.difficulty) this.#issued = undefined;
  }

  async #submit(session: CpuSession, issued: Issued, nonce1: Nonce1, nonce2: number): Promise<void> {
    const { job, target, difficulty } = issued;
    const verdict = await session.submit(job, target, nonce1, nonce2FromNumber(nonce2));
    if (verdict.accepted && !this.#rested) this.#step('share', difficulty, this.#options.clock.nowMs());
  }

  /** A rig counts from its first share on: anybody can connect. */
  readonly #onSubmit = ({ session, outcome }: SubmitEvent): void => {
    if (outcome !== 'accepted' || session.transport === 'cpu') return;
    this.#rigs.set(session.id, this.#options.clock.nowMs());
    if (!this.#paused || this.#timers.resume) this.#lookAtRigs();
  };

  readonly #onClosed = ({ id }: { readonly id: number }): void => {
    if (this.#rigs.delete(id)) this.#lookAtRigs();
  };

  #lookAtRigs(): void {
    const sinceMs = this.#options.clock.nowMs() - this.#timing.rigMemoryMs;
    for (const [id, atMs] of this.#rigs) if (atMs < sinceMs) this.#rigs.delete(id);
    const { resumeAfterMs } = this.#timing;
    if (this.#rigs.size > 0) {
      clearTimeout(this.#timers.resume);
      delete this.#timers.resume;
      if (!this.#paused) this.#pause();
    } else if (this.#paused) this.#timers.resume ??= setTimeout(() => this.#resume(), resumeAfterMs);
  }

  #pause(): void {
    this.#paused = true;
    this.#mining.restart();
    this.#options.mines(false);
    const end = (): void => void this.#mining.endThreads();
    this.#timers.end = setTimeout(end, this.#timing.endThreadsAfterMs);
    this.#options.log.info({}, 'a rig mines: the CPU stops mining');
  }

  #resume(): void {
    delete this.#timers.resume;
    clearTimeout(this.#timers.end);
    this.#paused = false;
    this.#mining.restart();
    this.#options.mines(true);
    this.#options.log.info({}, 'no rig mines: the CPU mines');
  }
}
