/**
 * Rigs are asked to come again by a front that has far more than the others, as after one of them has died: connections that come
 * even out no more than what comes.
 */

/** Begins above the mean by this part, the fifth by which fronts may differ, and ends near it. */
const UNEVEN = 1.2;
const EVEN = 1.05;
/** Who lost a connection is back by then, and was given to the front with the fewest. */
const STEADY_MS = 10_000;
const ASKING_SECONDS = 60;
/** Rigs that do not follow are left alone for so long. */
const REST_MS = 600_000;

export interface EveningParts {
  /** So many sessions more than the mean, where that is more than this part of it; else 0. */
  surplusOver(part: number): number;
  /** Asks so many rigs to connect again, and returns how many of them can be asked. */
  ask(count: number): number;
  nowMs(): number;
}

export class Evening {
  readonly #parts: EveningParts;
  #unevenSinceMs: number | undefined;
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  /** Still to be asked in this round, and each second. */
  #left = 0;
  #aSecond = 0;

  constructor(parts: EveningParts) {
    this.#parts = parts;
  }

  /** Called once a second. */
  tick(): void {
    if (this.#left > 0) this.#askSome();
    else if (this.#isDue()) this.#begin();
  }

  #isDue(): boolean {
    const nowMs = this.#parts.nowMs();
    if (this.#parts.surplusOver(UNEVEN) === 0) {
      this.#unevenSinceMs = undefined;
      return false;
    }
    this.#unevenSinceMs ??= nowMs;
    return nowMs - this.#unevenSinceMs >= STEADY_MS && nowMs >= this.#restsUntilMs;
  }

  #begin(): void {
    this.#left = Math.ceil(this.#parts.surplusOver(UNEVEN));
    this.#aSecond = Math.ceil(this.#left / ASKING_SECONDS);
    this.#askSome();
  }

  #askSome(): void {
    const wanted = Math.min(this.#aSecond, this.#left);
    const isEven = this.#parts.surplusOver(EVEN) === 0;
    const asked = isEven ? 0 : this.#parts.ask(wanted);
    this.#left = asked < wanted ? 0 : this.#left - asked;
    if (this.#left > 0) return;
    this.#unevenSinceMs = undefined;
    this.#restsUntilMs = this.#parts.nowMs() + REST_MS;
  }
}
