/** The node's clock, as a parameter: block times are microseconds. */
export interface NodeClock {
  /** Microseconds since the epoch. */
  nowMicros(): bigint;
  /** What the next header is to say where that is not now. A block may be of this time, too. */
  nextBlockMicros?(): bigint;
  /** A block of this creation time was taken. */
  blockTaken?(creationMicros: bigint): void;
}

/** Runs something once after so many milliseconds; what it gives cancels that. */
export type After = (ms: number, run: () => void) => () => void;

export const afterTime: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** What orders have made of a clock, to be put back later. */
export type ClockState = Readonly<Pick<OrderedClock, 'skewMicros'>> & {
  readonly aheadMicros: bigint;
  readonly standing: Standing | undefined;
  readonly nextBlock: bigint | undefined;
};

interface Standing {
  readonly atMicros: bigint;
  /** By how much each block moves it. */
  readonly stepMicros: bigint;
}

/**
 * A clock that takes orders: it is set wrong, put ahead, stopped, and the time of the next block is named. It never
 * goes back by itself, and no block is ahead of it: one that is taken moves it to the time of that block at least.
 */
export class OrderedClock implements NodeClock {
  readonly #clock: NodeClock;
  #aheadMicros = 0n;
  #standing: Standing | undefined;
  #nextBlock: bigint | undefined;
  /** How wrong it is on purpose. */
  skewMicros = 0n;

  constructor(clock: NodeClock) {
    this.#clock = clock;
  }

  nowMicros(): bigint {
    return (this.#standing?.atMicros ?? this.#clock.nowMicros() + this.#aheadMicros) + this.skewMicros;
  }

  nextBlockMicros(): bigint {
    return this.#nextBlock ?? this.nowMicros() + (this.#standing?.stepMicros ?? 0n);
  }

  blockTaken(creationMicros: bigint): void {
    this.#nextBlock = undefined;
    this.reach(creationMicros);
  }

  /** Puts it ahead to this time if it is behind. */
  reach(micros: bigint): void {
    const missing = micros - this.nowMicros();
    if (missing > 0n) this.advance(missing);
  }

  advance(micros: bigint): void {
    if (this.#standing === undefined) this.#aheadMicros += micros;
    else this.#standing = { ...this.#standing, atMicros: this.#standing.atMicros + micros };
  }

  /** It stands from now on, or from the time that is given, but that each block moves it by a step of at least 1. */
  freeze(stepMicros = 1n, atMicros = this.nowMicros() - this.skewMicros): void {
    this.#standing = { atMicros, stepMicros };
  }

  /** It goes on from where it stood. */
  run(): void {
    if (this.#standing === undefined) return;
    this.#aheadMicros = this.#standing.atMicros - this.#clock.nowMicros();
    this.#standing = undefined;
  }

  /** The next block that is taken is to be of this time, if it is made here and above its parents. */
  setNextBlock(micros: bigint): void {
    this.#nextBlock = micros;
  }

  get state(): ClockState {
    return {
      skewMicros: this.skewMicros,
      aheadMicros: this.#aheadMicros,
      standing: this.#standing,
      nextBlock: this.#nextBlock,
    };
  }

  restore(state: ClockState): void {
    this.skewMicros = state.skewMicros;
    this.#aheadMicros = state.aheadMicros;
    this.#standing = state.standing;
    this.#nextBlock = state.nextBlock;
  }
}

/** The system's time with the microseconds of the monotonic clock; it follows when the system's time is set. */
export function systemClock(): NodeClock {
  let offsetMicros = 0;
  return {
    nowMicros() {
      let monotonicMicros: number;
      let systemMicros: number;
      // Read between two equal readings of the other: a process that was held up between them would see a drift.
      do {
        systemMicros = Date.now() * 1000;
        monotonicMicros = performance.now() * 1000;
      } while (Date.now() * 1000 !== systemMicros);
      const drift = systemMicros - (monotonicMicros + offsetMicros);
      if (Math.abs(drift) > 2000) offsetMicros = systemMicros - monotonicMicros;
      return BigInt(Math.floor(monotonicMicros + offsetMicros));
    },
  };
}
