/** The jobs of one session: each with its target set before it, none to a rig that does not read, a fresh one in time. */

import type { Job } from '../../core/jobs/job.js';
import { type Difficulty, difficultyOf, type Target } from '../../core/work/target.js';
import { encodeNotice } from '../../wire/messages.js';
import { type Connection, SharedLine } from '../admission/connection.js';
import type { StratumLimits } from '../admission/limits.js';
import type { AgentQuirks } from '../agents.js';
import { effectiveTarget } from '../resume/issued-targets.js';
import type { ShareTarget } from '../resume/share-target.js';

/** A job with its notify, encoded for the first session that gets it, and once more for those that want `clean` in every one. */
export class JobLine {
  readonly job: Job;
  /** To within the time between two turns. */
  readonly madeAtMs: number;
  #line: SharedLine | undefined;
  #cleanLine: SharedLine | undefined;

  constructor(job: Job, madeAtMs: number) {
    this.job = job;
    this.madeAtMs = madeAtMs;
  }

  lineFor({ alwaysClean }: Pick<AgentQuirks, 'alwaysClean'>): SharedLine {
    if (alwaysClean && !this.job.clean) {
      this.#cleanLine ??= new SharedLine(notifyOf(this.job, true));
      return this.#cleanLine;
    }
    this.#line ??= new SharedLine(notifyOf(this.job, this.job.clean));
    return this.#line;
  }
}

function notifyOf({ id: jobId, header }: Job, clean: boolean): string {
  return encodeNotice({ kind: 'notify', jobId, header, clean });
}

/** Rigs drop a pool that is silent for a minute or two. */
const MAX_JOB_INTERVAL_MS = 25_000;
const MIN_JOB_INTERVAL_MS = 500;
/** Where so many shares are to be expected, none comes once in 160,000 times. */
export const EXPECTED_SHARES = 12;
/** Machines take a while to begin. */
const LEAST_MS = 60_000;
/** A target that changes by this factor is worth a job of its own. */
const URGENT_FACTOR = 2;
/** Of a rig of unknown speed: the fastest there are need it about so often. */
const UNKNOWN_INTERVAL_MS = 1000;

/**
 * How long the 2^48 nonces of one job last, halved to be safe, within the bounds.
 *
 * @param hashesPerSecond 0 when unknown.
 * @param fastest what it is at the most while it is unknown.
 */
export function jobIntervalMs(hashesPerSecond: number, fastest = Number.POSITIVE_INFINITY): number {
  if (hashesPerSecond <= 0) return Math.max(UNKNOWN_INTERVAL_MS, jobIntervalMs(fastest));
  const halfMs = (2 ** 48 / hashesPerSecond) * 500;
  return Math.min(MAX_JOB_INTERVAL_MS, Math.max(MIN_JOB_INTERVAL_MS, halfMs));
}

type FeedLimits = Pick<StratumLimits, 'jobBufferBytes' | 'fullBufferTimeoutMs'>;

/** Who knows what a job is issued with. */
interface Issuer {
  readonly shareTarget: ShareTarget;
  issue(job: Job): void;
}

export class JobFeed {
  readonly #connection: Connection;
  readonly #limits: FeedLimits;
  readonly #onRoom: () => void;
  /** What was last announced by `mining.set_target`. */
  #announced: Target | undefined;
  /** The target whose difficulty is known, and that difficulty: it takes longer to work out than all else here. */
  #priced: Target | undefined;
  #difficulty: Difficulty | undefined;
  #last: Job | undefined;
  #firstNumber: number | undefined;
  #lastOwn: Target | undefined;
  #lastAtMs = 0;
  #fullSinceMs: number | undefined;
  readonly #silence = new Silence();

  /** @param onRoom the rig has taken all, and there were jobs that it was not sent. */
  constructor(connection: Connection, limits: FeedLimits, onRoom: () => void) {
    this.#connection = connection;
    this.#limits = limits;
    this.#onRoom = onRoom;
  }

  /** The next job comes soon and with its target, also when that is the same. */
  announceAgain(): void {
    this.#announced = undefined;
  }

  /** Whether the job is as new as the first one here, or newer. */
  isSince(job: Job): boolean {
    return this.#firstNumber !== undefined && job.number >= this.#firstNumber;
  }

  /** Since when the connection has been too full for jobs. */
  get fullSinceMs(): number | undefined {
    return this.#fullSinceMs;
  }

