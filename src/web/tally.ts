/** Counts what the bridge's events tell. It only listens: without it no verdict changes. */
import type { BridgeEvents, SessionInfo } from '../bridge/events.js';
import type { Clock } from '../bridge/ports.js';
import type { Job } from '../core/job.js';
import type { Rejection } from '../core/share.js';
import { RateWindow } from './rate-window.js';

export type SubmitOutcome = 'accepted' | Rejection;

export interface SolutionCounts {
  found: number;
  accepted: number;
  rejected: number;
}

const HASH_RATE_WINDOW_MS = 60_000;

export class Tally {
  readonly submits = new Map<SubmitOutcome, number>();
  readonly solutions: SolutionCounts = { found: 0, accepted: 0, rejected: 0 };
  readonly #clock: Clock;
  readonly #sessions = new Set<SessionInfo['id']>();
  readonly #jobsSeenAt = new WeakMap<Job, number>();
  readonly #work: RateWindow;
  /** Chain id -> height of its last known block. */
  readonly heights = new Map<number, number>();
  #jobs = 0;

  constructor(events: BridgeEvents, clock: Clock) {
    this.#clock = clock;
    this.#work = new RateWindow(HASH_RATE_WINDOW_MS, clock.nowMs());
    events.on('job', (job) => {
      this.#jobs++;
      this.#jobsSeenAt.set(job, clock.nowMs());
      this.heights.set(job.work.chainId, job.work.fields.height - 1);
    });
    events.on('sessionOpened', (session) => {
      if (session.transport !== 'cpu') this.#sessions.add(session.id);
    });
    events.on('sessionClosed', (session) => this.#sessions.delete(session.id));
    events.on('submit', (submit) => {
      this.submits.set(submit.outcome, (this.submits.get(submit.outcome) ?? 0) + 1);
      if (submit.difficulty !== undefined) this.#work.add(clock.nowMs(), Number(submit.difficulty));
    });
    events.on('solutionFound', () => this.solutions.found++);
    events.on('solutionSettled', (_solution, state) => {
      if (state === 'received' || state === 'perhaps') this.solutions.accepted++;
      else this.solutions.rejected++;
    });
  }

  /** Rigs connected now; CPU threads are no sessions. */
  get sessions(): number {
    return this.#sessions.size;
  }

  get jobs(): number {
    return this.#jobs;
  }

  /** From the work of the shares accepted in the last minute, as issued. */
  get hashesPerSecond(): number {
    return this.#work.perSecond(this.#clock.nowMs());
  }

  ageMs(job: Job): number {
    const now = this.#clock.nowMs();
    return now - (this.#jobsSeenAt.get(job) ?? now);
  }
}
