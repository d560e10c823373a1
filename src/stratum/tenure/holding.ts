/**
 * What a session holds of the bridge: a lease of nonce1, and with it what its jobs were issued with. It outlives the
 * session in the parking, so that a rig that returns in time goes on where it was.
 */
import type { Job } from '../../core/job.js';
import type { Login } from '../door/accounts.js';
import type { SessionParts, TokenOwner } from '../session/session-parts.js';
import { type Issue, IssuedTargets } from './issued-targets.js';
import type { Lease } from './nonce-leases.js';
import { type Parked, shareLogin } from './parking.js';
import { ShareTarget } from './share-target.js';

type Parts = Pick<
  SessionParts,
  'leases' | 'parking' | 'byToken' | 'newToken' | 'oldestJob' | 'clock' | 'rules'
>;

export class Holding {
  readonly #parts: Parts;
  readonly #addressKey: string;
  #lease: Lease | undefined;
  #token: string | undefined;
  #issued = new IssuedTargets();
  /** It is what an earlier session of the rig held. */
  #isFormer = false;
  /** The token or nonce1 by which the rig asks for what it had, as long as nothing was found by it. */
  #claim: string | undefined;
  /** What was found once its login was known: its jobs are known again, its nonce1 still rests. */
  #followed: Parked | undefined;
  shareTarget: ShareTarget;

  constructor(parts: Parts, addressKey: string) {
    this.#parts = parts;
    this.#addressKey = addressKey;
    const { shareDifficulty, vardiff } = parts.rules.difficulty;
    this.shareTarget = new ShareTarget(shareDifficulty, vardiff, parts.clock.nowMs());
  }

  get lease(): Lease | undefined {
    return this.#lease;
  }

  get issued(): IssuedTargets {
    return this.#issued;
  }

  /** Known to the rig alone; there once a lease is. */
  get token(): string | undefined {
    return this.#token;
  }

  /**
   * Takes a lease: the former one of a rig that names it, with all that belongs to it; else a new one. What only a login
   * can prove is looked for again once there is one. `undefined` when the nonce space is full.
   *
   * @param resume a token, or a nonce1 in hex.
   */
  take(resume: string | undefined, owner: TokenOwner): Lease | undefined {
    this.#claim = resume || undefined;
    const nowMs = this.#parts.clock.nowMs();
    this.#lease = this.#resume(owner.logins, nowMs) ?? this.#parts.leases.lease(nowMs);
    if (!this.#lease) return undefined;
    // Who has seen the former one has nothing by it.
    this.#token = this.#parts.newToken();
    this.#parts.byToken.set(this.#token, owner);
    return this.#lease;
  }

  /**
   * Exchanges the lease for the one that a former session of this login left at this address, so that late shares count.
   * Jobs issued under the lease in between stay under it: it rests for as long as they may live. `undefined` when nothing
   * was left, or all was taken back already.
   */
  takeBack(login: Login): Lease | undefined {
    const { leases, parking, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const between = this.#lease;
    if (!between) return undefined;
    if (!this.#isFormer)
      this.#follow(this.#claimed([login], nowMs) ?? parking.takeOf(login, this.#addressKey, nowMs));
    const lease = this.#followed && leases.leaseAgain(this.#followed.lease, nowMs);
    this.#followed = undefined;
    if (!lease) return undefined;
    leases.release(between, nowMs);
    this.#lease = lease;
    return lease;
  }

  /** Finds what the rig named and could not prove before it had these logins: its late shares count, under its lease of then. */
  followClaim(logins: readonly Login[]): void {
    if (!this.#isFormer) this.#follow(this.#claimed(logins, this.#parts.clock.nowMs()));
  }

  /** Remembers what the job is issued with; only with a lease. */
  issue(job: Job): void {
    if (this.#lease) this.#issued.issue(job, this.shareTarget.own, this.#lease, this.#parts.oldestJob());
  }

  /** What a job of this number was issued with, at least one; `undefined` before the first lease. */
  issuesAt(jobNumber: number | undefined): readonly Issue[] | undefined {
    if (!this.#lease) return undefined;
    const issues = jobNumber === undefined ? [] : this.#issued.at(jobNumber);
    return issues.length > 0 ? issues : [{ lease: this.#lease, own: undefined }];
  }

  /** Gives the lease up; what its return needs is parked for as long as the nonce1 rests. */
  leave(logins: readonly Login[]): void {
    if (!this.#lease) return;
    const { leases, parking, clock, byToken } = this.#parts;
    const nowMs = clock.nowMs();
    leases.release(this.#lease, nowMs);
    if (!this.#token) return;
    byToken.delete(this.#token);
    if (!this.#issued.any) return;
    const [lease, token, addressKey] = [this.#lease, this.#token, this.#addressKey];
    const { shareTarget } = this;
    parking.park({ lease, token, logins, addressKey, issued: this.#issued, shareTarget }, nowMs);
  }

  #follow(parked: Parked | undefined): void {
    if (!parked) return;
    this.#issued.follow(parked.issued);
    this.#followed = parked;
    this.#isFormer = true;
  }

  #resume(logins: readonly Login[], nowMs: number): Lease | undefined {
    const parked = this.#claimed(logins, nowMs);
    const lease = parked && this.#parts.leases.leaseAgain(parked.lease, nowMs);
    if (!lease) {
      this.#follow(parked);
      return undefined;
    }
    this.#issued = parked.issued;
    this.shareTarget = parked.shareTarget;
    this.shareTarget.resume(nowMs);
    this.#isFormer = true;
    return lease;
  }

  /** By its token, which it alone has, or by its nonce1 and one of these logins, which are the rig's. */
  #claimed(logins: readonly Login[], nowMs: number): Parked | undefined {
    const { leases, parking, byToken } = this.#parts;
    const claim = this.#claim;
    if (claim === undefined) return undefined;
    const live = byToken.get(claim);
    // Its old connection may not have noticed yet that the rig is gone. A token alone ends nobody's session.
    if (live && shareLogin(live.logins, logins)) live.end('the rig came back on another connection');
    const left = { logins, addressKey: this.#addressKey };
    const parked = parking.take(claim, nowMs) ?? parking.takeNonce1(claim, left, leases.groups, nowMs);
    if (parked) this.#claim = undefined;
    return parked;
  }
}
