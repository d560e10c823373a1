/**
 * Where tenures wait for the return of their rigs: within the quarantine a rig gets its nonce1 back, and with it what its
 * late shares are judged by.
 */
import { loginText, placeText } from '../../core/names/names.js';
import type { Login } from '../door/accounts.js';
import type { StratumLimits } from '../door/limits.js';
import type { Lease } from './nonce-leases.js';
import type { KeptTenure, Tenure } from './tenure.js';

/** Who a place must be of. */
type LeftBy = Pick<Tenure, 'logins' | 'addressKey'>;

interface Place {
  readonly tenure: Tenure;
  readonly token: string;
  readonly lease: Lease;
  readonly leavesAtMs: number;
  isTaken: boolean;
}

/** Of one login at one address, the last that was left at the end, which is never one that was taken. */
interface Row {
  readonly places: Place[];
  waiting: number;
  /** Tenures of it that were taken back, the last of them. */
  readonly taken: Tenure[];
}

/** Taken places that a row may have beside as many as wait: they are let go many at a time. */
const MAX_TAKEN = 8;
/** As many as a rig may remember besides its own. */
const MAX_TAKEN_TENURES = 16;

export class Parking {
  readonly #stayMs: number;
  readonly #limits: Pick<StratumLimits, 'remembered'>;
  /** Token -> place; oldest first. */
  readonly #places = new Map<string, Place>();
  /** Group and nonce1 -> token. */
  readonly #tokens = new Map<string, string>();
  /** By login and address. */
  readonly #rows = new Map<string, Row>();

  constructor(stayMs: number, limits: Pick<StratumLimits, 'remembered'>) {
    this.#stayMs = stayMs;
    this.#limits = limits;
  }

  get size(): number {
    return this.#places.size;
  }

  /** One with a token and a lease. */
  park(tenure: Tenure, nowMs: number): void {
    this.keep(tenure, nowMs + this.#stayMs);
    this.expire(nowMs);
  }

  /** For a time that was begun elsewhere. */
  keep(tenure: Tenure, leavesAtMs: number): void {
    const { token, lease } = tenure;
    if (token === undefined || !lease) return;
    const place: Place = { tenure, token, lease, leavesAtMs, isTaken: false };
    this.#places.set(token, place);
    this.#tokens.set(keyOf(lease), token);
    for (const key of loginKeysOf(tenure)) {
      const row = this.#rows.get(key) ?? { places: [], waiting: 0, taken: [] };
      this.#rows.set(key, row);
      row.places.push(place);
      row.waiting++;
    }
  }

  /** All, as plain data; those that leave first come first. */
  kept(nowMs: number): KeptTenure[] {
    this.expire(nowMs);
    const all = Array.from(this.#places.values(), ({ tenure, leavesAtMs }) =>
      tenure.kept(leavesAtMs - nowMs, nowMs),
    );
    return all.filter((kept) => kept !== undefined);
  }

  /** Takes what fits a token. */
  take(token: string, nowMs: number): Tenure | undefined {
    this.expire(nowMs);
    return this.#taken(this.#places.get(token));
  }

  /** Takes what was left at the same address by one of these logins with this nonce1, in hex, in one of so many groups. */
  takeNonce1(hex: string, left: LeftBy, groups: number, nowMs: number): Tenure | undefined {
    this.expire(nowMs);
    return left.logins.length === 0 ? undefined : this.#taken(this.#byNonce1(hex, left, groups));
  }

  /** Takes what a session of this login left at the same address, the last one if there were several. */
  takeOf(login: Login, addressKey: string, nowMs: number): Tenure | undefined {
    this.expire(nowMs);
    return this.#taken(this.#rows.get(placeText(login, addressKey))?.places.at(-1));
  }

  /**
   * What sessions of this login have left at this address, those that were taken back lately first, then the last one that was
   * left. As it is at the call, also when it is gone through after one of them was taken; each step is one tenure.
   */
  leftBy(login: Login, addressKey: string): Iterable<Tenure> {
    const row = this.#rows.get(placeText(login, addressKey));
    return row ? tenuresOf(row) : [];
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
      if (place?.tenure.addressKey === addressKey && shareLogin(place.tenure.logins, logins)) return place;
    }
    return undefined;
  }

  #taken(place: Place | undefined): Tenure | undefined {
    if (!place) return undefined;
    this.#remove(place);
    for (const key of loginKeysOf(place.tenure)) {
      const taken = this.#rows.get(key)?.taken;
      if (taken && taken.push(place.tenure) > MAX_TAKEN_TENURES) taken.shift();
    }
    return place.tenure;
  }

  #remove(place: Place): void {
    this.#places.delete(place.token);
    place.isTaken = true;
    const { lease } = place;
    if (this.#tokens.get(keyOf(lease)) === place.token) this.#tokens.delete(keyOf(lease));
    for (const key of loginKeysOf(place.tenure)) {
      const row = this.#rows.get(key);
      if (!row) continue;
      row.waiting--;
      while (row.places.at(-1)?.isTaken) row.places.pop();
      if (row.waiting === 0) this.#rows.delete(key);
      else if (row.places.length > 2 * row.waiting + MAX_TAKEN)
        this.#rows.set(key, { ...row, places: row.places.filter(({ isTaken }) => !isTaken) });
    }
  }
}

/** Whether both have a login. */
export function shareLogin(some: readonly Login[], others: readonly Login[]): boolean {
  return some.some((one) => others.some((other) => loginText(other) === loginText(one)));
}

function* tenuresOf({ places, taken }: Row): Iterable<Tenure> {
  for (let i = taken.length - 1; i >= 0; i--) yield taken[i] as Tenure;
  for (let i = places.length - 1; i >= 0; i--) yield (places[i] as Place).tenure;
}

function keyOf({ nonce1, group }: Lease): string {
  return `${group} ${nonce1}`;
}

function loginKeysOf({ logins, addressKey }: LeftBy): string[] {
  return logins.map((login) => placeText(login, addressKey));
}
