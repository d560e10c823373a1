/** Some connections to a node that stand open, of which whoever asks takes a free one. */
import { WarmLine, type WarmLineParts } from './warm-line.js';

export class WarmLines {
  readonly #parts: WarmLineParts;
  readonly #count: number;
  #lines: readonly WarmLine[] = [];
  #closed = false;

  constructor(parts: WarmLineParts, count: number) {
    this.#parts = parts;
    this.#count = count;
  }

  /** One that is open and asked nothing now. */
  get free(): WarmLine | undefined {
    return this.#lines.find((line) => line.isOpen && line.isFree);
  }

  /** Opens the connections; again, or where connections are not ours to make, it does nothing. */
  start(): void {
    if (this.#closed || this.#lines.length > 0 || !this.#parts.http.isOwn) return;
    const isTaken = (): boolean => this.#lines.some((line) => line.isBeingKept);
    this.#lines = Array.from({ length: this.#count }, () => new WarmLine(this.#parts, isTaken));
  }

  /** New connections: those that stand may be dead. What is asked over one may still be answered there. */
  renew(): void {
    const former = this.#lines;
    this.#lines = [];
    if (former.length > 0) this.start();
    for (const line of former) line.closeWhenFree();
  }

  close(): void {
    this.#closed = true;
    for (const line of this.#lines) line.close();
  }
}
