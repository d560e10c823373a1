/**
 * Works that their node has forgotten, most often over a solution that it took: no solution of them is taken any more. The
 * dispatcher tells what nodes hand out, the solution sender what they say to solutions; neither knows the other.
 */
import { toHex } from '../core/bytes/bytes.js';
import type { Job } from '../core/jobs/job.js';
import type { Work } from '../core/work/work.js';

interface DeadWork {
  /** The creation time that the node gave it. */
  readonly handedOutAt: bigint;
  readonly wasSolved: boolean;
}

/** More works than can have submits under way. */
const MAX_DEAD = 1024;

export class DeadWorks {
  /** By {@link workKey}; oldest first. */
  readonly #dead = new Map<string, DeadWork>();

  /** A work that its node forgot for another reason than a solution that it took is alive when it is handed out again. */
  handedOut(work: Work, node: string): void {
    const key = workKey(work, node);
    const dead = this.#dead.get(key);
    if (dead && !dead.wasSolved && work.fields.creationTime > dead.handedOutAt) this.#dead.delete(key);
  }

  has({ work, node }: Job): boolean {
    const dead = this.#dead.get(workKey(work, node));
    // What became a job later is alive, as after a restart from genesis.
    return dead !== undefined && work.fields.creationTime <= dead.handedOutAt;
  }

  add({ work, node }: Job, wasSolved: boolean): void {
    const key = workKey(work, node);
    this.#dead.delete(key);
    this.#dead.set(key, { handedOutAt: work.fields.creationTime, wasSolved });
    const [oldest] = this.#dead.keys();
    if (this.#dead.size > MAX_DEAD && oldest) this.#dead.delete(oldest);
  }
}

/** A node knows a work by its payload. */
export function workKey(work: Work, node: string): string {
  return `${node} ${toHex(work.fields.payloadHash)}`;
}
