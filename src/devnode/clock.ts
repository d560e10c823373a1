/** The node's clock, as a parameter: block times are microseconds. */
export interface NodeClock {
  /** Microseconds since the epoch. */
  nowMicros(): bigint;
}

/** Runs something once after so many milliseconds; what it gives cancels that. */
export type After = (ms: number, run: () => void) => () => void;

export const afterTime: After = (ms, run) => {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
};

/** What orders have made of a clock, to be put back later. */
export interface ClockState {
  /** How wrong it is on purpose. */
  readonly skewMicros: bigint;
  readonly aheadMicros: bigint;
  readonly standing: Standing | undefined;
  /** Time of the next block, where that was ordered. */
  readonly nextBlock: bigint | undefined;
}

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
  state: ClockState = { skewMicros: 0n, aheadMicros: 0n, standing: undefined, nextBlock: undefined };

  constructor(clock: NodeClock) {
    this.#clock = clock;
  }

  nowMicros(): bigint {
    const { standing, aheadMicros, skewMicros } = this.state;
    return (standing?.atMicros ?? this.#clock.nowMicros() + aheadMicros) + skewMicros;
  }

  /** What the next header is to say. A block may be of this time, too. */
  nextBlockMicros(): bigint {
    const { standing, nextBlock } = this.state;
    return nextBlock ?? this.nowMicros() + (standing?.stepMicros ?? 0n);
  }

  /** A block of this creation time was taken. */
  blockTaken(creationMicros: bigint): void {
    this.#set({ nextBlock: undefined });
    this.reach(creationMicros);
  }

  /** Puts it ahead to this time if it is behind. */
  reach(micros: bigint): void {
    const missing = micros - this.nowMicros();
    if (missing > 0n) this.advance(missing);
  }

  advance(micros: bigint): void {
    const { standing, aheadMicros } = this.state;
    if (standing === undefined) this.#set({ aheadMicros: aheadMicros + micros });
    else this.#set({ standing: { ...standing, atMicros: standing.atMicros + micros } });
  }

  /** It stands from now on, or from the time that is given, but that each block moves it by a step of at least 1. */
  freeze(stepMicros = 1n, atMicros = this.nowMicros() - this.state.skewMicros): void {
    this.#set({ standing: { atMicros, stepMicros } });
  }

  /** It goes on from where it stood. */
  run(): void {
    const { standing } = this.state;
    if (standing === undefined) return;
    this.#set({ aheadMicros: standing.atMicros - this.#clock.nowMicros(), standing: undefined });
  }

  skew(skewMicros: bigint): void {
    this.#set({ skewMicros });
  }

  /** The next block that is taken is to be of this time, if it is made here and above its parents. */
  setNextBlock(micros: bigint): void {
    this.#set({ nextBlock: micros });
  }

  #set(changes: Partial<ClockState>): void {
    this.state = { ...this.state, ...changes };
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
