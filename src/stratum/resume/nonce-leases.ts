/**
 * nonce1 leases in groups: each group holds all values once, and its jobs have creation times of their own.
 *
 * The first group's space is shared with everything else that mines for this bridge; further ones are made when the
 * ones before are full.
 */
import { type Nonce1, NonceSpace } from '../../core/jobs/nonce.js';

export interface Lease {
  readonly nonce1: Nonce1;
  readonly group: number;
}

export class NonceLeases {
  readonly #spaces: NonceSpace[];
  readonly #maxGroups: number;

  constructor(first: NonceSpace, maxGroups: number) {
    this.#spaces = [first];
    this.#maxGroups = maxGroups;
  }

  get groups(): number {
    return this.#spaces.length;
  }

  /** In all groups, by whomever. */
  get leased(): number {
    return this.#spaces.reduce((sum, space) => sum + space.leased, 0);
  }

  get quarantineMs(): number {
    return this.#spaces[0]?.quarantineMs ?? 0;
  }

  /** Of an earlier start; those that wake first come first. Throws RangeError for a group that there never is. */
  rest({ nonce1, group }: Lease, untilMs: number): void {
    if (group >= this.#maxGroups) throw new RangeError(`there is no group ${group} of sessions`);
    while (this.#spaces.length <= group) this.#spaces.push(new NonceSpace(this.quarantineMs));
    this.#spaces[group]?.rest(nonce1, untilMs);
  }

  /** Ends the rest of a lease that was released, for its former owner; `undefined` when somebody has it. */
  leaseAgain({ nonce1, group }: Lease, nowMs: number): Lease | undefined {
    const space = this.#spaces[group];
    return space && !space.isLeased(nonce1) && space.lease(nowMs, nonce1) === nonce1
      ? { nonce1, group }
      : undefined;
  }

  /** `undefined` when every group is full. */
  lease(nowMs: number): Lease | undefined {
    for (const [group, space] of this.#spaces.entries()) {
      const nonce1 = space.lease(nowMs);
      if (nonce1 !== undefined) return { nonce1, group };
    }
    if (this.#spaces.length >= this.#maxGroups) return undefined;
    this.#spaces.push(new NonceSpace(this.quarantineMs));
    return this.lease(nowMs);
  }

  /** Groups that nobody has used for as long as a nonce1 rests are no more: each job was made for them too. */
  shrink(nowMs: number): void {
    while (this.#spaces.length > 1 && this.#spaces.at(-1)?.isIdle(nowMs)) this.#spaces.pop();
  }

  release({ nonce1, group }: Lease, nowMs: number): void {
    this.#spaces[group]?.release(nonce1, nowMs);
  }
}
