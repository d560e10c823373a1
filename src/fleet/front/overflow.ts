/** When a front gives new connections away: the system spreads them over processes as it likes, and far from evenly. */
import type { FrontBalance, Load } from '../../bridge/fleet/ports.js';

/** Above the mean by this part, and by so many, so that a few rigs are not handed to and fro. */
const PART = 1.05;
const SOME = 4;
/** An event loop that was late by so much is behind, if others are not. */
const BEHIND_MS = 250;

export interface OverflowParts {
  readonly index: number;
  /** Here, now. */
  sessions(): number;
}

export class Overflow implements FrontBalance {
  readonly #parts: OverflowParts;
  /** As last told, this front's own too. */
  #loads: readonly Load[] = [];

  constructor(parts: OverflowParts) {
    this.#parts = parts;
  }

  loads(loads: readonly Load[]): void {
    this.#loads = loads;
  }

  /** The next connection is for another front. */
  get isAbove(): boolean {
    const { index } = this.#parts;
    const others = this.#others;
    if (others.length === 0) return false;
    const [own, mean] = [this.#parts.sessions(), this.#mean];
    if (own > PART * mean + SOME) return true;
    const late = this.#loads.find(({ front }) => front === index)?.delayMs ?? 0;
    return late > BEHIND_MS && others.some(({ delayMs }) => delayMs < late / 2) && own > mean / 2;
  }

  /** So many sessions more than a front has on average, where that is more than the given part of the average; else 0. */
  surplusOver(part: number): number {
    const [own, mean] = [this.#parts.sessions(), this.#mean];
    return own > part * mean + SOME ? own - mean : 0;
  }

  /** This front's own number is that of now, and not that of before. */
  get #mean(): number {
    const others = this.#others;
    const own = this.#parts.sessions();
    return others.reduce((sum, { sessions }) => sum + sessions, own) / (others.length + 1);
  }

  get #others(): readonly Load[] {
    return this.#loads.filter(({ front }) => front !== this.#parts.index);
  }
}
