/**
 * The jobs of all sessions: which session works on which chain, and the newest job of each chain and group.
 *
 * Sessions are spread over the live chains by hash rate. A session keeps its chain until that is retired or the loads
 * have drifted apart; a move is a fresh job, never one that was issued before, so that no rig begins a range of nonces
 * anew.
 */
import type { Crowds } from '../../bridge/crowds.js';
import type { JobSource } from '../../bridge/ports.js';
import type { Job } from '../../core/job.js';
import { place, spread } from '../../core/spread.js';
import type { JobTaker } from '../session/session-parts.js';
import { JobLine } from './job-feed.js';

export interface JobBoardParts {
  /** Open sessions, in the order in which they get jobs. */
  sessions(): ReadonlySet<JobTaker>;
  /** How many groups of sessions hold the same nonces. */
  groups(): number;
  /** Has the live chains and how many sessions are on each; kept by this board alone. */
  readonly crowds: Crowds;
  /** Without it sessions get jobs only when the node gives new work. */
  readonly jobs: JobSource | undefined;
  /** Whether a session may begin on this live chain; all are left in time that it is not so of. */
  handsOut?(chainId: number): boolean;
}

/** Groups that a key of chain and group can tell apart. */
const MAX_GROUPS = 1024;

/** Sessions of one chain and group: one job serves all of them. */
interface Audience {
  readonly chainId: number;
  readonly group: number;
  readonly sessions: JobTaker[];
  must: boolean;
}

export class JobBoard {
  readonly #parts: JobBoardParts;
  /** Live chain -> the newest job of each group. */
  readonly #newest = new Map<number, JobLine[]>();
  readonly #chainOf = new Map<JobTaker, number>();
  #chainsChanged = false;

  constructor(parts: JobBoardParts) {
    this.#parts = parts;
  }

  chainOf(session: JobTaker): number | undefined {
    return this.#chainOf.get(session);
  }

