/**
 * Jobs: works as numbered and sent to rigs, and the book that knows which of them still count.
 *
 * Life of a job: live (its cut stands; several jobs of one chain may be live at once, as refreshed payloads or later
 * creation times), stale (its chain has moved on, or it was pushed out by age), forgotten. Stale jobs are kept for a
 * while, because a late submit that solves a block is worth judging, and because "stale" and "unknown" are different
 * answers to a rig.
 */
import { type Midstate, midstateOf } from './blake2s.js';
import { type Header, withNonce } from './header.js';
import type { Target } from './target.js';
import { sameParent, type Work } from './work.js';

/** Lower-case hex of the job's number: opaque to rigs. */
export type JobId = string & { readonly __brand: 'JobId' };

export interface Job {
  readonly id: JobId;
  /** Rises by one with each job of this bridge, so that "issued before" is a comparison. */
  readonly number: number;
  readonly work: Work;
  /** The node that issued the work; only that node knows its payload. */
  readonly node: string;
  /** The header to hash, nonce bytes zero. */
  readonly header: Header;
  /** Serves every nonce of this header. */
  readonly midstate: Midstate;
  readonly blockTarget: Target;
  /** True when all earlier work is void, false when it stays valid. */
  readonly clean: boolean;
}

export type JobLookup =
  | { readonly state: 'live' | 'stale'; readonly job: Job }
  | { readonly state: 'unknown'; readonly job?: undefined };

export type Reservation = 'reserved' | 'duplicate' | 'full';

export interface JobBookLimits {
  /** Live jobs; beyond, the oldest becomes stale. */
  readonly live: number;
  /** Stale jobs that are remembered. */
  readonly stale: number;
  /** Nonces remembered for one job. */
  readonly noncesPerJob: number;
}

export const JOB_BOOK_LIMITS: JobBookLimits = { live: 1024, stale: 256, noncesPerJob: 1_000_000 };

interface Entry {
  readonly job: Job;
  readonly nonces: Set<bigint>;
}

/** Owner of all jobs and of the nonces submitted for them. */
export class JobBook {
  readonly #live = new Map<JobId, Entry>();
  readonly #stale = new Map<JobId, Entry>();
  readonly #limits: JobBookLimits;
  #nextNumber: number;

  /** @param firstNumber where numbering starts: later than any earlier run of the same bridge, so that no id recurs. */
  constructor(firstNumber: number, limits: JobBookLimits = JOB_BOOK_LIMITS) {
    this.#nextNumber = firstNumber;
    this.#limits = limits;
  }

  get liveJobs(): Job[] {
    return Array.from(this.#live.values(), (entry) => entry.job);
  }

  /** Numbers a work. Jobs of the same chain with another parent become stale, and the new one is clean. */
  add(work: Work, node: string): Job {
    const clean = !this.liveJobs.some((job) => sameParent(job.work, work));
    if (clean) this.retire(work.chainId);
    const header = withNonce(work.header, 0n);
    const number = this.#nextNumber++;
    const job: Job = {
      id: number.toString(16) as JobId,
      number,
      work,
      node,
      header,
      midstate: midstateOf(header),
      blockTarget: work.blockTarget,
      clean,
    };
    this.#live.set(job.id, { job, nonces: new Set() });
    if (this.#live.size > this.#limits.live) this.#retireOldest();
    return job;
  }

  /** The chain has moved on: its jobs become stale. */
  retire(chainId: number): void {
    for (const entry of this.#live.values()) if (entry.job.work.chainId === chainId) this.#makeStale(entry);
  }

  find(id: string): JobLookup {
    const live = this.#live.get(id as JobId);
    if (live) return { state: 'live', job: live.job };
    const stale = this.#stale.get(id as JobId);
    return stale ? { state: 'stale', job: stale.job } : { state: 'unknown' };
  }

  /** Takes a nonce of a job; at once, so that two equal submits in flight cannot both pass. */
  reserve(job: Job, nonce: bigint): Reservation {
    const nonces = (this.#live.get(job.id) ?? this.#stale.get(job.id))?.nonces;
    if (!nonces || nonces.size >= this.#limits.noncesPerJob) return 'full';
    if (nonces.has(nonce)) return 'duplicate';
    nonces.add(nonce);
    return 'reserved';
  }

  /** Gives a nonce back that could not be credited, so that the rig may try again. */
  unreserve(job: Job, nonce: bigint): void {
    (this.#live.get(job.id) ?? this.#stale.get(job.id))?.nonces.delete(nonce);
  }

  #retireOldest(): void {
    const [oldest] = this.#live.values();
    if (oldest) this.#makeStale(oldest);
  }

  #makeStale(entry: Entry): void {
    this.#live.delete(entry.job.id);
    this.#stale.set(entry.job.id, entry);
    for (const id of this.#stale.keys()) {
      if (this.#stale.size <= this.#limits.stale) return;
      this.#stale.delete(id);
    }
  }
}
