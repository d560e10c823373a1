/** A book's jobs as plain data, for the next start of the bridge: works once each, jobs by reference. */

import { decodeWork, encodeWork, type Work } from '../work/work.js';
import type { Staleness } from './staleness.js';

export interface KeptJobs {
  readonly works: readonly KeptWork[];
  /** In the order of their numbers, but for stale ones among them in that in which they became so. */
  readonly jobs: readonly KeptJob[];
}

interface KeptWork {
  readonly node: string;
  /** As a node hands it out. */
  readonly bytes: Uint8Array;
}

export interface KeptJob {
  readonly number: number;
  /** Its place among the works. */
  readonly work: number;
  readonly group: number;
  readonly clean: boolean;
  /** Creation time, microseconds since the epoch, decimal. */
  readonly time: string;
  /** Absent while it is live. */
  readonly ended?: { readonly forMs: number; readonly because: Staleness } | undefined;
  /** Those submitted, eight bytes each. */
  readonly nonces: Uint8Array;
}

/** Numbers works as they come. */
export class KeptWorks {
  readonly all: KeptWork[] = [];
  readonly #numbers = new Map<Work, number>();

  numberOf({ work, node }: { readonly work: Work; readonly node: string }): number {
    const known = this.#numbers.get(work);
    if (known !== undefined) return known;
    this.#numbers.set(work, this.all.length);
    return this.all.push({ node, bytes: encodeWork(work) }) - 1;
  }
}

/** Throws WorkFormatError. */
export function worksOf(kept: readonly KeptWork[]): { readonly work: Work; readonly node: string }[] {
  return kept.map(({ node, bytes }) => ({ node, work: decodeWork(bytes) }));
}
