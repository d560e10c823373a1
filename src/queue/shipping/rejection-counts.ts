/** Submits that were no shares, counted until the next entry takes them along. Nothing is promised about them. */
import type { WorkSum } from '../../bridge/ports.js';
import type { Rejection } from '../../core/shares/rejections.js';
import { slotOf } from '../../core/work/slot.js';

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
  #sums = new Map<string, WorkSum>();

  get isEmpty(): boolean {
    return this.#sums.size === 0;
  }

  add({ account, rig, reason, atMs, work }: RejectedSubmit): void {
    const known = this.#sums.size < MAX_COUNTERS ? { account, rig } : { account: '', rig: '' };
    // Beyond the bound there is no other slot either: one counter a reason.
    const slot = this.#sums.size < MAX_COUNTERS ? slotOf(atMs) : 0;
    const key = JSON.stringify([known.account, known.rig, reason, slot]);
    const sum = this.#sums.get(key) ?? { slot: slotOf(atMs), submits: 0, work: 0n };
    const counted = { slot: sum.slot, submits: sum.submits + 1, work: sum.work + work };
    this.#sums.set(key, { ...known, ...counted, kind: reason, expected: 0n, best: 0 });
  }

  /** What was counted, which starts again at nothing. */
  take(): WorkSum[] {
    const sums = Array.from(this.#sums.values());
    this.#sums = new Map();
    return sums;
  }
}
