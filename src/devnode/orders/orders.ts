/** What a running node can be told, over its control port or from code. */
import type { OrderedClock } from '../clock.js';
import type { Chains } from '../consensus/chains.js';
import type { BlockMaker, Made, MineOrder } from './block-maker.js';
import { OrderError } from './order-error.js';
import type { Snapshots } from './snapshots.js';

/** The node's clock as it is shown. Times are milliseconds since the epoch. */
export interface ClockInfo {
  readonly nowMs: number;
  /** It stands, but that each block moves it by the step. */
  readonly frozen: boolean;
  readonly stepMs: number | null;
  /** Of the next block, where that was ordered. */
  readonly nextBlockMs: number | null;
  /** How wrong it is on purpose. */
  readonly skewMs: number;
}

const MOST_MS = 100 * 366 * 86_400_000;

export class Orders {
  readonly #chains: Chains;
  readonly #clock: OrderedClock;
  readonly #maker: BlockMaker;
  readonly snapshots: Snapshots;

  constructor(chains: Chains, clock: OrderedClock, maker: BlockMaker, snapshots: Snapshots) {
    this.#chains = chains;
    this.#clock = clock;
    this.#maker = maker;
    this.snapshots = snapshots;
  }

  /** @see BlockMaker.make */
  mine(order: MineOrder = {}, leaving?: AbortSignal): Promise<Made> {
    return this.#maker.make(order, leaving);
  }

  get clock(): ClockInfo {
    const { standing, nextBlock, skewMicros } = this.#clock.state;
    return {
      nowMs: inMs(this.#clock.nowMicros()),
      frozen: standing !== undefined,
      stepMs: standing ? inMs(standing.stepMicros) : null,
      nextBlockMs: nextBlock === undefined ? null : inMs(nextBlock),
      skewMs: inMs(skewMicros),
    };
  }

  /** Puts the clock ahead. Throws {@link OrderError} for what is no time from 0 to 100 years. */
  advance(ms: number): ClockInfo {
    this.#clock.advance(micros('advanceMs', ms, 0));
    return this.clock;
  }

  /** The clock stands from now on; each block moves it by `stepMs`, a microsecond by default. */
  freeze(stepMs = 0.001): ClockInfo {
    this.#clock.freeze(micros('stepMs', stepMs, 0.001));
    return this.clock;
  }

  /** The clock goes on from where it stood. */
  run(): ClockInfo {
    this.#clock.run();
    return this.clock;
  }

  /** Sets the clock wrong by this much, which may be negative: a fault, for tests of those that ask this node. */
  skew(ms: number): ClockInfo {
    this.#clock.skew(micros('skewMs', ms, -MOST_MS));
    return this.clock;
  }

  /**
   * The next block that is made here is of this time, and the clock is put ahead to it then. Throws {@link OrderError}
   * unless it is above the newest head's, and within 100 years.
   *
   * @param time a Date, or milliseconds since the epoch.
   */
  nextBlockAt(time: Date | number): ClockInfo {
    const at = micros('nextBlockAt', Number(time), 0);
    const newest = newestTime(this.#chains);
    if (at <= newest) {
      const sentence = `nextBlockAt must be later than the newest block, which is of ${isoOf(newest)}, not ${isoOf(at)}`;
      throw new OrderError('bad-order', sentence);
    }
    if (at > this.#clock.nowMicros() + BigInt(MOST_MS) * 1000n) {
      throw new OrderError('bad-order', `nextBlockAt must be within 100 years, not ${isoOf(at)}`);
    }
    this.#clock.setNextBlock(at);
    return this.clock;
  }
}

/** Creation time of the newest head, microseconds. */
export function newestTime({ cut }: Chains): bigint {
  const times = [...cut.heads.values()].map(({ creationTime }) => creationTime);
  return times.reduce((most, time) => (time > most ? time : most), 0n);
}

function micros(name: string, ms: number, least: number): bigint {
  if (ms >= least && ms <= MOST_MS) return BigInt(Math.round(ms * 1000));
  const range = least < 0 ? 'at most 100 years either way' : `from ${least} ms to 100 years`;
  throw new OrderError('bad-order', `${name} must be ${range}, not ${ms}`);
}

function inMs(time: bigint): number {
  return Number(time) / 1000;
}

function isoOf(time: bigint): string {
  return new Date(Number(time / 1000n)).toISOString();
}
