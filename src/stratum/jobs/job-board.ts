/**
 * The jobs of all sessions: which session works on which chain, and the newest job of each chain and group.
 *
 * Sessions are spread over the live chains by hash rate. A session keeps its chain until that is retired or the loads
 * have drifted apart; a move is a fresh job, never one that was issued before, so that no rig begins a range of nonces
 * anew.
 */

import type { JobSink, JobSource } from '../../bridge/ports.js';
import type { SessionCounts } from '../../bridge/session-counts.js';
import type { Job } from '../../core/jobs/job.js';
import { ChainLoads } from '../../core/jobs/spread.js';
import type { JobTaker } from '../session/session-parts.js';
import { Audience, rankOf } from './audience.js';
import { JobLine } from './job-feed.js';

interface JobBoardParts {
  /** Open sessions. */
  sessions(): ReadonlySet<JobTaker>;
  /** How many groups of sessions hold the same nonces. */
  groups(): number;
  /** Has the live chains and how many sessions are on each; kept by this board alone. */
  readonly sessionCounts: SessionCounts;
  /** Without it sessions get jobs only when the node gives new work. */
  readonly jobs: JobSource | undefined;
  /** Whether a session may begin on this live chain; all are left in time that it is not so of. */
  handsOut?(chainId: number): boolean;
}

/** Groups that a key of chain and group can tell apart. */
const MAX_GROUPS = 1024;
/** A job that was made for one whose turn it was serves all whose turn comes within this time. */
const SHARED_MS = 500;

/** Where a session works. */
interface Assignment {
  readonly chainId: number;
  readonly group: number;
  rank: number;
  /** As it was weighed last; 0 while unknown. */
  weight: number;
}

export class JobBoard implements JobSink {
  readonly #parts: JobBoardParts;
  /** Live chain -> the newest job of each group. */
  readonly #newest = new Map<number, JobLine[]>();
  readonly #assignments = new Map<JobTaker, Assignment>();
  readonly #audiences = new Map<number, Audience>();
  readonly #loads = new ChainLoads();
  /** As of the last turn. */
  #nowMs = 0;
  #open: readonly number[] = [];

  constructor(parts: JobBoardParts) {
    this.#parts = parts;
  }

