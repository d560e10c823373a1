/** Which share target one session's jobs were issued with: a share is judged by that and not by a later one. */
import type { Job } from '../core/job.js';
import { easierTarget, type Target } from '../core/target.js';

/** Changes that are remembered: with one every half second, twice as long as a node keeps a work. */
const MAX_CHANGES = 1200;

interface Change {
  readonly fromJobNumber: number;
  readonly target: Target;
}

/** A job's target is the session's own one, or the block target when that is easier. */
export function effectiveTarget(own: Target, job: Job): Target {
  return easierTarget(own, job.blockTarget);
}

export class IssuedTargets {
  /** Rising job numbers; a job belongs to the last change at or before it. */
  readonly #changes: Change[] = [];
  #lastJobNumber = 0;

  /** Whether any job was issued. */
  get any(): boolean {
    return this.#changes.length > 0;
  }

  /** 0 before the first job. */
  get lastJobNumber(): number {
    return this.#lastJobNumber;
  }

  /** From this job on the session's own target is `own`, until the next call says otherwise. */
  issue(job: Job, own: Target): void {
    this.#lastJobNumber = job.number;
    if (this.#changes.at(-1)?.target === own) return;
    this.#changes.push({ fromJobNumber: job.number, target: own });
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  /** The target that the job was issued with; `undefined` when it came before the session's first job. */
  targetOf(job: Job): Target | undefined {
    const own = this.#changes.findLast((change) => change.fromJobNumber <= job.number)?.target;
    return own && effectiveTarget(own, job);
  }
}
