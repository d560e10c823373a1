/** What is known of rigs and accounts beyond their sessions: hash rates, and the difficulty a rig had. */
import { HashRateMeter } from '../core/hash-rate.js';
import type { Login } from './accounts.js';

export interface RigRecord {
  readonly login: Login;
  readonly meter: HashRateMeter;
  lastShareAtMs: number;
  /** When it was last put at the end of the order of forgetting. */
  movedAtMs: number;
}

export interface CountedShare {
  /** Expected hashes, as issued. */
  readonly difficulty: number;
  /** What the rig has now, kept for its return. */
  readonly nextDifficulty: number | undefined;
  /** Where it is known by it alone; absent for CPU threads. */
  readonly addressKey?: string;
  /** Since when the rig has been mining: a rate is over that time, and not over that since its first share. */
  readonly sinceMs: number;
}

/** How fine the order of forgetting is. */
const MOVE_EVERY_MS = 60_000;

/** Bounded: who has been silent longest is forgotten first. */
export class RigBook {
  readonly #max: number;
  readonly #namesArePrivate: boolean;
  readonly #rigs = new Map<string, RigRecord>();
  readonly #accounts = new Map<string, RigRecord>();

  /** Login, and where anybody may use it also its address -> the difficulty it had, longest unused first. */
  readonly #difficulties = new Map<string, number>();

  /** @param namesArePrivate a name proves who the rig is. */
  constructor(max: number, namesArePrivate = false) {
    this.#max = max;
    this.#namesArePrivate = namesArePrivate;
  }

  /** An accepted share. */
  share(login: Login, share: CountedShare, nowMs: number): void {
    const { difficulty, nextDifficulty, addressKey, sinceMs } = share;
    const rig = this.#touch(this.#rigs, rigKey(login), login, sinceMs, nowMs);
    rig.meter.add(difficulty, nowMs);
    if (nextDifficulty !== undefined && addressKey !== undefined)
      this.#remember(login, addressKey, nextDifficulty);
    const { account } = login;
    this.#touch(this.#accounts, account, { account, rig: '' }, sinceMs, nowMs).meter.add(difficulty, nowMs);
  }

  /** What the rig had when it was here last. */
  difficultyOf(login: Login, addressKey: string): number | undefined {
    return this.#difficulties.get(this.#placeOf(login, addressKey));
  }

  /** Longest silent first, about. */
  get rigs(): Iterable<RigRecord> {
    return this.#rigs.values();
  }

  get accounts(): Iterable<RigRecord> {
    return this.#accounts.values();
  }

  #remember(login: Login, addressKey: string, difficulty: number): void {
    const place = this.#placeOf(login, addressKey);
    this.#difficulties.delete(place);
    this.#difficulties.set(place, difficulty);
    const [oldest] = this.#difficulties.keys();
    if (this.#difficulties.size > this.#max && oldest !== undefined) this.#difficulties.delete(oldest);
  }

  #placeOf(login: Login, addressKey: string): string {
    return this.#namesArePrivate ? rigKey(login) : `${rigKey(login)} at ${addressKey}`;
  }

  #touch(
    records: Map<string, RigRecord>,
    key: string,
    login: Login,
    sinceMs: number,
    nowMs: number,
  ): RigRecord {
    const known = records.get(key);
    if (known && nowMs - known.movedAtMs < MOVE_EVERY_MS) {
      known.lastShareAtMs = nowMs;
      return known;
    }
    const fresh = { login, meter: new HashRateMeter(sinceMs) };
    const record: RigRecord = { ...(known ?? fresh), lastShareAtMs: nowMs, movedAtMs: nowMs };
    records.delete(key);
    records.set(key, record);
    for (const oldest of records.keys()) {
      if (records.size <= this.#max) break;
      records.delete(oldest);
    }
    return record;
  }
}

export function rigKey({ account, rig }: Login): string {
  return `${account}.${rig}`;
}
