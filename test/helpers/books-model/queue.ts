/** The queue between bridges and the ledger, in memory: it may lose, repeat, delay and reorder what it has taken. */
import type { EntryAdder } from '../../../src/queue/bullmq/entry-queue.js';
import { type EncodedEntry, entryKey } from '../../../src/queue/shipping/entry.js';

export class MemoryQueue {
  readonly #entries = new Map<string, EncodedEntry>();

  get size(): number {
    return this.#entries.size;
  }

  /** One that it has already is the same one. */
  put(entry: EncodedEntry): void {
    const [log, number] = entry.id;
    this.#entries.set(entryKey({ log, number }), entry);
  }

  /** Up to so many, from this one on, in their order from the last to the first. @param stays they are delivered once more later. */
  take(from: number, count: number, stays: boolean): EncodedEntry[] {
    const keys = [...this.#entries.keys()];
    const start = keys.length === 0 ? 0 : from % keys.length;
    const taken = [...keys.slice(start), ...keys.slice(0, start)].slice(0, count).reverse();
    const entries = taken.flatMap((key) => this.#entries.get(key) ?? []);
    if (!stays) for (const key of taken) this.#entries.delete(key);
    return entries;
  }

  lose(): void {
    this.#entries.clear();
  }
}

/** What a gate lets pass is decided by who holds it: so a shipper that works in its own time does what a history says, and in its order. */
export class Gate {
  #passes = 0;
  #isOpen = false;
  #refusal: Error | undefined;
  #waiting: { pass: () => void; refuse: (error: Error) => void } | undefined;
  #arrived: (() => void) | undefined;

  /** Resolves when it may pass. */
  async through(): Promise<void> {
    if (this.#refusal) throw this.#refusal;
    if (this.#isOpen) return;
    if (this.#passes > 0) {
      this.#passes--;
      return;
    }
    await new Promise<void>((pass, refuse) => {
      this.#waiting = { pass, refuse };
      this.#arrived?.();
    });
  }

  /** Resolves when somebody stands before it. */
  async arrival(): Promise<void> {
    if (this.#waiting) return;
    await new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    this.#arrived = undefined;
  }

  /** One passes. Resolves when the next one stands there. */
  async pass(): Promise<void> {
    await this.arrival();
    this.#release();
    await this.arrival();
  }

  open(): void {
    this.#isOpen = true;
    this.#release();
  }

  /** Nobody passes any more. */
  refuse(why: string): void {
    this.#refusal = new Error(why);
    this.#waiting?.refuse(this.#refusal);
    this.#waiting = undefined;
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.pass();
  }
}

/** The way of one start of a bridge to the queue. */
export class Uplink implements EntryAdder {
  readonly gate = new Gate();
  /** The entry that stands before the gate, or was the last to pass it. */
  last: EncodedEntry | undefined;
  /** Log -> up to when it was cut. */
  readonly watermarks = new Map<string, number>();
  readonly #queue: MemoryQueue;
  readonly #onEntry: (entry: EncodedEntry) => void;

  /** @param onEntry told of each that is made, before it may pass. */
  constructor(queue: MemoryQueue, onEntry: (entry: EncodedEntry) => void) {
    this.#queue = queue;
    this.#onEntry = onEntry;
  }

  async add(entry: EncodedEntry): Promise<void> {
    this.last = entry;
    this.watermarks.set(entry.id[0], Math.max(entry.watermarkMs, this.watermarks.get(entry.id[0]) ?? 0));
    this.#onEntry(entry);
    await this.gate.through();
    this.#queue.put(entry);
  }

  async counts() {
    return { waiting: this.#queue.size, failed: 0 };
  }

  async close(): Promise<void> {}
}
