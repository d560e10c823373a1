/** What logins did at their addresses, well and badly: who comes back is weighed by it, also after a restart. */
import { placeText } from '../../core/names/names.js';
import { forgetOldest } from '../bounded.js';
import type { Login } from './accounts.js';
import { type Halves, SlidingCount } from './budgets.js';
import type { StratumLimits } from './limits.js';

/** For so long it counts what a rig or an address did well. */
export const HISTORY_MS = 3_600_000;

/** What a login did at an address. */
interface LoginHistory {
  readonly good: SlidingCount;
  readonly wrong: SlidingCount;
  /** Times that its sessions were closed for what they did, and it was not banned. */
  readonly closings: SlidingCount;
}

/** As plain data. */
export type KeptHistory = readonly [place: string, good: Halves, wrong: Halves, closings: Halves];

type HistoryLimits = Pick<StratumLimits, 'banMs' | 'remembered'>;

/** Longest ago first, no more than `remembered`. */
export class LoginHistories {
  readonly #limits: HistoryLimits;
  readonly #byPlace = new Map<string, LoginHistory>();

  constructor(limits: HistoryLimits) {
    this.#limits = limits;
  }

  find(login: Login, addressKey: string): LoginHistory | undefined {
    return this.#byPlace.get(placeText(login, addressKey));
  }

  /** It is the last one to be forgotten now. */
  at(login: Login, addressKey: string): LoginHistory {
    return this.#at(placeText(login, addressKey));
  }

  kept(nowMs: number): KeptHistory[] {
    return [...this.#byPlace].map(([place, { good, wrong, closings }]) => {
      return [place, good.kept(nowMs), wrong.kept(nowMs), closings.kept(nowMs)];
    });
  }

  /** With what an earlier start has kept at that time. */
  goOn(kept: readonly KeptHistory[], atMs: number): void {
    for (const [place, good, wrong, closings] of kept) {
      const past = this.#at(place);
      past.good.goOn(good, atMs);
      past.wrong.goOn(wrong, atMs);
      past.closings.goOn(closings, atMs);
    }
  }

  #at(place: string): LoginHistory {
    const past = this.#byPlace.get(place) ?? {
      good: new SlidingCount(Number.POSITIVE_INFINITY, HISTORY_MS),
      wrong: new SlidingCount(Number.POSITIVE_INFINITY, HISTORY_MS),
      closings: new SlidingCount(Number.POSITIVE_INFINITY, this.#limits.banMs),
    };
    this.#byPlace.delete(place);
    this.#byPlace.set(place, past);
    forgetOldest(this.#byPlace, this.#limits.remembered);
    return past;
  }
}
