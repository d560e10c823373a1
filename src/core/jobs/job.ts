/**
 * Jobs: works as numbered and sent to rigs, and the book that knows which of them still count.
 *
 * Life of a job: live (its cut stands; several jobs of one chain may be live at once, as refreshed payloads or later
 * creation times), stale (the cut has moved on, its chain was given up, or newer jobs pushed it out), forgotten. Stale
 * jobs are kept for a while, because a late submit that solves a block is worth judging, and because "stale" and "unknown"
 * are different answers to a rig.
 */
import { type Midstate, midstateOf } from '../bytes/blake2s.js';
import { creationTimeOf, type Header, tailOf, withCreationTime, withNonce } from '../work/header.js';
import type { Target } from '../work/target.js';
import { sameCut, sameWork, type Work } from '../work/work.js';
import { GivenTimes } from './given-times.js';
import { type KeptJob, type KeptJobs, KeptWorks, worksOf } from './kept-jobs.js';
import type { NonceHalves } from './nonce.js';
import { NonceSet } from './nonce-set.js';
import type { Staleness } from './staleness.js';

/** Lower-case hex of the job's number: opaque to rigs. */
type JobId = string & { readonly __brand: 'JobId' };

/** `undefined` for what is no id of any job. */
export function jobNumberOf(id: string): number | undefined {
  return /^[0-9a-f]{1,13}$/.test(id) ? Number.parseInt(id, 16) : undefined;
}

export interface Job {
  readonly id: JobId;
  /** Rises with each job of this bridge, so that "issued before" is a comparison. */
  readonly number: number;
  readonly work: Work;
  /** The node that issued the work; only that node knows its payload. */
  readonly node: string;
  /** The header to hash, nonce bytes zero. */
  readonly header: Header;
  /** Serves every nonce of this header. */
  readonly midstate: Midstate;
  /** What follows it. */
  readonly tail: readonly number[];
  readonly blockTarget: Target;
  /** True when all earlier work is void, false when it stays valid. */
  readonly clean: boolean;
  /** Which group of sessions it is for: groups hold the same nonces and differ in creation time. */
  readonly group: number;
}

type JobLookup =
  | { readonly state: 'live'; readonly job: Job }
  | { readonly state: 'stale'; readonly job: Job; readonly because: Staleness }
  | { readonly state: 'unknown'; readonly job?: undefined };

type Reservation = 'reserved' | 'duplicate' | 'full';

interface JobBookLimits {
  /** Live jobs of one chain and group; beyond, the oldest of them becomes stale. */
  readonly live: number;
  /** Stale jobs that are remembered, and for how long. */
  readonly stale: number;
  readonly staleMs: number;
  /** Nonces remembered for one job; as many again where solutions come later. */
  readonly noncesPerJob: number;
}

/** Two jobs a second for eight minutes; and nodes forget a work 330 s after they last handed it out. */
export const JOB_BOOK_LIMITS: JobBookLimits = {
  live: 1024,
  stale: 32_768,
  staleMs: 330_000,
  noncesPerJob: 1_000_000,
};

/** In which a work of a chain comes after a start, where the chain is mined. */
const CONFIRM_MS = 30_000;

interface Entry {
  readonly job: Job;
  readonly nonces: NonceSet;
  /** Absent while it is live. */
  stale?: { readonly sinceMs: number; readonly because: Staleness };
}

/** Owner of all jobs and of the nonces submitted for them. */
export class JobBook {
  /** In the order of their numbers. */
  readonly #entries = new Map<JobId, Entry>();
  /** Chain -> its live jobs by group, oldest first. */
  readonly #live = new Map<number, Entry[][]>();
  /** In the order in which they became stale. */
  readonly #stale = new Set<Entry>();
  readonly #limits: JobBookLimits;
  readonly #times: GivenTimes;
  readonly #nowMs: () => number;
  readonly #firstNumber: number;
  #nextNumber: number;
  #oldestNumber: number;
  /** Chains with live jobs of an earlier start, of which no work has come since: nobody knows whether their cut stands. */
  readonly #unconfirmed = new Set<number>();
  #confirmUntilMs = 0;
  /** Whether jobs of several groups can be told apart. */
  readonly hasGroups: boolean;

  /**
   * @param firstNumber where numbering starts: later than any earlier run of the same bridge, so that no id recurs.
   * @param residue of the creation times of group 0 modulo `TIME_RESIDUES`; group g has the g-th after it, and all are
   *   above the work's own. Without one, times stay as the node gave them, which is right only for a single bridge with a
   *   single group.
   * @param nowMs rising; without it nothing is forgotten by its age.
   */
  constructor(
    firstNumber: number,
    limits: JobBookLimits = JOB_BOOK_LIMITS,
    residue?: number,
    nowMs = (): number => 0,
  ) {
    this.#firstNumber = firstNumber;
    this.#nextNumber = firstNumber;
    this.#oldestNumber = firstNumber;
    this.#limits = limits;
    this.#times = new GivenTimes(residue);
    this.#nowMs = nowMs;
    this.hasGroups = residue !== undefined;
  }

