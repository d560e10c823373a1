/**
 * nonce1 leases in groups: each group holds all values once, and its jobs have creation times of their own.
 *
 * The first group's space is shared with everything else that mines for this bridge; further ones are made when the
 * ones before are full.
 */
import { type Nonce1, NonceSpace } from '../core/nonce.js';

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

  /** `undefined` when every group is full. `wanted` is given if nobody holds it. */
  lease(nowMs: number, wanted?: Lease): Lease | undefined {
    if (wanted) {
      const nonce1 = this.#spaces[wanted.group]?.lease(nowMs, wanted.nonce1);
      if (nonce1 !== undefined) return { nonce1, group: wanted.group };
    }
    for (const [group, space] of this.#spaces.entries()) {
      const nonce1 = space.lease(nowMs);
      if (nonce1 !== undefined) return { nonce1, group };
    }
    if (this.#spaces.length >= this.#maxGroups) return undefined;
    this.#spaces.push(new NonceSpace(this.quarantineMs));
    return this.lease(nowMs);
  }

  release({ nonce1, group }: Lease, nowMs: number): void {
    this.#spaces[group]?.release(nonce1, nowMs);
  }
}
