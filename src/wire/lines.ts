/** Cuts a stream of bytes into lines, holding no more than one line's worth. */

const LF = 0x0a;
const CR = 0x0d;
const EMPTY = Buffer.alloc(0);

export class LineSplitter {
  readonly #maxBytes: number;
  readonly #onLine: (line: string) => void;
  #rest: Buffer = EMPTY;
  #count = 0;

  /** @param maxBytes of one line, its end not counted. Lines end in LF or CRLF; empty ones are left out. */
  constructor(maxBytes: number, onLine: (line: string) => void) {
    this.#maxBytes = maxBytes;
    this.#onLine = onLine;
  }

  /** Lines that have ended so far, empty ones too. */
  get count(): number {
    return this.#count;
  }

  /** The number of the line that was begun and has not ended; `undefined` between lines. */
  get open(): number | undefined {
    return this.#rest.length > 0 ? this.#count : undefined;
  }

  /** False when a line is too long; the bytes of it are dropped and the stream is of no more use. */
  push(chunk: Buffer): boolean {
    let from = 0;
    for (;;) {
      const end = chunk.indexOf(LF, from);
      if (end === -1) break;
      if (!this.#emit(chunk.subarray(from, end))) return false;
      from = end + 1;
    }
    return this.#keep(chunk.subarray(from));
  }

  #emit(tail: Buffer): boolean {
    this.#count++;
    const line = this.#rest.length === 0 ? tail : Buffer.concat([this.#rest, tail]);
    this.#rest = EMPTY;
    const length = line.at(-1) === CR ? line.length - 1 : line.length;
    if (length > this.#maxBytes) return false;
    if (length > 0) this.#onLine(line.toString('utf8', 0, length));
    return true;
  }

  /** A copy, because a view would keep the whole network buffer alive. */
  #keep(tail: Buffer): boolean {
    if (this.#rest.length + tail.length > this.#maxBytes + 1) {
      this.#rest = EMPTY;
      return false;
    }
    if (tail.length > 0) this.#rest = Buffer.concat([this.#rest, tail]);
    return true;
  }
}
