/**
 * Time rolling: the same work with a later creation time is fresh nonce space.
 *
 * A new time must be above that of the work as given and not above the node's clock. The node stamped the work when it
 * handed it out, so the work's time plus what has passed here since it came is a time that the node's clock has reached.
 * A time that fits instance and group may lie up to a millisecond beyond: a solution with it waits for so long.
 */
import { TIME_RESIDUES } from '../core/jobs/given-times.js';
import type { Job, JobBook } from '../core/jobs/job.js';
import { creationTimeOf } from '../core/work/header.js';
import type { Work } from '../core/work/work.js';
import type { Clock, JobSink, JobSource } from './ports.js';

/** Longer than a node keeps a work; a clock that leaps must not put times into the future. */
const MAX_ROLL_MS = 600_000;
/** For the rounding of our clock. */
const ROUNDING_MS = 1;
/** Clocks that are kept right run at rates that differ by less; what passed here has passed there at least by this part. */
const SLOWEST_RATE = 0.999;

/** Groups of 65,536 sessions in one bridge; what is left of the residues tells 128 instances apart. */
export const GROUPS_PER_INSTANCE = 8;

/** The residue of an instance's group 0, for its {@link JobBook}. Throws RangeError past the last instance. */
export function residueOfInstance(instance: number): number {
  const residue = instance * GROUPS_PER_INSTANCE;
  if (residue >= TIME_RESIDUES) throw new RangeError(`no creation times are left for instance ${instance}`);
  return residue;
}

/** Must be the first sink of the dispatcher: it notes when works came. */
export class JobRoller implements JobSink, JobSource {
  readonly #book: JobBook;
  readonly #clock: Clock;
  readonly #cameAtMs = new WeakMap<Work, number>();
  /** Chain -> its newest job as it came from the dispatcher. */
  readonly #newest = new Map<number, Job>();

  /** @param clock only its differences count; one that nobody sets (`performance.now`) makes a skewed clock harmless. */
  constructor(book: JobBook, clock: Clock) {
    this.#book = book;
    this.#clock = clock;
  }

  get groups(): number {
    return this.#book.hasGroups ? GROUPS_PER_INSTANCE : 1;
  }

  get oldestJob(): number {
    return this.#book.oldestNumber;
  }

  /** Jobs of an earlier start: the node's clock has reached their times, as it had when they were made. */
  knowFormer(jobs: readonly Job[]): void {
    for (const { work } of jobs) this.#cameAtMs.set(work, Number.NEGATIVE_INFINITY);
  }

  offerJob(job: Job): void {
    // Notes when it came; it may come again later.
    this.#ageMs(job.work);
    this.#newest.set(job.work.chainId, job);
  }

  retireChains(chainIds: readonly number[]): void {
    for (const chainId of chainIds) this.#newest.delete(chainId);
  }

  rollJob(chainId: number, group: number, clean: boolean): Job | undefined {
    const newest = this.#newest.get(chainId);
    return newest && this.#book.addVariant(newest, group, this.nodeTime(newest.work), clean);
  }

  /** How long it takes, in milliseconds, until the node's clock has surely reached the job's creation time; 0 once it has. */
  untilReachedMs({ work, header }: Job): number {
    const aheadMs = Number(creationTimeOf(header) - work.fields.creationTime) / 1000;
    return aheadMs <= 0 ? 0 : Math.max(0, aheadMs / SLOWEST_RATE + ROUNDING_MS - this.#ageMs(work));
  }

  /** Microseconds since the epoch that the node's clock has reached. */
  nodeTime(work: Work): bigint {
    const passedMs = (Math.min(MAX_ROLL_MS, this.#ageMs(work)) - ROUNDING_MS) * SLOWEST_RATE;
    return work.fields.creationTime + BigInt(Math.floor(Math.max(0, passedMs) * 1000));
  }

  /** Since the work came. */
  #ageMs(work: Work): number {
    const nowMs = this.#clock.nowMs();
    const cameAtMs = this.#cameAtMs.get(work) ?? nowMs;
    this.#cameAtMs.set(work, cameAtMs);
    return nowMs - cameAtMs;
  }
}
