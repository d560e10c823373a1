/**
 * Finds rigs that ignore their nonce1: all their hashes are wrong, and right with another nonce1.
 *
 * 65,536 hashes take about a tenth of a second, so the search goes in slices and one at a time.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job } from '../core/job.js';
import { composeNonce, type Nonce1, type Nonce2 } from '../core/nonce.js';
import { hashSubmit } from '../core/share.js';
import { meetsTarget, type Target } from '../core/target.js';

export interface Suspect {
  readonly job: Job;
  readonly nonce2: Nonce2;
  readonly target: Target;
}

const NONCE1_COUNT = 65_536;
const SLICE = 256;

export class NonceDetective {
  #busy = false;

  /**
   * The nonce1 with which all of the suspects would have been shares; `undefined` when there is none, or when another
   * search is under way. Three suspects of a difficulty of a thousand leave no room for chance.
   */
  async search(suspects: readonly Suspect[]): Promise<Nonce1 | undefined> {
    if (this.#busy) return undefined;
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
}

function fits({ job, nonce2, target }: Suspect, nonce1: Nonce1): boolean {
  return meetsTarget(hashSubmit(job, composeNonce(nonce1, nonce2)).powHash, target);
}