  /** Another residue for the jobs to come, as the bridge has another number among those on its ledger. */
  moveTo(residue: number): void {
    this.#times.moveTo(residue);
  }

  /** Of this start, in the order of their numbers. */
  get liveJobs(): Job[] {
    return [...this.#live.values()]
      .flatMap((groups) => groups.flatMap((entries) => entries.map(({ job }) => job)))
      .filter((job) => this.#isOurs(job))
      .sort((a, b) => a.number - b.number);
  }

  /** The newest live job of each chain's first group, of this start. */
  get newestJobs(): Job[] {
    const newest = [...this.#live.values()].map(([first]) => first?.at(-1)?.job);
    return newest.filter((job) => job !== undefined).filter((job) => this.#isOurs(job));
  }

  /** All that a later start needs to judge late submits as this one would. */
  get kept(): KeptJobs {
    const nowMs = this.#nowMs();
    const works = new KeptWorks();
    const jobs = Array.from(this.#entries.values(), ({ job, nonces, stale }): KeptJob => {
      const { number, group, clean } = job;
      const time = `${creationTimeOf(job.header)}`;
      const ended = stale ? { forMs: nowMs - stale.sinceMs, because: stale.because } : undefined;
      return { number, work: works.numberOf(job), group, clean, time, ended, nonces: nonces.bytes };
    });
    return { works: works.all, jobs };
  }

  /**
   * What an earlier start has kept, before the first job of this one. Its live jobs count until a work of their chain shows
   * another cut, or none has come for a while. Throws RangeError or WorkFormatError for what no book keeps.
   *
   * @param agoMs since it was kept.
   * @returns them.
   */
  restore({ works, jobs }: KeptJobs, agoMs: number): Job[] {
    const nowMs = this.#nowMs();
    const given = worksOf(works);
    const unfit = jobs.find(({ number, work }) => !given[work] || number >= this.#firstNumber);
    if (unfit) throw new RangeError(`no earlier start has kept the job ${unfit.number} so`);
    this.#confirmUntilMs = nowMs + CONFIRM_MS;
    const restored: Job[] = [];
    for (const { number, work: index, group, clean, time, ended, nonces } of jobs) {
      const from = given[index];
      if (!from) continue;
      const job = new NumberedJob(from.work, from.node, number, group, clean, BigInt(time));
      const entry: Entry = { job, nonces: NonceSet.of(nonces) };
      restored.push(job);
      // Else the same work would come with the same times again, and what was found for them would count twice.
      this.#times.know(job.work, group, BigInt(time), nowMs);
      this.#entries.set(job.id, entry);
      if (ended) {
        entry.stale = { sinceMs: nowMs - agoMs - ended.forMs, because: ended.because };
        this.#stale.add(entry);
      } else {
        this.#liveOf(job.work.chainId, group).push(entry);
        this.#unconfirmed.add(job.work.chainId);
      }
    }
    this.#forget();
    return restored;
  }

  /** Of the jobs that are still known; every later job's is higher. */
  get oldestNumber(): number {
    return this.#oldestNumber;
  }

  /** Whether a live job is this node's same work. */
  holds(work: Work, node: string): boolean {
    return this.#works(work.chainId).some(
      (job) => this.#isOurs(job) && job.node === node && sameWork(job.work, work),
    );
  }

  /**
   * Numbers a work. Jobs of the same chain with another cut become stale, and the new one is clean. One with the same cut
   * is clean only if asked for: rigs are to leave the earlier ones, whose shares still count.
   *
   * @param options `notBefore`: the job's least creation time, microseconds since the epoch; by default the work's own.
   */
  add(
    work: Work,
    node: string,
    options: { readonly clean: boolean; readonly notBefore?: bigint } = { clean: false },
  ): Job {
    const isNewCut = !this.#works(work.chainId).some((job) => sameCut(job.work, work));
    if (isNewCut) this.#retire(work.chainId, 'cut');
    this.#unconfirmed.delete(work.chainId);
    return this.#enter(
      work,
      node,
      isNewCut || options.clean,
      0,
      options.notBefore ?? work.fields.creationTime,
    );
  }

  /**
   * The same work once more with a later creation time: fresh nonce space. The earlier ones stay valid.
   *
   * @param notBefore microseconds since the epoch; the time used is the next one that fits the group and was not used.
   */
  addVariant(job: Job, group: number, notBefore: bigint, clean: boolean): Job {
    return this.#enter(job.work, job.node, clean, group, notBefore);
  }

  /** The chain is not mined any more: its jobs become stale. */
  retire(chainId: number): void {
    this.#retire(chainId, 'givenUp');
  }

  find(id: string): JobLookup {
    if (this.#unconfirmed.size > 0 && this.#nowMs() > this.#confirmUntilMs) this.#giveUpUnconfirmed();
    const entry = this.#entries.get(id as JobId);
    if (!entry) return { state: 'unknown' };
    const { job, stale } = entry;
    return stale ? { state: 'stale', job, because: stale.because } : { state: 'live', job };
  }

  /**
   * Takes a nonce of a job; at once, so that two equal submits in flight cannot both pass.
   *
   * @param solves there is always room for a solution, if need be in place of the oldest nonce.
   */
  reserve(job: Job, nonce: NonceHalves, solves = false): Reservation {
    const nonces = this.#entries.get(job.id)?.nonces;
    const { noncesPerJob } = this.#limits;
    if (!nonces) return 'full';
    if (nonces.size >= noncesPerJob && !solves) return nonces.has(nonce) ? 'duplicate' : 'full';
    if (!nonces.add(nonce)) return 'duplicate';
    if (nonces.size > 2 * noncesPerJob) nonces.deleteOldest();
    return 'reserved';
  }

  /** Gives a nonce back that could not be credited, so that the rig may try again. */
  unreserve(job: Job, nonce: NonceHalves): void {
    this.#entries.get(job.id)?.nonces.delete(nonce);
  }

  #enter(work: Work, node: string, clean: boolean, group: number, notBefore: bigint): Job {
    const time = this.#times.next(work, group, notBefore, this.#nowMs());
    const job = new NumberedJob(work, node, this.#nextNumber++, group, clean, time);
    const entry: Entry = { job, nonces: new NonceSet() };
    this.#entries.set(job.id, entry);
    const entries = this.#liveOf(work.chainId, group);
    entries.push(entry);
    if (entries.length > this.#limits.live) {
      const oldest = entries.shift();
      if (oldest) this.#makeStale(oldest, 'pushedOut');
    }
    this.#forget();
    return job;
  }

  #isOurs({ number }: Job): boolean {
    return number >= this.#firstNumber;
  }

  #giveUpUnconfirmed(): void {
    for (const chainId of this.#unconfirmed) this.#retire(chainId, 'cut');
    this.#unconfirmed.clear();
  }

  /** One live job of each work of the chain: its variants are the same work. */
  #works(chainId: number): Job[] {
    const [first = []] = this.#live.get(chainId) ?? [];
    return first.map(({ job }) => job).filter((job, i) => job.work !== first[i - 1]?.job.work);
  }

  #liveOf(chainId: number, group: number): Entry[] {
    const groups = this.#live.get(chainId) ?? [];
    this.#live.set(chainId, groups);
    while (groups.length <= group) groups.push([]);
    return groups[group] ?? [];
  }

