/** The addresses that are connected, and those that were: who comes back has the same budget and the same past. */
import { Address } from './address.js';
import type { StratumLimits } from './limits.js';

export class Addresses {
  readonly #limits: StratumLimits;
  readonly #present = new Map<string, Address>();
  /** Longest gone first; no more than `remembered`. */
  readonly #gone = new Map<string, Address>();

  constructor(limits: StratumLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#present.size + this.#gone.size;
  }

  limitsChanged(): void {
    for (const addresses of [this.#present, this.#gone])
      for (const address of addresses.values()) address.limitsChanged();
  }

  at(key: string, nowMs: number): Address {
    const known = this.#present.get(key) ?? this.#gone.get(key);
    if (known) return known;
    const address = new Address(key, this.#limits, nowMs);
    this.#remember(address);
    return address;
  }

  /** A connection of this address counts from now on, until `left`. */
  arrived(address: Address): void {
    address.arrived();
    this.#gone.delete(address.key);
    this.#present.set(address.key, address);
  }

  left(address: Address): void {
    address.left();
    if (address.connections > 0) return;
    this.#present.delete(address.key);
    this.#remember(address);
  }

  #remember(address: Address): void {
    this.#gone.set(address.key, address);
    for (const key of this.#gone.keys()) {
      if (this.#gone.size <= this.#limits.remembered) return;
      this.#gone.delete(key);
    }
  }
}
