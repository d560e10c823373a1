/** How many connections there may be, in all and from one address; banned addresses have none. */
import type { Bans } from './bans.js';
import type { StratumLimits } from './limits.js';

export class Admission {
  readonly #limits: StratumLimits;
  readonly #bans: Bans;
  readonly #byAddress = new Map<string, number>();
  #admitted = 0;

  constructor(limits: StratumLimits, bans: Bans) {
    this.#limits = limits;
    this.#bans = bans;
  }

  get admitted(): number {
    return this.#admitted;
  }

  /** Why not, as a sentence; `undefined` when the connection counts from now on, until `leave`. */
  admit(addressKey: string, nowMs: number): string | undefined {
    const { connections, connectionsPerAddress } = this.#limits;
    const ban = this.#bans.ofAddress(addressKey, nowMs);
    if (ban) return `banned until ${new Date(ban.untilMs).toISOString()}: ${ban.reason}`;
    if (this.#admitted >= connections) return `there are ${connections} connections already`;
    const ofAddress = this.#byAddress.get(addressKey) ?? 0;
    if (ofAddress >= connectionsPerAddress) return `${addressKey} has ${ofAddress} connections already`;
    this.#byAddress.set(addressKey, ofAddress + 1);
    this.#admitted++;
    return undefined;
  }

  leave(addressKey: string): void {
    const left = (this.#byAddress.get(addressKey) ?? 1) - 1;
    if (left > 0) this.#byAddress.set(addressKey, left);
    else this.#byAddress.delete(addressKey);
    this.#admitted--;
  }
}
