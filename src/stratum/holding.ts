/**
 * What a session holds of the bridge: a lease of nonce1, and with it what its jobs were issued with. It outlives the
 * session in the parking, so that a rig that returns in time goes on where it was.
 */
import type { Job } from '../core/job.js';
import type { Login } from './accounts.js';
import { type Issue, IssuedTargets } from './issued-targets.js';
import type { Lease } from './nonce-leases.js';
import type { SessionParts } from './session-parts.js';
import { ShareTarget } from './share-target.js';

type Parts = Pick<
  SessionParts,
  'leases' | 'parking' | 'byToken' | 'newToken' | 'clock' | 'shareDifficulty' | 'vardiff'
>;

export class Holding {
  readonly #parts: Parts;
  readonly #addressKey: string;
  #lease: Lease | undefined;
  #token: string | undefined;
  #issued = new IssuedTargets();
  /** It is what an earlier session of the rig held. */
  #isFormer = false;
  shareTarget: ShareTarget;

  constructor(parts: Parts, addressKey: string) {
    this.#parts = parts;
    this.#addressKey = addressKey;
    this.shareTarget = new ShareTarget(parts.shareDifficulty, parts.vardiff, parts.clock.nowMs());
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
   * Takes a lease: the former one of a rig that names it by token or nonce1, with all that belongs to it; else a new
   * one. `undefined` when the nonce space is full.
   */
  take(resume: string | undefined, owner: { end(reason: string): void }): Lease | undefined {
    this.#lease = resume ? this.#resume(resume) : this.#parts.leases.lease(this.#parts.clock.nowMs());
    if (!this.#lease) return undefined;
    this.#token ??= this.#parts.newToken();
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
    if (!between || this.#isFormer) return undefined;
    const parked = parking.takeOf(login, this.#addressKey, nowMs);
    const lease = parked && leases.leaseAgain(parked.lease, nowMs);
    if (!lease) return undefined;
    leases.release(between, nowMs);
    this.#issued.follow(parked.issued);
    this.#lease = lease;
    this.#isFormer = true;
    return lease;
  }

  /** Remembers what the job is issued with; only with a lease. */
  issue(job: Job): void {
    if (this.#lease) this.#issued.issue(job, this.shareTarget.own, this.#lease);
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

  #resume(tokenOrNonce1: string): Lease | undefined {
    const { leases, parking, clock, byToken } = this.#parts;
    const nowMs = clock.nowMs();
    // Its old connection may not have noticed yet that the rig is gone.
    byToken.get(tokenOrNonce1)?.end('the rig came back on another connection');
    const parked = parking.take(tokenOrNonce1, this.#addressKey, leases.groups, nowMs);
    const lease = parked && leases.leaseAgain(parked.lease, nowMs);
    if (!lease) return leases.lease(nowMs);
    this.#issued = parked.issued;
    this.shareTarget = parked.shareTarget;
    this.shareTarget.resume(nowMs);
    this.#token = parked.token;
    this.#isFormer = true;
    return lease;
  }
}
