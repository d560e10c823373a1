/**
 * Ways to make blocks without searching, for networks whose nodes take any nonce. What they send skips the judge, which
 * would find no proof of work; it is recorded and posted as any solution.
 */
import type { Clock, JobSink } from '../bridge/ports.js';
import { bytesEqual } from '../core/bytes/bytes.js';
import type { Job } from '../core/jobs/job.js';
import type { Log } from '../core/names/log.js';
import { hashSubmit, type Solution } from '../core/shares/share.js';
import { CPU_RIG } from './seat.js';

export interface BlockMaker extends JobSink {
  close(): Promise<void>;
}

export interface BlockMakerParts {
  readonly account: string;
  /** Posts a solution; returns at once. */
  readonly send: (solution: Solution) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** The work as it was given, its nonce zero. */
export function unsearched(job: Job, parts: BlockMakerParts): Solution {
  return {
    job,
    header: job.header,
    nonce: 0n,
    powHash: hashSubmit(job, 0n).powHash,
    account: parts.account,
    rig: CPU_RIG,
    foundAtMs: parts.clock.nowMs(),
  };
}

/**
 * Remembers of each chain the parent of the block made last: a refreshed work of the same parent would make a sibling,
 * which nodes take and forget.
 */
export class UsedParents {
  readonly #parents = new Map<number, Uint8Array>();

  use(job: Job): void {
    this.#parents.set(job.work.chainId, job.work.fields.parent);
  }

  has(job: Job): boolean {
    const parent = this.#parents.get(job.work.chainId);
    return parent !== undefined && bytesEqual(parent, job.work.fields.parent);
  }
}
