/** What is known of rigs and accounts beyond their sessions: hash rates, and the difficulty a rig had. */
import { HashRateMeter } from '../core/hash-rate.js';
import type { Login } from './accounts.js';

export interface RigRecord {
  readonly login: Login;
  readonly meter: HashRateMeter;
  difficulty: number | undefined;
  lastShareAtMs: number;
  /** When it was last put at the end of the order of forgetting. */
  movedAtMs: number;
}

export interface CountedShare {
  /** Expected hashes, as issued. */
  readonly difficulty: number;
  /** What the rig has now, kept for its return. */
  readonly nextDifficulty: number | undefined;
  /** Since when the rig has been mining: a rate is over that time, and not over that since its first share. */
  readonly sinceMs: number;
}

/** How fine the order of forgetting is. */
const MOVE_EVERY_MS = 60_000;

/** Bounded: who has been silent longest is forgotten first. */
export class RigBook {
  readonly #max: number;
  readonly #rigs = new Map<string, RigRecord>();
  readonly #accounts = new Map<string, RigRecord>();

  constructor(max: number) {
    this.#max = max;
  }

  /** An accepted share. */
  share(login: Login, { difficulty, nextDifficulty, sinceMs }: CountedShare, nowMs: number): void {
    const rig = this.#touch(this.#rigs, rigKey(login), login, sinceMs, nowMs);
    rig.meter.add(difficulty, nowMs);
    rig.difficulty = nextDifficulty;
    const { account } = login;
    this.#touch(this.#accounts, account, { account, rig: '' }, sinceMs, nowMs).meter.add(difficulty, nowMs);
  }

  difficultyOf(login: Login): number | undefined {
    return this.#rigs.get(rigKey(login))?.difficulty;
  }

  /** Longest silent first, about. */
  get rigs(): Iterable<RigRecord> {
    return this.#rigs.values();
  }

  get accounts(): Iterable<RigRecord> {
    return this.#accounts.values();
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
    const fresh = { login, meter: new HashRateMeter(sinceMs), difficulty: undefined };
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
