/**
 * Jobs: works as numbered and sent to rigs, and the book that knows which of them still count.
 *
 * Life of a job: live (its cut stands; several jobs of one chain may be live at once, as refreshed payloads or later
 * creation times), stale (its chain has moved on, or it was pushed out by age), forgotten. Stale jobs are kept for a
 * while, because a late submit that solves a block is worth judging, and because "stale" and "unknown" are different
 * answers to a rig.
 */
import { type Midstate, midstateOf } from './blake2s.js';
import { toHex } from './bytes.js';
import { type Header, withCreationTime, withNonce } from './header.js';
import type { Target } from './target.js';
import { sameParent, type Work } from './work.js';

/** Lower-case hex of the job's number: opaque to rigs. */
export type JobId = string & { readonly __brand: 'JobId' };

/** `undefined` for what is no id of any job. */
export function jobNumberOf(id: string): number | undefined {
  return /^[0-9a-f]{1,13}$/.test(id) ? Number.parseInt(id, 16) : undefined;
}

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
  /** Which group of sessions it is for: groups hold the same nonces and differ in creation time. */
  readonly group: number;
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

export const JOB_BOOK_LIMITS: JobBookLimits = { live: 4096, stale: 1024, noncesPerJob: 1_000_000 };

/** Creation times of a book's jobs, in microseconds, modulo this, tell bridge instances and their groups apart. */
export const TIME_RESIDUES = 1024;

interface Entry {
  readonly job: Job;
  readonly nonces: Set<bigint>;
}

/** Owner of all jobs and of the nonces submitted for them. */
export class JobBook {
  readonly #live = new Map<JobId, Entry>();
  readonly #stale = new Map<JobId, Entry>();
  readonly #limits: JobBookLimits;
  readonly #residue: number | undefined;
  /** Chain -> payload and group -> the latest creation time that was given out. */
  readonly #times = new Map<number, Map<string, bigint>>();
  #nextNumber: number;

  /**
   * @param firstNumber where numbering starts: later than any earlier run of the same bridge, so that no id recurs.
   * @param residue of the creation times of group 0 modulo {@link TIME_RESIDUES}; group g has the g-th after it, and all are
   *   above the work's own. Without one, times stay as the node gave them, which is right only for a single bridge with a
   *   single group.
   */
  constructor(firstNumber: number, limits: JobBookLimits = JOB_BOOK_LIMITS, residue?: number) {
    this.#nextNumber = firstNumber;
    this.#limits = limits;
    this.#residue = residue;
  }

  /** Whether jobs of several groups can be told apart. */
  get hasGroups(): boolean {
    return this.#residue !== undefined;
  }

  get liveJobs(): Job[] {
    return Array.from(this.#live.values(), (entry) => entry.job);
  }

  /**
   * Numbers a work. Jobs of the same chain with another parent become stale, and the new one is clean. One with the same
   * parent is clean only if asked for: rigs are to leave the earlier ones, whose shares still count.
   */
  add(work: Work, node: string, wish: { readonly clean: boolean } = { clean: false }): Job {
    const isNewParent = !this.liveJobs.some((job) => sameParent(job.work, work));
    if (isNewParent) this.retire(work.chainId);
    return this.#enter(work, node, isNewParent || wish.clean, 0, work.fields.creationTime);
  }

  /**
   * The same work once more with a later creation time: fresh nonce space. The earlier ones stay valid.
   *
   * @param notBefore microseconds since the epoch; the time used is the next one that fits the group and was not used.
   */
  addVariant(job: Job, group: number, notBefore: bigint, clean: boolean): Job {
    return this.#enter(job.work, job.node, clean, group, notBefore);
  }

  #enter(work: Work, node: string, clean: boolean, group: number, notBefore: bigint): Job {
    const time = this.#timeFor(work, group, notBefore);
    const header = withCreationTime(withNonce(work.header, 0n), time);
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
      group,
    };
    this.#live.set(job.id, { job, nonces: new Set() });
    if (this.#live.size > this.#limits.live) this.#retireOldest();
    return job;
  }

  /** The chain has moved on: its jobs become stale. */
  retire(chainId: number): void {
    this.#times.delete(chainId);
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

  /** No two jobs with the same payload have the same time, whichever node gave it and however often. */
  #timeFor(work: Work, group: number, notBefore: bigint): bigint {
    const ofChain = this.#times.get(work.chainId) ?? new Map<string, bigint>();
    this.#times.set(work.chainId, ofChain);
    const key = `${toHex(work.fields.payloadHash)} ${group}`;
    const last = ofChain.get(key);
    const earliest = last !== undefined && last >= notBefore ? last + 1n : notBefore;
    const time =
      this.#residue === undefined ? earliest : this.#fitting(work, earliest, this.#residue + group);
    ofChain.set(key, time);
    return time;
  }

  #fitting({ fields }: Work, earliest: bigint, residue: number): bigint {
    const above = fields.creationTime + 1n;
    return nextWithResidue(earliest > above ? earliest : above, residue);
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

/** The first time from `earliest` on that is `residue` modulo {@link TIME_RESIDUES}. */
function nextWithResidue(earliest: bigint, residue: number): bigint {
  const modulus = BigInt(TIME_RESIDUES);
  return earliest + ((((BigInt(residue) - earliest) % modulus) + modulus) % modulus);
}
