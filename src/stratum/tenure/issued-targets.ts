/**
 * What one session's jobs were issued with: a submit is judged by that and not by what is in force later. A share target,
 * and the lease of nonce1 that the rig was to search with.
 */
import type { Job } from '../../core/job.js';
import { easierTarget, type Target } from '../../core/target.js';
import type { Lease } from './nonce-leases.js';

export interface Issue {
  readonly lease: Lease;
  /** The session's own target; `undefined` for a job that it never was given. */
  readonly own: Target | undefined;
}

interface Change extends Issue {
  readonly fromJobNumber: number;
}

/** Changes that are remembered: with one every half second, twice as long as a node keeps a work. */
const MAX_CHANGES = 1200;
/** Earlier sessions of the same rig that are remembered. */
const MAX_EARLIER = 4;

/** A job's target is the session's own one, or the block target when that is easier. */
export function effectiveTarget(own: Target, job: Job): Target {
  return easierTarget(own, job.blockTarget);
}

export class IssuedTargets {
  /** Rising job numbers; a job belongs to the last change at or before it. */
  readonly #changes: Change[] = [];
  #lastOwnNumber = 0;
  /** Of the rig's sessions before this one, newest first. */
  #earlier: readonly IssuedTargets[] = [];

  /** Whether any job was issued. */
  get any(): boolean {
    return this.lastJobNumber > 0;
  }

  /** 0 before the first job. */
  get lastJobNumber(): number {
    return Math.max(this.#lastOwnNumber, ...this.#earlier.map((earlier) => earlier.#lastOwnNumber));
  }

  /** Changes that are remembered. */
  get size(): number {
    return this.#changes.length + this.#earlier.reduce((sum, earlier) => sum + earlier.#changes.length, 0);
  }

  /**
   * From this job on the session's own target is `own`, under this lease, until the next call says otherwise.
   *
   * @param oldestJob what was issued only with jobs before it is forgotten.
   */
  issue(job: Job, own: Target, lease: Lease, oldestJob: number): void {
    this.#lastOwnNumber = job.number;
    this.#forgetBefore(oldestJob);
    const last = this.#changes.at(-1);
    if (last?.own === own && last.lease === lease) return;
    this.#changes.push({ fromJobNumber: job.number, own, lease });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  /** Remembers what an earlier session of the same rig was given. */
  follow(earlier: IssuedTargets): void {
    this.#earlier = [earlier, ...earlier.#earlier].slice(0, MAX_EARLIER);
    earlier.#earlier = [];
  }

  /** What a job of this number was issued with, newest first: a rig that came back may have had it twice. */
  at(jobNumber: number): Issue[] {
    const own = this.#changeAt(jobNumber);
    if (this.#earlier.length === 0) return own ? [own] : [];
    const earlier = this.#earlier.filter((each) => jobNumber <= each.#lastOwnNumber);
    return [own, ...earlier.map((each) => each.#changeAt(jobNumber))].filter(
      (change) => change !== undefined,
    );
  }

  /** Each change holds up to the next one. */
  #forgetBefore(oldestJob: number): void {
    while ((this.#changes[1]?.fromJobNumber ?? Number.POSITIVE_INFINITY) <= oldestJob) this.#changes.shift();
    if (this.#earlier.some((earlier) => earlier.#lastOwnNumber < oldestJob))
      this.#earlier = this.#earlier.filter((earlier) => earlier.#lastOwnNumber >= oldestJob);
  }

  #changeAt(jobNumber: number): Change | undefined {
    const last = this.#changes.at(-1);
    // Nearly always: rigs work on what came last.
    if (last && last.fromJobNumber <= jobNumber) return last;
    return this.#changes.findLast((change) => change.fromJobNumber <= jobNumber);
  }
}
