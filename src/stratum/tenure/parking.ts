/**
 * Where tenures wait for the return of their rigs: within the quarantine a rig gets its nonce1 back, and with it what its
 * late shares are judged by.
 */
import type { Login } from '../door/accounts.js';
import type { StratumLimits } from '../door/limits.js';
import type { Lease } from './nonce-leases.js';
import { rigKey } from './rig-book.js';
import type { KeptTenure, Tenure } from './tenure.js';

/** Who a place must be of. */
export type LeftBy = Pick<Tenure, 'logins' | 'addressKey'>;

interface Place {
  readonly tenure: Tenure;
  readonly token: string;
  readonly lease: Lease | undefined;
  readonly leavesAtMs: number;
  isTaken: boolean;
}

/** Of one login at one address, the last that was left at the end; those that were taken are let go many at a time. */
interface Row {
  readonly places: Place[];
  waiting: number;
}

/** Taken places that a row may have beside as many as wait. */
const MAX_TAKEN = 8;

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

  has(token: string): boolean {
    return this.#places.has(token);
  }

  /** Tokens, of those that leave first first. */
  get tokens(): Iterable<string> {
    return this.#places.keys();
  }

  /** What waits under a token, and until when; it goes on to wait. */
  look(token: string): Pick<Place, 'tenure' | 'leavesAtMs'> | undefined {
    return this.#places.get(token);
  }

  /** Whether anything waits that a session of this login has left at this address. */
  hasLeft(login: Login, addressKey: string): boolean {
    return this.#rows.has(placeKey(login, addressKey));
  }

  /** How long a tenure waits. */
  get stayMs(): number {
    return this.#stayMs;
  }

  /** One with a token; with a lease, unless it comes from another front. */
  park(tenure: Tenure, nowMs: number): void {
    this.keep(tenure, nowMs + this.#stayMs);
    this.expire(nowMs);
  }

  /** For a time that was begun elsewhere. */
  keep(tenure: Tenure, leavesAtMs: number): void {
    const { token, lease } = tenure;
    if (token === undefined) return;
    const place: Place = { tenure, token, lease, leavesAtMs, isTaken: false };
    this.#places.set(token, place);
    if (lease) this.#tokens.set(keyOf(lease), token);
    for (const key of loginKeysOf(tenure)) {
      const row = this.#rows.get(key) ?? { places: [], waiting: 0 };
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
    const row = this.#rows.get(placeKey(login, addressKey));
    return this.#taken(row?.places.findLast(({ isTaken }) => !isTaken));
  }

  /** What sessions of this login have left at this address, the last one first; of those that were taken some. */
  *leftBy(login: Login, addressKey: string): Iterable<Tenure> {
    const { places } = this.#rows.get(placeKey(login, addressKey)) ?? { places: [] };
    for (let i = places.length - 1; i >= 0; i--) {
      const tenure = places[i]?.tenure;
      if (tenure) yield tenure;
    }
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
    if (place) this.#remove(place);
    return place?.tenure;
  }

  #remove(place: Place): void {
    this.#places.delete(place.token);
    place.isTaken = true;
    const { lease } = place;
    if (lease && this.#tokens.get(keyOf(lease)) === place.token) this.#tokens.delete(keyOf(lease));
    for (const key of loginKeysOf(place.tenure)) {
      const row = this.#rows.get(key);
      if (!row) continue;
      row.waiting--;
      if (row.waiting === 0) this.#rows.delete(key);
      else if (row.places.length > 2 * row.waiting + MAX_TAKEN)
        this.#rows.set(key, { places: row.places.filter(({ isTaken }) => !isTaken), waiting: row.waiting });
    }
  }
}

/** Whether both have a login. */
export function shareLogin(some: readonly Login[], others: readonly Login[]): boolean {
  return some.some((one) => others.some((other) => rigKey(other) === rigKey(one)));
}

function keyOf({ nonce1, group }: Lease): string {
  return `${group} ${nonce1}`;
}

function loginKeysOf({ logins, addressKey }: LeftBy): string[] {
  return logins.map((login) => placeKey(login, addressKey));
}

function placeKey(login: Login, addressKey: string): string {
  return `${rigKey(login)} at ${addressKey}`;
}
