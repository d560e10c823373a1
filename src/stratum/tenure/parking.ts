/**
 * What ended sessions leave for their return: within the quarantine a rig gets its nonce1 back, and with it what its
 * late shares are judged by.
 */

import type { Login } from '../door/accounts.js';
import type { StratumLimits } from '../door/limits.js';
import type { IssuedTargets } from './issued-targets.js';
import type { Lease } from './nonce-leases.js';
import { rigKey } from './rig-book.js';
import type { ShareTarget } from './share-target.js';

export interface Parked {
  readonly lease: Lease;
  /** Known to the rig alone. */
  readonly token: string;
  /** Those it had authorized. */
  readonly logins: readonly Login[];
  /** As limits see it; a rig that only names its nonce1 must come from the same one. */
  readonly addressKey: string;
  readonly issued: IssuedTargets;
  readonly shareTarget: ShareTarget;
}

/** Who a place must be of. */
export type LeftBy = Pick<Parked, 'logins' | 'addressKey'>;

interface Place extends Parked {
  readonly leavesAtMs: number;
}

export class Parking {
  readonly #stayMs: number;
  readonly #limits: Pick<StratumLimits, 'remembered'>;
  /** Token -> place; oldest first. */
  readonly #places = new Map<string, Place>();
  /** Group and nonce1 -> token. */
  readonly #tokens = new Map<string, string>();
  /** Login and address -> token of the last that left. */
  readonly #byLogin = new Map<string, string>();

  constructor(stayMs: number, limits: Pick<StratumLimits, 'remembered'>) {
    this.#stayMs = stayMs;
    this.#limits = limits;
  }

  get size(): number {
    return this.#places.size;
  }

  park(parked: Parked, nowMs: number): void {
    this.#places.set(parked.token, { ...parked, leavesAtMs: nowMs + this.#stayMs });
    this.#tokens.set(keyOf(parked.lease), parked.token);
    for (const key of loginKeysOf(parked)) this.#byLogin.set(key, parked.token);
    this.expire(nowMs);
  }

  /** Takes what fits a token. */
  take(token: string, nowMs: number): Parked | undefined {
    this.expire(nowMs);
    const place = this.#places.get(token);
    if (place) this.#remove(place);
    return place;
  }

  /** Takes what was left at the same address by one of these logins with this nonce1, in hex, in one of so many groups. */
  takeNonce1(hex: string, left: LeftBy, groups: number, nowMs: number): Parked | undefined {
    this.expire(nowMs);
    const place = left.logins.length === 0 ? undefined : this.#byNonce1(hex, left, groups);
    if (place) this.#remove(place);
    return place;
  }

  /** Takes what a session of this login left at the same address, the last one if there were several. */
  takeOf(login: Login, addressKey: string, nowMs: number): Parked | undefined {
    this.expire(nowMs);
    const place = this.#places.get(this.#byLogin.get(`${rigKey(login)} at ${addressKey}`) ?? '');
    if (place) this.#remove(place);
    return place;
  }

  expire(nowMs: number): void {
    for (const place of this.#places.values()) {
      if (place.leavesAtMs > nowMs && this.#places.size <= this.#limits.remembered) return;
      this.#remove(place);
    }
  }

  #byNonce1(hex: string, { logins, addressKey }: LeftBy, groups: number): Place | undefined {
    if (!/^[0-9a-f]{1,4}$/i.test(hex)) return undefined;
    const nonce1 = Number.parseInt(hex, 16);
    for (let group = 0; group < groups; group++) {
      const place = this.#places.get(this.#tokens.get(`${group} ${nonce1}`) ?? '');
      if (place?.addressKey === addressKey && shareLogin(place.logins, logins)) return place;
    }
    return undefined;
  }

  #remove(place: Place): void {
    this.#places.delete(place.token);
    if (this.#tokens.get(keyOf(place.lease)) === place.token) this.#tokens.delete(keyOf(place.lease));
    for (const key of loginKeysOf(place))
      if (this.#byLogin.get(key) === place.token) this.#byLogin.delete(key);
  }
}

/** Whether both have a login. */
export function shareLogin(some: readonly Login[], others: readonly Login[]): boolean {
  return some.some((one) => others.some((other) => rigKey(other) === rigKey(one)));
}

function keyOf({ nonce1, group }: Lease): string {
  return `${group} ${nonce1}`;
}

function loginKeysOf({ logins, addressKey }: Parked): string[] {
  return logins.map((login) => `${rigKey(login)} at ${addressKey}`);
}
