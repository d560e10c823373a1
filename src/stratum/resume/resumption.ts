/**
 * A session's hold on a resumable session: it begins with one of its own, and takes the former one of its rig as soon as it is known who
 * the rig is.
 */
import type { Job } from '../../core/jobs/job.js';
import type { Login } from '../admission/accounts.js';
import type { SessionParts, TokenOwner } from '../session/session-parts.js';
import type { IssuedTargets } from './issued-targets.js';
import type { Lease } from './nonce-leases.js';
import { ResumableSession } from './resumable-session.js';
import { shareLogin } from './resumables.js';
import { ShareTarget } from './share-target.js';

type Parts = Pick<
  SessionParts,
  'leases' | 'resumables' | 'byToken' | 'newToken' | 'oldestJob' | 'clock' | 'rules'
>;

export class Resumption {
  readonly #parts: Parts;
  readonly #addressKey: string;
  #resumable: ResumableSession;
  /** It is what an earlier session of the rig held, or follows that. */
  #isFormer = false;
  /** The token or nonce1 by which the rig asks for what it had, as long as nothing was found by it. */
  #claim: string | undefined;
  /** What was found once its login was known: its jobs are known again, its nonce1 still rests. */
  #followed: ResumableSession | undefined;

  constructor(parts: Parts, addressKey: string) {
    this.#parts = parts;
    this.#addressKey = addressKey;
    const { shareDifficulty, vardiff } = parts.rules.difficulty;
    const target = new ShareTarget(shareDifficulty, vardiff, parts.clock.nowMs());
    this.#resumable = new ResumableSession(addressKey, target);
  }

  get resumable(): ResumableSession {
    return this.#resumable;
  }

  get lease(): Lease | undefined {
    return this.#resumable.lease;
  }

  get token(): string | undefined {
    return this.#resumable.token;
  }

  get shareTarget(): ShareTarget {
    return this.#resumable.shareTarget;
  }

  set shareTarget(target: ShareTarget) {
    this.#resumable.shareTarget = target;
  }

  /**
   * Takes a lease: with its former resumable session where the rig names it; else a new one. What only a login can prove is looked for
   * again once there is one. `undefined` when the nonce space is full.
   *
   * @param resume a token, or a nonce1 in hex.
   */
  take(resume: string | undefined, owner: TokenOwner): Lease | undefined {
    this.#claim = resume || undefined;
    const nowMs = this.#parts.clock.nowMs();
    const lease = this.#resume(owner.logins, nowMs) ?? this.#parts.leases.lease(nowMs);
    this.#resumable.lease = lease;
    if (!lease) return undefined;
    // Who has seen the former one has nothing by it.
    const token = this.#parts.newToken();
    this.#resumable.token = token;
    this.#parts.byToken.set(token, owner);
    return lease;
  }

  /**
   * Takes the resumable session that the rig names, or that a session of this login left at this address, and exchanges the lease for
   * its. Jobs issued under the lease in between stay under it: it rests for as long as they may live. `undefined`
   * when nothing was left, or all was taken back already.
   */
  takeBack(login: Login): Lease | undefined {
    const { leases, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const between = this.#resumable.lease;
    if (!between) return undefined;
    this.#find([login], nowMs);
    const lease = this.#followed?.lease && leases.leaseAgain(this.#followed.lease, nowMs);
    this.#followed = undefined;
    if (!lease) return undefined;
    leases.release(between, nowMs);
    this.#resumable.lease = lease;
    return lease;
  }

  /** Its late shares count, under its lease of then, for a rig that cannot exchange the one it has. */
  follow(logins: readonly Login[]): void {
    if (this.#resumable.lease) this.#find(logins, this.#parts.clock.nowMs());
  }

  issue(job: Job): void {
    this.#resumable.issue(job, this.#parts.oldestJob());
  }

  /** Gives the lease up; the resumable session waits for as long as the nonce1 rests. */
  leave(logins: readonly Login[]): void {
    const { lease, token, hasJobs } = this.#resumable;
    if (!lease) return;
    const { leases, resumables, clock, byToken } = this.#parts;
    const nowMs = clock.nowMs();
    leases.release(lease, nowMs);
    if (token === undefined) return;
    byToken.delete(token);
    if (!hasJobs) return;
    this.#resumable.logins = logins;
    resumables.add(this.#resumable, nowMs);
  }

  /** What the rig named and could not prove before it had these logins; else what one of them has left at this address. */
  #find(logins: readonly Login[], nowMs: number): void {
    if (this.#isFormer) return;
    const { resumables } = this.#parts;
    // Which of several rigs of its login it is, nobody knows: its late shares may be of any. Looked at only where one is found.
    const others = logins.map((login) => resumables.leftBy(login, this.#addressKey));
    this.#follow(this.#claimed(logins, nowMs) ?? this.#left(logins, nowMs));
    if (this.#followed) this.#resumable.issued.alsoKnow(issuedOf(others));
  }

  #follow(former: ResumableSession | undefined): void {
    if (!former) return;
    this.#resumable.follow(former);
    this.#followed = former;
    this.#isFormer = true;
  }

  #resume(logins: readonly Login[], nowMs: number): Lease | undefined {
    const former = this.#claimed(logins, nowMs);
    const { leases } = this.#parts;
    const lease = former?.lease && leases.leaseAgain(former.lease, nowMs);
    if (!former || !lease) {
      this.#follow(former);
      return undefined;
    }
    this.#resumable = former;
    former.shareTarget.resume(nowMs);
    this.#isFormer = true;
    return lease;
  }

  /** What is named is the rig's by its token, which it alone has, or by its nonce1 and one of these logins, which are the rig's. */
  #claimed(logins: readonly Login[], nowMs: number): ResumableSession | undefined {
    const named = this.#claim;
    if (named === undefined) return undefined;
    const { leases, resumables, byToken } = this.#parts;
    const live = byToken.get(named);
    // Its old connection may not have noticed yet that the rig is gone. A token alone ends nobody's session.
    if (live && shareLogin(live.logins, logins)) live.end('the rig came back on another connection');
    const left = { logins, addressKey: this.#addressKey };
    const former = resumables.take(named, nowMs) ?? resumables.takeNonce1(named, left, leases.groups, nowMs);
    if (former) this.#claim = undefined;
    return former;
  }

  /** What a session of one of these logins has left at this address. */
  #left(logins: readonly Login[], nowMs: number): ResumableSession | undefined {
    for (const login of logins) {
      const resumable = this.#parts.resumables.takeOf(login, this.#addressKey, nowMs);
      if (resumable) return resumable;
    }
    return undefined;
  }
}

function* issuedOf(rows: readonly Iterable<ResumableSession>[]): Iterable<IssuedTargets> {
  for (const row of rows) for (const { issued } of row) yield issued;
}