  #retire(chainId: number, because: Staleness): void {
    const groups = this.#live.get(chainId) ?? [];
    this.#live.delete(chainId);
    const entries = groups.flat().sort((a, b) => a.job.number - b.job.number);
    for (const entry of entries) this.#makeStale(entry, because);
    this.#forget();
  }

  #makeStale(entry: Entry, because: Staleness): void {
    entry.stale = { sinceMs: this.#nowMs(), because };
    this.#stale.add(entry);
  }

  #forget(): void {
    const { stale, staleMs } = this.#limits;
    const nowMs = this.#nowMs();
    for (const entry of this.#stale) {
      const ageMs = nowMs - (entry.stale?.sinceMs ?? nowMs);
      if (this.#stale.size <= stale && ageMs < staleMs) break;
      this.#stale.delete(entry);
      this.#entries.delete(entry.job.id);
    }
    const [oldest] = this.#entries.values();
    this.#oldestNumber = oldest?.job.number ?? this.#nextNumber;
  }
}

/** A work as a job of this number. What submits are hashed with is worked out with the first of them: rigs wait for the job. */
class NumberedJob implements Job {
  readonly id: JobId;
  readonly number: number;
  readonly work: Work;
  readonly node: string;
  readonly header: Header;
  readonly blockTarget: Target;
  readonly clean: boolean;
  readonly group: number;
  #midstate: Midstate | undefined;
  #tail: readonly number[] | undefined;

  constructor(work: Work, node: string, number: number, group: number, clean: boolean, time: bigint) {
    this.id = number.toString(16) as JobId;
    this.number = number;
    this.work = work;
    this.node = node;
    this.header = withCreationTime(withNonce(work.header, 0n), time);
    this.blockTarget = work.blockTarget;
    this.clean = clean;
    this.group = group;
  }

  get midstate(): Midstate {
    this.#midstate ??= midstateOf(this.header);
    return this.#midstate;
  }

  get tail(): readonly number[] {
    this.#tail ??= tailOf(this.header);
    return this.#tail;
  }
}
