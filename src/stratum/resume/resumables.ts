/**
 * Where resumable sessions wait for the return of their rigs: within the quarantine a rig gets its nonce1 back, and with it what its
 * late shares are judged by.
 */
import { loginText, placeText } from '../../core/names/names.js';
import type { Login } from '../admission/accounts.js';
import type { StratumLimits } from '../admission/limits.js';
import type { Lease } from './nonce-leases.js';
import type { KeptResumable, ResumableSession } from './resumable-session.js';

/** Who an entry must be of. */
type LeftBy = Pick<ResumableSession, 'logins' | 'addressKey'>;

interface Entry {
  readonly resumable: ResumableSession;
  readonly token: string;
  readonly lease: Lease;
  readonly leavesAtMs: number;
  isTaken: boolean;
}

/** Of one login at one address, the last that was left at the end, which is never one that was taken. */
interface Row {
  readonly entries: Entry[];
  waiting: number;
  /** Resumable sessions of it that were taken back, the last of them. */
  readonly taken: ResumableSession[];
}

/** Taken entries that a row may have beside as many as wait: they are let go many at a time. */
const MAX_TAKEN = 8;
/** As many as a rig may remember besides its own. */
const MAX_TAKEN_SESSIONS = 16;

export class Resumables {
  readonly #stayMs: number;
  readonly #limits: Pick<StratumLimits, 'remembered'>;
  /** Token -> entry; oldest first. */
  readonly #entries = new Map<string, Entry>();
  /** Group and nonce1 -> token. */
  readonly #tokens = new Map<string, string>();
  /** By login and address. */
  readonly #rows = new Map<string, Row>();

  constructor(stayMs: number, limits: Pick<StratumLimits, 'remembered'>) {
    this.#stayMs = stayMs;
    this.#limits = limits;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** One with a token and a lease. */
  add(resumable: ResumableSession, nowMs: number): void {
    this.keep(resumable, nowMs + this.#stayMs);
    this.expire(nowMs);
  }

  /** For a time that was begun elsewhere. */
  keep(resumable: ResumableSession, leavesAtMs: number): void {
    const { token, lease } = resumable;
    if (token === undefined || !lease) return;
    const entry: Entry = { resumable, token, lease, leavesAtMs, isTaken: false };
    this.#entries.set(token, entry);
    this.#tokens.set(keyOf(lease), token);
    for (const key of loginKeysOf(resumable)) {
      const row = this.#rows.get(key) ?? { entries: [], waiting: 0, taken: [] };
      this.#rows.set(key, row);
      row.entries.push(entry);
      row.waiting++;
    }
  }

  /** All, as plain data; those that leave first come first. */
  kept(nowMs: number): KeptResumable[] {
    this.expire(nowMs);
    const all = Array.from(this.#entries.values(), ({ resumable, leavesAtMs }) =>
      resumable.kept(leavesAtMs - nowMs, nowMs),
    );
    return all.filter((kept) => kept !== undefined);
  }

  /** Takes what fits a token. */
  take(token: string, nowMs: number): ResumableSession | undefined {
    this.expire(nowMs);
    return this.#taken(this.#entries.get(token));
  }

  /** Takes what was left at the same address by one of these logins with this nonce1, in hex, in one of so many groups. */
  takeNonce1(hex: string, left: LeftBy, groups: number, nowMs: number): ResumableSession | undefined {
    this.expire(nowMs);
    return left.logins.length === 0 ? undefined : this.#taken(this.#byNonce1(hex, left, groups));
  }

  /** Takes what a session of this login left at the same address, the last one if there were several. */
  takeOf(login: Login, addressKey: string, nowMs: number): ResumableSession | undefined {
    this.expire(nowMs);
    return this.#taken(this.#rows.get(placeText(login, addressKey))?.entries.at(-1));
  }

  /**
   * What sessions of this login have left at this address, those that were taken back lately first, then the last one that was
   * left. As it is at the call, also when it is gone through after one of them was taken; each step is one resumable session.
   */
  leftBy(login: Login, addressKey: string): Iterable<ResumableSession> {
    const row = this.#rows.get(placeText(login, addressKey));
    return row ? resumablesOf(row) : [];
  }

  expire(nowMs: number): void {
    for (const entry of this.#entries.values()) {
      if (entry.leavesAtMs > nowMs && this.#entries.size <= this.#limits.remembered) return;
      this.#remove(entry);
    }
  }

  #byNonce1(hex: string, { logins, addressKey }: LeftBy, groups: number): Entry | undefined {
    if (!/^[0-9a-f]{1,4}$/i.test(hex)) return undefined;
    const nonce1 = Number.parseInt(hex, 16);
    for (let group = 0; group < groups; group++) {
      const entry = this.#entries.get(this.#tokens.get(`${group} ${nonce1}`) ?? '');
      if (entry?.resumable.addressKey === addressKey && shareLogin(entry.resumable.logins, logins))
        return entry;
    }
    return undefined;
  }

  #taken(entry: Entry | undefined): ResumableSession | undefined {
    if (!entry) return undefined;
    this.#remove(entry);
    for (const key of loginKeysOf(entry.resumable)) {
      const taken = this.#rows.get(key)?.taken;
      if (taken && taken.push(entry.resumable) > MAX_TAKEN_SESSIONS) taken.shift();
    }
    return entry.resumable;
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry.token);
    entry.isTaken = true;
    const { lease } = entry;
    if (this.#tokens.get(keyOf(lease)) === entry.token) this.#tokens.delete(keyOf(lease));
    for (const key of loginKeysOf(entry.resumable)) {
      const row = this.#rows.get(key);
      if (!row) continue;
      row.waiting--;
      while (row.entries.at(-1)?.isTaken) row.entries.pop();
      if (row.waiting === 0) this.#rows.delete(key);
      else if (row.entries.length > 2 * row.waiting + MAX_TAKEN)
        this.#rows.set(key, { ...row, entries: row.entries.filter(({ isTaken }) => !isTaken) });
    }
  }
}

/** Whether both have a login. */
export function shareLogin(some: readonly Login[], others: readonly Login[]): boolean {
  return some.some((one) => others.some((other) => loginText(other) === loginText(one)));
}

function* resumablesOf({ entries, taken }: Row): Iterable<ResumableSession> {
  for (let i = taken.length - 1; i >= 0; i--) yield taken[i] as ResumableSession;
  for (let i = entries.length - 1; i >= 0; i--) yield (entries[i] as Entry).resumable;
}

function keyOf({ nonce1, group }: Lease): string {
  return `${group} ${nonce1}`;
}

function loginKeysOf({ logins, addressKey }: LeftBy): string[] {
  return logins.map((login) => placeText(login, addressKey));
}
