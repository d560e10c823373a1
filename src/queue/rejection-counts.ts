/** Submits that were no shares, counted until the next entry takes them along. Nothing is promised about them. */
import type { RejectionCount } from '../bridge/ports.js';
import type { Rejection } from '../core/share.js';

export interface RejectedSubmit {
  readonly account: string;
  readonly rig: string;
  readonly reason: Rejection;
  readonly atMs: number;
  /** What it would have been credited, in expected hashes; 0 where no job is known. */
  readonly work: bigint;
}

/** Counters kept at a time: names come from rigs. Beyond, submits count for nobody. */
const MAX_COUNTERS = 5000;

export class RejectionCounts {
  #counts = new Map<string, RejectionCount>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add({ account, rig, reason, atMs, work }: RejectedSubmit): void {
    const known = this.#counts.size < MAX_COUNTERS ? { account, rig } : { account: '', rig: '' };
    const key = JSON.stringify([known.account, known.rig, reason]);
    const sum = this.#counts.get(key) ?? { sinceMs: atMs, submits: 0, work: 0n };
    const { sinceMs } = sum;
    this.#counts.set(key, { ...known, reason, sinceMs, submits: sum.submits + 1, work: sum.work + work });
  }

  /** What was counted, which starts again at nothing. */
  take(): RejectionCount[] {
    const counts = Array.from(this.#counts.values());
    this.#counts = new Map();
    return counts;
  }
}
