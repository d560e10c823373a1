/** The node's clock, as a parameter: block times are microseconds. */
export interface NodeClock {
  /** Microseconds since the epoch. */
  nowMicros(): bigint;
}

/** A clock that can be set wrong on purpose. */
export class SkewedClock implements NodeClock {
  readonly #clock: NodeClock;
  skewMicros = 0n;

  constructor(clock: NodeClock) {
    this.#clock = clock;
  }

  nowMicros(): bigint {
    return this.#clock.nowMicros() + this.skewMicros;
  }
}

/** The system's time with the microseconds of the monotonic clock; it follows when the system's time is set. */
export function systemClock(): NodeClock {
  let offsetMicros = 0;
  return {
    nowMicros() {
      const monotonicMicros = performance.now() * 1000;
      const systemMicros = Date.now() * 1000;
      const drift = systemMicros - (monotonicMicros + offsetMicros);
      if (Math.abs(drift) > 2000) offsetMicros = systemMicros - monotonicMicros;
      return BigInt(Math.floor(monotonicMicros + offsetMicros));
    },
  };
}
