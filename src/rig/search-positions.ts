/** How far the rig has come with each header and nonce1, so that no nonce is tried twice, whatever comes again. */

import { nonce2Count } from '../../workers/search.js';
import { toHex } from '../core/bytes/bytes.js';
import type { RigJob } from './connection.js';

/** Jobs of several chains, and later creation times of each, come in turn. */
const MAX_REMEMBERED = 256;

export class SearchPositions {
  readonly #next = new Map<string, number>();

  /** The next part of a job's nonces; `undefined` when none are left. */
  take(job: RigJob, count: number): { first: number; count: number } | undefined {
    const key = `${job.nonce1Bytes}/${job.nonce1}/${toHex(job.header)}`;
    const first = this.#next.get(key) ?? 0;
    const length = Math.min(count, nonce2Count(job.nonce1Bytes) - first);
    this.#remember(key, first + length);
    return length > 0 ? { first, count: length } : undefined;
  }

  #remember(key: string, next: number): void {
    this.#next.delete(key);
    this.#next.set(key, next);
    const [oldest] = this.#next.keys();
    if (this.#next.size > MAX_REMEMBERED && oldest !== undefined) this.#next.delete(oldest);
  }
}
