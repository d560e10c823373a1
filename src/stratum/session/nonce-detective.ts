/**
 * Finds rigs that ignore their nonce1, or turn the bytes of their nonces around: all their hashes are wrong, and right with
 * another nonce1, or with these turned back.
 *
 * 65,536 hashes take about a tenth of a second, so the search goes in slices and one at a time.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job } from '../../core/jobs/job.js';
import {
  composeNonce,
  type Nonce1,
  type Nonce2,
  reversedNonce1,
  reversedNonce2,
} from '../../core/jobs/nonce.js';
import { hashSubmit } from '../../core/shares/share.js';
import { meetsTarget, type Target } from '../../core/work/target.js';
import { Throttle } from '../admission/budgets.js';

export interface Suspect {
  readonly job: Job;
  readonly nonce2: Nonce2;
  readonly target: Target;
}

const NONCE1_COUNT = 65_536;
const SLICE = 256;

/** A hint is worth so little of a core: strangers can ask for it with three wrong submits. */
const SEARCHES_PER_SECOND = 0.1;
const SEARCHES_AT_ONCE = 3;
const AGAIN_AFTER_MS = 60_000;

export class NonceDetective {
  readonly #throttle: Throttle;
  /** When an address was last searched for; only those of the last while. */
  readonly #searches = new Map<string, number>();
  #busy = false;

  constructor(nowMs: number) {
    this.#throttle = new Throttle(SEARCHES_PER_SECOND, SEARCHES_AT_ONCE, nowMs);
  }

  /**
   * The nonce1 with which all of the suspects would have been shares; `undefined` when there is none, when another
   * search is under way, or when there were enough lately, in all or for this address. Three suspects of a difficulty of a
   * thousand leave no room for chance.
   */
  async search(suspects: readonly Suspect[], addressKey: string, nowMs: number): Promise<Nonce1 | undefined> {
    if (this.#busy || !this.#maySearch(addressKey, nowMs)) return undefined;
    this.#busy = true;
    try {
      for (let from = 0; from < NONCE1_COUNT; from += SLICE) {
        for (let candidate = from; candidate < from + SLICE; candidate++) {
          if (suspects.every((suspect) => fits(suspect, candidate as Nonce1))) return candidate as Nonce1;
        }
        await nextTurn();
      }
      return undefined;
    } finally {
      this.#busy = false;
    }
  }

  #maySearch(addressKey: string, nowMs: number): boolean {
    for (const [key, atMs] of this.#searches) if (nowMs - atMs >= AGAIN_AFTER_MS) this.#searches.delete(key);
    if (this.#searches.has(addressKey) || !this.#throttle.take(nowMs)) return false;
    this.#searches.set(addressKey, nowMs);
    return true;
  }
}

/** Which parts of the nonce the rig turns around, if with these turned back all of the suspects would have been shares. */
export function turnedIn(suspects: readonly Suspect[], nonce1: Nonce1): string | undefined {
  const back = suspects.map((suspect) => ({ ...suspect, nonce2: reversedNonce2(suspect.nonce2) }));
  const other = reversedNonce1(nonce1);
  if (back.every((suspect) => fits(suspect, nonce1))) return 'nonce2';
  if (suspects.every((suspect) => fits(suspect, other))) return 'nonce1';
  return back.every((suspect) => fits(suspect, other)) ? 'nonce1 and nonce2' : undefined;
}

function fits({ job, nonce2, target }: Suspect, nonce1: Nonce1): boolean {
  return meetsTarget(hashSubmit(job, composeNonce(nonce1, nonce2)).powHash, target);
}
