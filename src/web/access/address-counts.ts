/** How often each address has asked lately, of those who have shown neither token nor session. */

export interface AddressLimits {
  /** How late a wrong token or link is answered. */
  readonly refusalDelayMs: number;
  /** Wrong ones that may wait for that answer at a time; who comes beyond is told to come again. */
  readonly refusalsWaiting: number;
  /** Requests a second of one address. */
  readonly requestsPerSecond: number;
  /** Requests that may come at once on top of that rate. */
  readonly requestBurst: number;
  /** Addresses that are remembered; the longest silent one is forgotten first. */
  readonly addresses: number;
}

export const ADDRESS_LIMITS: AddressLimits = {
  refusalDelayMs: 1_000,
  refusalsWaiting: 64,
  requestsPerSecond: 20,
  requestBurst: 200,
  addresses: 10_000,
};

interface Seen {
  /** Requests that it may still send at once, as it was at `atMs`. */
  budget: number;
  atMs: number;
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

  #at(key: string): Seen {
    const { requestBurst, addresses } = this.#limits;
    const seen = this.#seen.get(key) ?? { budget: requestBurst, atMs: this.#nowMs() };
    this.#seen.delete(key);
    this.#seen.set(key, seen);
    for (const longestSilent of this.#seen.keys()) {
      if (this.#seen.size <= addresses) break;
      this.#seen.delete(longestSilent);
    }
    return seen;
  }
}
