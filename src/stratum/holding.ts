/**
 * What a session holds of the bridge: a lease of nonce1, and with it what its jobs were issued with. It outlives the
 * session in the parking, so that a rig that returns in time goes on where it was.
 */
import { IssuedTargets } from './issued-targets.js';
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

  /** Gives the lease up; what its return needs is parked for as long as the nonce1 rests. */
  leave(): void {
    if (!this.#lease) return;
    const { leases, parking, clock, byToken } = this.#parts;
    const nowMs = clock.nowMs();
    leases.release(this.#lease, nowMs);
    if (!this.#token) return;
    byToken.delete(this.#token);
    if (!this.#issued.any) return;
    const [lease, token, addressKey] = [this.#lease, this.#token, this.#addressKey];
    parking.park({ lease, token, addressKey, issued: this.#issued, shareTarget: this.shareTarget }, nowMs);
  }

  #resume(tokenOrNonce1: string): Lease | undefined {
    const { leases, parking, clock, byToken } = this.#parts;
    const nowMs = clock.nowMs();
    // Its old connection may not have noticed yet that the rig is gone.
    byToken.get(tokenOrNonce1)?.end('the rig came back on another connection');
    const parked = parking.take(tokenOrNonce1, this.#addressKey, leases.groups, nowMs);
    const lease = leases.lease(nowMs, parked?.lease);
    if (parked && lease?.nonce1 === parked.lease.nonce1 && lease.group === parked.lease.group) {
      this.#issued = parked.issued;
      this.shareTarget = parked.shareTarget;
      this.shareTarget.resume(nowMs);
      this.#token = parked.token;
    }
    return lease;
  }
}
