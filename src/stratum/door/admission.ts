/** How many connections there may be, in all and from one address; banned addresses have none, and nobody while rigs are asked to go. */
import type { Address, Addresses } from './address.js';
import { type Bans, banWords } from './bans.js';
import type { StratumLimits } from './limits.js';

export class Admission {
  readonly #limits: StratumLimits;
  readonly #bans: Bans;
  readonly #addresses: Addresses;
  /** Why nobody is let in at all, while that is so. */
  shut: string | undefined;
  #admitted = 0;

  constructor(limits: StratumLimits, bans: Bans, addresses: Addresses) {
    this.#limits = limits;
    this.#bans = bans;
    this.#addresses = addresses;
  }

  get admitted(): number {
    return this.#admitted;
  }

  /** Why not, as a sentence; `undefined` when the connection counts from now on, until `leave`. */
  admit(address: Address, nowMs: number): string | undefined {
    const { connections, connectionsPerAddress } = this.#limits;
    const ban = this.#bans.ofAddress(address.key, nowMs);
    if (ban) return banWords(ban);
    if (this.shut !== undefined) return this.shut;
    if (this.#admitted >= connections) return `there are ${connections} connections already`;
    if (address.connectionsInAll >= connectionsPerAddress)
      return `${address.key} has ${address.connectionsInAll} connections already`;
    this.#addresses.arrived(address);
    this.#admitted++;
    return undefined;
  }

  leave(address: Address): void {
    this.#addresses.left(address);
    this.#admitted--;
  }
}
