/** What one connection sends, whether or not it makes messages. */
import type { StratumLimits } from './limits.js';

export class Intake {
  readonly #limits: StratumLimits;
  /** Since when bytes have come that have ended nothing yet. */
  #begunAtMs: number | undefined;

  constructor(limits: StratumLimits) {
    this.#limits = limits;
  }

  received(_bytes: number, frames: number, nowMs: number): void {
    if (frames > 0) this.#begunAtMs = undefined;
    else this.#begunAtMs ??= nowMs;
  }

  overdue(nowMs: number): string | undefined {
    const begunAtMs = this.#begunAtMs ?? nowMs;
    if (nowMs - begunAtMs <= this.#limits.idleTimeoutMs) return undefined;
    return 'a message was begun and not ended in time';
  }
}
