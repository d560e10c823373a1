/**
 * Which node to work for: the first in the operator's order that is good. A better one that comes back must have been
 * good for a while, and for longer each time it fell again, so that rigs are not sent to and fro.
 */

/** After this many falls the wait grows no more. */
const MAX_DOUBLINGS = 5;
/** So many times its wait without a fall, and a node's falls are forgotten. */
const FORGIVEN_AFTER = 5;

interface Conduct {
  good: boolean;
  /** `-Infinity` for a node that has never fallen: at the start nobody waits for the first one to prove itself. */
  sinceMs: number;
  falls: number;
}

export class NodeChoice {
  readonly #records: Conduct[];
  readonly #failbackAfterMs: number;
  #chosen: number | undefined;

  constructor(nodes: number, failbackAfterMs: number) {
    this.#records = Array.from({ length: nodes }, () => ({
      good: false,
      sinceMs: Number.NEGATIVE_INFINITY,
      falls: 0,
    }));
    this.#failbackAfterMs = failbackAfterMs;
  }

  get chosen(): number | undefined {
    return this.#chosen;
  }

  set(node: number, good: boolean, nowMs: number): void {
    const record = this.#records[node];
    if (!record || record.good === good) return;
    record.good = good;
    if (good && record.falls > 0) record.sinceMs = nowMs;
    if (good) return;
    if (nowMs - record.sinceMs > FORGIVEN_AFTER * this.#waitMs(record)) record.falls = 0;
    record.falls++;
  }

  /** Chooses anew. While none is good the last one stays: its jobs may still be good, and rigs keep working. */
  choose(nowMs: number): number | undefined {
    const current = this.#chosen === undefined ? undefined : this.#records[this.#chosen];
    const mayTake = (record: Conduct): boolean =>
      record.good && nowMs - record.sinceMs >= this.#waitMs(record);
    const found = current?.good
      ? this.#records.findIndex((record) => record === current || mayTake(record))
      : this.#records.findIndex(({ good }) => good);
    if (found >= 0) this.#chosen = found;
    return this.#chosen;
  }

  /** Until a better node may be taken for the chosen one; `undefined` when none is waiting. */
  nextChangeMs(nowMs: number): number | undefined {
    const waits = this.#records
      .slice(0, this.#chosen ?? 0)
      .filter(({ good }) => good)
      .map((record) => Math.max(0, record.sinceMs + this.#waitMs(record) - nowMs));
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  #waitMs({ falls }: Conduct): number {
    return this.#failbackAfterMs * 2 ** Math.min(MAX_DOUBLINGS, Math.max(0, falls - 1));
  }
}
