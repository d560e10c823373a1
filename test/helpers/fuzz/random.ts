/** Numbers by chance that come again with the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Independent of those with other numbers, though the seed is the same. */
  static of(seed: number, number: number): Random {
    return new Random(new Random(seed ^ Math.imul(number + 1, 0x9e3779b1)).next());
  }

  /** 32 bits. */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** 0 to `end`, without it. */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** 0 to 1, without 1. */
  fraction(): number {
    return this.next() / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<const T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('nothing to choose from');
    return list[this.below(list.length)] as T;
  }

  times<T>(count: number, make: () => T): T[] {
    return Array.from({ length: count }, make);
  }

  /** How many of a rare event come where `mean` are to be expected (Poisson; for large means a normal approximation). */
  count(mean: number): number {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * this.#normal()));
    const end = Math.exp(-mean);
    let events = 0;
    for (let product = this.fraction(); product > end; product *= this.fraction()) events++;
    return events;
  }

  #normal(): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()));
    return radius * Math.cos(2 * Math.PI * this.fraction());
  }
}