  offerJob(job: Job): void {
    const { chainId } = job.work;
    if (!this.#newest.has(chainId)) this.#begin(chainId);
    this.#newest.set(chainId, []);
    this.#send(chainId, job);
    for (let group = 1; group < this.#parts.groups(); group++) {
      const variant = this.#parts.jobs?.rollJob(chainId, group, job.clean);
      if (variant) this.#send(chainId, variant);
    }
  }

  /** Their sessions go to the least loaded chains and get clean jobs there; without any they wait for the next chain. */
  retireChains(chainIds: readonly number[]): void {
    const gone = new Set(chainIds.filter((chainId) => this.#newest.delete(chainId)));
    for (const chainId of gone) this.#parts.crowds.end(chainId);
    const before = this.#chainOf.size;
    for (const [session, chainId] of this.#chainOf) if (gone.has(chainId)) this.#chainOf.delete(session);
    if (gone.size > 0) this.#chainsChanged = true;
    if (this.#newest.size > 0 && this.#chainOf.size < before) this.#assign(place, true);
  }

  /**
   * The newest job for a session that has room for one; gives it a chain if it has none. `undefined` also when it had that
   * one before: what comes back at any pace then gets fresh nonces with the next tick, all at once.
   */
  newestFor(session: JobTaker): JobLine | undefined {
    const group = session.lease?.group;
    const chainId = this.#chainOf.get(session) ?? this.#leastCrowded();
    if (group === undefined || chainId === undefined) return undefined;
    this.#setChain(session, chainId);
    const newest = this.#newest.get(chainId)?.[group];
    if (!newest) return this.#roll(chainId, group, true);
    const hadIt = newest.job.number <= session.lastJobNumber;
    return hadIt && this.#parts.jobs ? undefined : newest;
  }

  left(session: JobTaker): void {
    const chainId = this.#chainOf.get(session);
    if (chainId === undefined) return;
    this.#chainOf.delete(session);
    this.#parts.crowds.left(chainId);
  }

  /** Evens the loads out by what is known of hash rates now. */
  balance(): void {
    this.#chainsChanged = false;
    if (this.#newest.size > 1) this.#assign(spread, false);
  }

  /** Who must have a fresh job gets one, and with it who may well have one, so that one variant serves many. */
  tick(nowMs: number): void {
    if (this.#chainsChanged) this.balance();
    if (!this.#parts.jobs) return;
    const audiences = new Map<number, Audience>();
    for (const [session, chainId] of this.#chainOf) {
      const due = session.jobDue(nowMs);
      if (due !== 'no') join(audiences, session, chainId, due === 'must');
    }
    for (const audience of audiences.values()) if (audience.must) this.#serve(audience, false);
  }

  /** The first live chain takes all who wait; a further one draws its sessions with the next tick. */
  #begin(chainId: number): void {
    const isFirst = this.#newest.size === 0;
    this.#parts.crowds.begin(chainId);
    this.#chainsChanged = true;
    if (!isFirst) return;
    for (const session of this.#parts.sessions()) if (session.ready) this.#setChain(session, chainId);
  }

  #assign(how: typeof place, clean: boolean): void {
    const sessions = [...this.#parts.sessions()].filter((session) => session.ready);
    const members = sessions.map((session) => ({
      weight: session.hashesPerSecond,
      chainId: this.#chainOf.get(session),
    }));
    const audiences = new Map<number, Audience>();
    how(members, this.#handedOut()).forEach((chainId, i) => {
      const session = sessions[i];
      if (!session || this.#chainOf.get(session) === chainId) return;
      this.#setChain(session, chainId);
      join(audiences, session, chainId, true);
    });
    for (const audience of audiences.values()) this.#serve(audience, clean);
  }

  #setChain(session: JobTaker, chainId: number): void {
    const former = this.#chainOf.get(session);
    if (former === chainId) return;
    if (former !== undefined) this.#parts.crowds.left(former);
    this.#chainOf.set(session, chainId);
    this.#parts.crowds.joined(chainId);
  }

  /** Live chains that a session may begin on; all of them when there is none. */
  #handedOut(): number[] {
    const live = [...this.#newest.keys()];
    const open = live.filter((chainId) => this.#parts.handsOut?.(chainId) ?? true);
    return open.length > 0 ? open : live;
  }

  #leastCrowded(): number | undefined {
    let least: [number, number] | undefined;
    const open = new Set(this.#handedOut());
    for (const each of this.#parts.crowds.counts)
      if (open.has(each[0]) && (!least || each[1] < least[1])) least = each;
    return least?.[0];
  }

  #serve({ chainId, group, sessions }: Audience, clean: boolean): void {
    const jobLine = this.#roll(chainId, group, clean) ?? this.#newest.get(chainId)?.[group];
    if (jobLine) for (const session of sessions) session.offerJob(jobLine);
  }

  #roll(chainId: number, group: number, clean: boolean): JobLine | undefined {
    const job = this.#parts.jobs?.rollJob(chainId, group, clean);
    return job && this.#encode(chainId, job);
  }

  #send(chainId: number, job: Job): void {
    const jobLine = this.#encode(chainId, job);
    for (const session of this.#parts.sessions()) {
      if (this.#chainOf.get(session) === chainId && session.lease?.group === job.group)
        session.offerJob(jobLine);
    }
  }

  #encode(chainId: number, job: Job): JobLine {
    const jobLine = new JobLine(job);
    const newest = this.#newest.get(chainId);
    if (newest) newest[job.group] = jobLine;
    return jobLine;
  }
}

function join(audiences: Map<number, Audience>, session: JobTaker, chainId: number, must: boolean): void {
  const group = session.lease?.group ?? 0;
  const key = chainId * MAX_GROUPS + group;
  const audience = audiences.get(key) ?? { chainId, group, sessions: [], must: false };
  audiences.set(key, audience);
  audience.sessions.push(session);
  audience.must ||= must;
}