  chainOf(session: JobTaker): number | undefined {
    return this.#assignments.get(session)?.chainId;
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
    for (const chainId of gone) this.#parts.sessionCounts.end(chainId);
    const leaving: JobTaker[] = [];
    for (const [key, audience] of this.#audiences)
      if (gone.has(chainIn(key))) for (const rank of audience.ranks) leaving.push(...rank);
    const open = this.#handedOut();
    const came = new Map<number, JobTaker[]>();
    for (const session of leaving) {
      const chainId = session.ready ? this.#loads.lightestOf(open) : undefined;
      if (chainId === undefined) this.#leave(session);
      else {
        const key = keyOf(this.#assign(session, chainId));
        const others = came.get(key);
        if (others) others.push(session);
        else came.set(key, [session]);
      }
    }
    for (const [key, sessions] of came) this.#welcome(key, sessions);
  }

  /**
   * The newest job for a session that has room for one; gives it a chain if it has none. `undefined` also when it had that
   * one before: what comes back at any pace then gets fresh nonces when its turn comes, with all others.
   */
  newestFor(session: JobTaker): JobLine | undefined {
    const assignment = this.#assignmentOf(session);
    if (!assignment) return undefined;
    const newest = this.#newestAt(assignment);
    if (!newest) return this.#roll(assignment, true);
    const hadIt = newest.job.number <= session.lastJobNumber;
    return hadIt && this.#parts.jobs ? undefined : newest;
  }

  left(session: JobTaker): void {
    this.#leave(session);
  }

  /** Turns of sessions follow. */
  turnsAt(nowMs: number): void {
    this.#nowMs = nowMs;
    this.#open = this.#handedOut();
  }

  /**
   * The turn of one session, about twice a second. If it must have a fresh job it gets one, which all others get who may
   * well have one when their turn comes soon, so that one variant serves many.
   *
   * @param isWeighed its speed is looked at, too; and whether it had better work on another chain.
   */
  turn(session: JobTaker, isWeighed: boolean): void {
    const assignment = session.ready ? this.#assignmentOf(session) : undefined;
    if (!assignment || (isWeighed && this.#weigh(session, assignment)) || !this.#parts.jobs) return;
    const due = session.jobDue(this.#nowMs);
    if (due !== 'no') this.#refresh(session, assignment, due === 'must');
  }

  /** The first live chain takes all who wait; a further one draws its sessions with their turns. */
  #begin(chainId: number): void {
    const isFirst = this.#newest.size === 0;
    this.#parts.sessionCounts.begin(chainId);
    if (!isFirst) return;
    for (const session of this.#parts.sessions()) if (session.ready) this.#assign(session, chainId);
  }

  /** True when it was moved, and has a job of its new chain. */
  #weigh(session: JobTaker, assignment: Assignment): boolean {
    const { hashesPerSecond } = session;
    this.#loads.remove(assignment.chainId, assignment.weight);
    this.#loads.add(assignment.chainId, hashesPerSecond);
    assignment.weight = hashesPerSecond;
    const rank = rankOf(hashesPerSecond);
    if (rank !== assignment.rank) {
      const audience = this.#audiences.get(keyOf(assignment));
      audience?.remove(session, assignment.rank);
      audience?.add(session, rank);
      assignment.rank = rank;
    }
    if (this.#open.length === 1 && this.#open[0] === assignment.chainId) return false;
    const better = this.#loads.betterFor(assignment.chainId, hashesPerSecond, this.#open);
    if (better === undefined || !this.#newest.has(better)) return false;
    this.#refresh(session, this.#assign(session, better), true);
    return true;
  }

  #refresh(session: JobTaker, assignment: Assignment, must: boolean): void {
    const newest = this.#newestAt(assignment);
    const isNew = newest !== undefined && newest.job.number > session.lastJobNumber;
    if (newest && isNew && this.#nowMs - newest.madeAtMs < SHARED_MS) session.offerJob(newest);
    else if (must) {
      const line = this.#roll(assignment, false) ?? newest;
      if (line) session.offerJob(line);
    }
  }

  /** Where it sits, in the group of its lease; on a chain that it may begin on if it sat nowhere. */
  #assignmentOf(session: JobTaker): Assignment | undefined {
    const assignment = this.#assignments.get(session);
    if (assignment && assignment.group === session.lease?.group) return assignment;
    const chainId = assignment?.chainId ?? this.#fewestSessions();
    return chainId === undefined || !session.lease ? undefined : this.#assign(session, chainId);
  }

  #assign(session: JobTaker, chainId: number): Assignment {
    this.#leave(session);
    const weight = session.hashesPerSecond;
    const assignment = { chainId, group: session.lease?.group ?? 0, rank: rankOf(weight), weight };
    const audience = this.#audiences.get(keyOf(assignment)) ?? new Audience();
    this.#audiences.set(keyOf(assignment), audience);
    audience.add(session, assignment.rank);
    this.#assignments.set(session, assignment);
    this.#loads.add(chainId, weight);
    this.#parts.sessionCounts.joined(chainId);
    return assignment;
  }

  #leave(session: JobTaker): void {
    const assignment = this.#assignments.get(session);
    if (!assignment) return;
    const audience = this.#audiences.get(keyOf(assignment));
    audience?.remove(session, assignment.rank);
    if (audience?.size === 0) this.#audiences.delete(keyOf(assignment));
    this.#assignments.delete(session);
    this.#loads.remove(assignment.chainId, assignment.weight);
    if (this.#newest.has(assignment.chainId)) this.#parts.sessionCounts.left(assignment.chainId);
  }

  /** Live chains that a session may begin on; all of them when there is none. */
  #handedOut(): number[] {
    const live = [...this.#newest.keys()];
    const open = live.filter((chainId) => this.#parts.handsOut?.(chainId) ?? true);
    return open.length > 0 ? open : live;
  }

  #fewestSessions(): number | undefined {
    let least: [number, number] | undefined;
    const open = new Set(this.#handedOut());
    for (const each of this.#parts.sessionCounts.counts)
      if (open.has(each[0]) && (!least || each[1] < least[1])) least = each;
    return least?.[0];
  }

  #newestAt({ chainId, group }: Pick<Assignment, 'chainId' | 'group'>): JobLine | undefined {
    return this.#newest.get(chainId)?.[group];
  }

  /** Gives those who came from a chain that ended one clean job. */
  #welcome(key: number, sessions: readonly JobTaker[]): void {
    const assignment = { chainId: chainIn(key), group: key % MAX_GROUPS };
    const line =
      this.#untaken(assignment, sessions) ?? this.#roll(assignment, true) ?? this.#newestAt(assignment);
    if (line) for (const session of sessions) session.offerJob(line);
  }

  /** The newest, where the chain has just begun and so nobody has its job yet. */
  #untaken(
    assignment: Pick<Assignment, 'chainId' | 'group'>,
    sessions: readonly JobTaker[],
  ): JobLine | undefined {
    const newest = this.#newestAt(assignment);
    const isNew = newest?.job.clean && this.#nowMs - newest.madeAtMs < SHARED_MS;
    if (!isNew || this.#audiences.get(keyOf(assignment))?.size !== sessions.length) return undefined;
    return sessions.every((each) => each.lastJobNumber < newest.job.number) ? newest : undefined;
  }

  #roll({ chainId, group }: Pick<Assignment, 'chainId' | 'group'>, clean: boolean): JobLine | undefined {
    const job = this.#parts.jobs?.rollJob(chainId, group, clean);
    return job && this.#encode(chainId, job);
  }

  #send(chainId: number, job: Job): void {
    const jobLine = this.#encode(chainId, job);
    const ranks = this.#audiences.get(keyOf({ chainId, group: job.group }))?.ranks ?? [];
    // Its lease may be of another group by now: it gets a job of that with its next turn.
    for (const rank of ranks)
      for (const session of rank) if (session.lease?.group === job.group) session.offerJob(jobLine);
  }

  #encode(chainId: number, job: Job): JobLine {
    const jobLine = new JobLine(job, this.#nowMs);
    const newest = this.#newest.get(chainId);
    if (newest) newest[job.group] = jobLine;
    return jobLine;
  }
}

function keyOf({ chainId, group }: Pick<Assignment, 'chainId' | 'group'>): number {
  return chainId * MAX_GROUPS + group;
}

function chainIn(key: number): number {
  return Math.floor(key / MAX_GROUPS);
}
