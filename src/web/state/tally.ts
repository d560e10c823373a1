/** Counts what the bridge's events tell. It only listens: without it no verdict changes. */
import type { BridgeEvents, SessionInfo } from '../../bridge/events.js';
import type { Clock } from '../../bridge/ports.js';
import type { Job } from '../../core/jobs/job.js';
import { type HashRate, HashRateMeter } from '../../core/shares/hash-rate.js';
import type { Work } from '../../core/work/work.js';
import type { SubmitOutcome } from '../../operations/state.js';
import { RateWindow } from './rate-window.js';

/** Since the start. `accepted` includes `perhaps`, and `rejected` includes `lost`. */
interface SolutionCounts {
  found: number;
  accepted: number;
  /** The answer was lost, and the node has forgotten the work since, as it does when it takes a solution. */
  perhaps: number;
  rejected: number;
  /** No answer came while the work was alive. */
  lost: number;
  /** Of a work that another solution had solved: not sent. */
  superseded: number;
}

const HASH_RATE_WINDOW_MS = 60_000;

export class Tally {
  readonly submits = new Map<SubmitOutcome, number>();
  readonly solutions: SolutionCounts = {
    found: 0,
    accepted: 0,
    perhaps: 0,
    rejected: 0,
    lost: 0,
    superseded: 0,
  };
  readonly #clock: Clock;
  readonly #sessions = new Set<SessionInfo['id']>();
  readonly #rigs = new Set<SessionInfo['id']>();
  /** By work: later jobs of the same work, with other times, are as old as it is. */
  readonly #worksSeenAt = new WeakMap<Work, number>();
  readonly #work: RateWindow;
  readonly #meter: HashRateMeter;
  #jobs = 0;

  constructor(events: BridgeEvents, clock: Clock) {
    this.#clock = clock;
    this.#work = new RateWindow(HASH_RATE_WINDOW_MS, clock.nowMs());
    this.#meter = new HashRateMeter(clock.nowMs());
    events.on('job', (job) => {
      this.#jobs++;
      if (!this.#worksSeenAt.has(job.work)) this.#worksSeenAt.set(job.work, clock.nowMs());
    });
    events.on('sessionOpened', (session) => {
      if (session.transport !== 'cpu') this.#sessions.add(session.id);
    });
    events.on('sessionAuthorized', (session) => {
      if (session.transport !== 'cpu') this.#rigs.add(session.id);
    });
    events.on('sessionClosed', (session) => {
      this.#sessions.delete(session.id);
      this.#rigs.delete(session.id);
    });
    events.on('submit', (submit) => {
      this.submits.set(submit.outcome, (this.submits.get(submit.outcome) ?? 0) + 1);
      if (submit.difficulty === undefined) return;
      this.#work.add(clock.nowMs(), Number(submit.difficulty));
      this.#meter.add(Number(submit.difficulty), clock.nowMs());
    });
    events.on('solutionFound', () => this.solutions.found++);
    events.on('solutionSettled', (_solution, state) => {
      if (state === 'received' || state === 'perhaps') this.solutions.accepted++;
      else this.solutions.rejected++;
      if (state === 'perhaps' || state === 'lost') this.solutions[state]++;
    });
    events.on('solutionSuperseded', () => this.solutions.superseded++);
  }

  /** Connections open now; CPU threads are no sessions. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Of them those that have authorized a name. Anybody can connect, and a balancer does so to see whether it can. */
  get rigs(): number {
    return this.#rigs.size;
  }

  get jobs(): number {
    return this.#jobs;
  }

  /** From the work of the shares accepted in the last minute, as issued. */
  get hashesPerSecond(): number {
    return this.#work.perSecond(this.#clock.nowMs());
  }

  /** The same over several windows, with their standard errors. */
  get hashRates(): HashRate[] {
    return this.#meter.rates(this.#clock.nowMs());
  }

  /** Since the work of the job came. */
  ageMs(job: Pick<Job, 'work'>): number {
    const now = this.#clock.nowMs();
    return now - (this.#worksSeenAt.get(job.work) ?? now);
  }
}
