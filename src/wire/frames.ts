/** Follows the frames of a WebSocket (RFC 6455, 5.2), as far as it takes to say which message is under way. */

const LAST = 0x80;
const MASKED = 0x80;
const MASK_BYTES = 4;
/** From here on an opcode is a ping, a pong or a close: those come between the pieces of a message too. */
const CONTROL = 0x8;

export class FrameWatch {
  /** What has come of the head of a frame. */
  #head: number[] = [];
  /** Bytes of its payload that are to come, mask included. */
  #rest = 0;
  /** Whether the frame is a piece of a message, and not the last one. */
  #hasMore = false;
  #isControl = false;
  #begun = 0;

  /** The number of the message that was begun and has not ended; `undefined` between messages. */
  get open(): number | undefined {
    return this.#hasMore || (this.#rest > 0 && !this.#isControl) ? this.#begun : undefined;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      if (this.#rest > 0) {
        const here = Math.min(this.#rest, chunk.length - at);
        this.#rest -= here;
        at += here;
      } else this.#byteOfHead(chunk[at++] ?? 0);
    }
  }

  #byteOfHead(byte: number): void {
    this.#head.push(byte);
    const [first = 0, second = 0, ...length] = this.#head;
    const short = second & ~MASKED;
    const lengthBytes = short === 126 ? 2 : short === 127 ? 8 : 0;
    if (this.#head.length < 2 + lengthBytes) return;
    const payload = lengthBytes === 0 ? short : length.reduce((sum, each) => sum * 256 + each, 0);
    this.#head = [];
    this.#rest = payload + (second & MASKED ? MASK_BYTES : 0);
    this.#isControl = (first & 0x0f) >= CONTROL;
    if (this.#isControl) return;
    if (!this.#hasMore) this.#begun++;
    this.#hasMore = (first & LAST) === 0;
  }
}
