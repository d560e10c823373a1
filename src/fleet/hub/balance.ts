/** Whose turn it is to have a connection that a front gives away, and what fronts are told of each other. */
import type { Load } from '../../bridge/fleet/ports.js';

export class Balance {
  readonly #loads = new Map<number, Load>();
  /** Handed to a front since it last told how many it has. */
  readonly #handed = new Map<number, number>();
  #hasChanged = false;

  told(load: Load): void {
    const before = this.#loads.get(load.front);
    this.#loads.set(load.front, load);
    this.#handed.delete(load.front);
    this.#hasChanged ||= before?.sessions !== load.sessions || before.delayMs !== load.delayMs;
  }

  left(front: number): void {
    this.#loads.delete(front);
    this.#handed.delete(front);
    this.#hasChanged = true;
  }

  /** The front with the fewest; `undefined` where there is none. */
  next(): number | undefined {
    let [best, fewest] = [undefined as number | undefined, Number.POSITIVE_INFINITY];
    for (const { front } of this.#loads.values()) {
      const sessions = this.#sessionsOf(front);
      if (sessions < fewest) [best, fewest] = [front, sessions];
    }
    if (best !== undefined) this.#handed.set(best, (this.#handed.get(best) ?? 0) + 1);
    return best;
  }

  /** What all are to be told, where it is another than before. */
  take(): readonly Load[] | undefined {
    if (!this.#hasChanged) return undefined;
    this.#hasChanged = false;
    return Array.from(this.#loads.values(), (load) => ({ ...load, sessions: this.#sessionsOf(load.front) }));
  }

  #sessionsOf(front: number): number {
    return (this.#loads.get(front)?.sessions ?? 0) + (this.#handed.get(front) ?? 0);
  }
}
