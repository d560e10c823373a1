/** What each address has asked for lately, and the wrong tokens that it has shown. */

export interface AddressLimits {
  /** Wrong tokens of one address in the window; after those it is not listened to until the first of them is past. */
  readonly wrongTokens: number;
  readonly wrongTokensMs: number;
  /** How late a wrong token is answered. */
  readonly refusalDelayMs: number;
  /** Requests a second of one address, of those who have no token. */
  readonly requestsPerSecond: number;
  /** Requests that may come at once on top of that rate. */
  readonly requestBurst: number;
  /** Addresses that are remembered; the longest silent one is forgotten first. */
  readonly addresses: number;
}

export const ADDRESS_LIMITS: AddressLimits = {
  wrongTokens: 30,
  wrongTokensMs: 60_000,
  refusalDelayMs: 1_000,
  requestsPerSecond: 20,
  requestBurst: 200,
  addresses: 10_000,
};

interface Seen {
  /** Requests that it may still send at once, as it was at `atMs`. */
  budget: number;
  atMs: number;
  /** Times of its wrong tokens in the window, the first one first; never more than the limit. */
  wrongAtMs: readonly number[];
}

export class AddressCounts {
  readonly #limits: AddressLimits;
  readonly #nowMs: () => number;
  /** Longest silent first. */
  readonly #seen = new Map<string, Seen>();

  /** @param nowMs on a rising clock. */
  constructor(limits: AddressLimits, nowMs: () => number) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#seen.size;
  }

  /** Takes one request; the seconds until another one is taken where there is none left, otherwise 0. */
  request(key: string): number {
    const { requestsPerSecond, requestBurst } = this.#limits;
    const seen = this.#at(key);
    const nowMs = this.#nowMs();
    seen.budget = Math.min(requestBurst, seen.budget + ((nowMs - seen.atMs) * requestsPerSecond) / 1000);
    seen.atMs = nowMs;
    if (seen.budget < 1) return Math.ceil((1 - seen.budget) / requestsPerSecond);
    seen.budget -= 1;
    return 0;
  }

  /** Seconds until tokens of this address are looked at again; 0 while they are. */
  barredSeconds(key: string): number {
    const { wrongTokens, wrongTokensMs } = this.#limits;
    const recent = this.#recent(this.#seen.get(key));
    if (recent.length < wrongTokens) return 0;
    return Math.max(1, Math.ceil(((recent[0] ?? 0) + wrongTokensMs - this.#nowMs()) / 1000));
  }

  /** One more wrong token; true when that was the last one that is listened to. */
  wrongToken(key: string): boolean {
    const seen = this.#at(key);
    seen.wrongAtMs = [...this.#recent(seen), this.#nowMs()];
    return seen.wrongAtMs.length >= this.#limits.wrongTokens;
  }

  #recent(seen: Seen | undefined): readonly number[] {
    const since = this.#nowMs() - this.#limits.wrongTokensMs;
    return seen?.wrongAtMs.filter((atMs) => atMs > since) ?? [];
  }

  #at(key: string): Seen {
    const { requestBurst, addresses } = this.#limits;
    const seen = this.#seen.get(key) ?? { budget: requestBurst, atMs: this.#nowMs(), wrongAtMs: [] };
    this.#seen.delete(key);
    this.#seen.set(key, seen);
    for (const longestSilent of this.#seen.keys()) {
      if (this.#seen.size <= addresses) break;
      this.#seen.delete(longestSilent);
    }
    return seen;
  }
}