  /** Why the session has to end; `undefined` while all is well. */
  overdue(nowMs: number): string | undefined {
    const fullMs = nowMs - (this.#fullSinceMs ?? nowMs);
    return fullMs > this.#limits.fullBufferTimeoutMs ? 'the rig does not take what it is sent' : undefined;
  }

  /** Sends the job, unless the rig has not taken enough of what came before. */
  offer(job: Job, line: SharedLine, issuer: Issuer, nowMs: number): void {
    if (job === this.#last) return;
    if (this.#connection.unsentBytes >= this.#limits.jobBufferBytes) {
      this.#leaveOut(nowMs);
      return;
    }
    const { own } = issuer.shareTarget;
    issuer.issue(job);
    this.#announce(effectiveTarget(own, job));
    this.#connection.sendShared(line);
    this.#last = job;
    this.#firstNumber ??= job.number;
    this.#lastOwn = own;
    this.#lastAtMs = nowMs;
  }

  /** Expected hashes of the newest job's shares as issued. */
  get difficultyInForce(): Difficulty | undefined {
    if (this.#announced !== this.#priced) {
      this.#priced = this.#announced;
      this.#difficulty = this.#announced && difficultyOf(this.#announced);
    }
    return this.#difficulty;
  }

  /** The rig has submitted something, good or not. */
  submitted(): void {
    this.#silence.end();
  }

  /** Whether the rig must have, or may well have, a job with fresh nonces or a new target. */
  due(shareTarget: ShareTarget, hashesPerSecond: number, nowMs: number): 'must' | 'may' | 'no' {
    if (!this.#last || !this.#lastOwn || !this.#announced) return 'must';
    const ageMs = nowMs - this.#lastAtMs;
    if (hashesPerSecond <= 0) this.#heardNothing(nowMs);
    const intervalMs = jobIntervalMs(hashesPerSecond, this.#silence.fastest);
    const changed = shareTarget.own !== this.#lastOwn;
    if (ageMs > intervalMs - MIN_JOB_INTERVAL_MS || (changed && isUrgent(shareTarget.own, this.#lastOwn)))
      return 'must';
    return changed || ageMs > intervalMs / 2 ? 'may' : 'no';
  }

  /** Without a job for long, as when the node is away, a rig may have nothing to work on. */
  #heardNothing(nowMs: number): void {
    const untilMs = Math.min(nowMs, this.#lastAtMs + MAX_JOB_INTERVAL_MS);
    this.#silence.lasted(Number(this.difficultyInForce), this.#lastAtMs, untilMs);
  }

  #leaveOut(nowMs: number): void {
    if (this.#fullSinceMs !== undefined) return;
    this.#fullSinceMs = nowMs;
    this.#connection.whenSent(() => {
      this.#fullSinceMs = undefined;
      this.#onRoom();
    });
  }

  #announce(target: Target): void {
    if (target === this.#announced) return;
    if (this.#announced && Buffer.compare(target, this.#announced) === 0) return;
    this.#announced = target;
    this.#connection.send(encodeNotice({ kind: 'setTarget', target }));
  }
}

function isUrgent(a: Target, b: Target): boolean {
  const ratio = Number(difficultyOf(a)) / Number(difficultyOf(b));
  return ratio >= URGENT_FACTOR || ratio <= 1 / URGENT_FACTOR;
}

/**
 * What the silence of a rig says of its speed. So long as it has work and submits nothing, it has at the most the speed at
 * which chance would hardly leave it without a share for that time.
 */
class Silence {
  #ms = 0;
  /** Sum of seconds over difficulty: shares that a rig of one hash a second would have sent. */
  #exposure = 0;
  #countedToMs = 0;

  /** In hashes a second; infinite while the silence is too short to say anything. */
  get fastest(): number {
    return this.#ms < LEAST_MS ? Number.POSITIVE_INFINITY : EXPECTED_SHARES / this.#exposure;
  }

  /** The rig has worked and said nothing in this time, of which nothing is counted twice; `difficulty` in expected hashes. */
  lasted(difficulty: number, fromMs: number, toMs: number): void {
    const ms = toMs - Math.max(fromMs, this.#countedToMs);
    if (ms <= 0) return;
    this.#countedToMs = toMs;
    this.#ms += ms;
    this.#exposure += ms / 1000 / difficulty;
  }

  /** The rig has submitted something. */
  end(): void {
    this.#ms = 0;
    this.#exposure = 0;
  }
}
