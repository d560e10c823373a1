/** What is known of rigs and accounts beyond their sessions: hash rates, and the difficulty a rig had. */
import { type HashRate, HashRateMeter } from '../core/hash-rate.js';
import type { Login } from './accounts.js';

interface Record {
  readonly login: Login;
  readonly meter: HashRateMeter;
  difficulty: number | undefined;
  lastShareAtMs: number;
  /** When it was last put at the end of the order of forgetting. */
  movedAtMs: number;
}

/** How fine that order is. */
const MOVE_EVERY_MS = 60_000;

export interface RigReport extends Login {
  readonly hashRates: readonly HashRate[];
  readonly lastShareAtMs: number;
}

/** Bounded: who has been silent longest is forgotten first. */
export class RigBook {
  readonly #max: number;
  readonly #rigs = new Map<string, Record>();
  readonly #accounts = new Map<string, Record>();

  constructor(max: number) {
    this.#max = max;
  }

  /** An accepted share; `nextDifficulty` is what the rig has now, kept for its return. */
  share(login: Login, difficulty: number, nextDifficulty: number | undefined, nowMs: number): void {
    const rig = this.#touch(this.#rigs, keyOf(login), login, nowMs);
    rig.meter.add(difficulty, nowMs);
    rig.difficulty = nextDifficulty;
    this.#touch(this.#accounts, login.account, { account: login.account, rig: '' }, nowMs).meter.add(
      difficulty,
      nowMs,
    );
  }

  difficultyOf(login: Login): number | undefined {
    return this.#rigs.get(keyOf(login))?.difficulty;
  }

  rigs(nowMs: number): RigReport[] {
    return reports(this.#rigs, nowMs);
  }

  accounts(nowMs: number): RigReport[] {
    return reports(this.#accounts, nowMs);
  }

  #touch(records: Map<string, Record>, key: string, login: Login, nowMs: number): Record {
    const known = records.get(key);
    if (known && nowMs - known.movedAtMs < MOVE_EVERY_MS) {
      known.lastShareAtMs = nowMs;
      return known;
    }
    const fresh = { login, meter: new HashRateMeter(nowMs), difficulty: undefined };
    const record: Record = { ...(known ?? fresh), lastShareAtMs: nowMs, movedAtMs: nowMs };
    records.delete(key);
    records.set(key, record);
    for (const oldest of records.keys()) {
      if (records.size <= this.#max) break;
      records.delete(oldest);
    }
    return record;
  }
}

function keyOf({ account, rig }: Login): string {
  return `${account}.${rig}`;
}

function reports(records: Map<string, Record>, nowMs: number): RigReport[] {
  return Array.from(records.values(), ({ login, meter, lastShareAtMs }) => ({
    ...login,
    hashRates: meter.rates(nowMs),
    lastShareAtMs,
  }));
}
