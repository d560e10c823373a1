/**
 * Stands before the parser of an event stream, and sees there what the parser would not tell.
 *
 * The node sends `event:New Cut` and an empty line, no data. The SSE standard has parsers drop an event without data, and the
 * `eventsource` package does. So such an event is told of here, in the turn in which its empty line came.
 *
 *     in:   event:New Cut LF LF
 *     told: New Cut
 *
 * Every line end (CR, LF, CRLF) becomes LF on the way: a parser must wait after a CR for the LF that may follow, and so
 * would hold the last event back.
 */
const CR = 13;
const LF = 10;
/** Of a line, enough for the name of an event. */
const PREFIX_BYTES = 64;
const NEW_LINE = Uint8Array.of(LF);
/** A line longer than this, or more data, is no event of a node. */
const MAX_EVENT_BYTES = 1024 * 1024;

/** A line or an event of the stream passes every bound. */
export class EventStreamOverflow extends Error {
  override readonly name = 'EventStreamOverflow';
  readonly code = 'event-stream-overflow';
}

/** Feed it the chunks of one stream in order; each call returns what to hand to the parser. */
export class StreamConformer {
  #prefix = '';
  #lineBytes = 0;
  #afterCarriageReturn = false;
  /** Of the event that is not whole yet. */
  #name: string | undefined;
  #hasData = false;
  /** Of the event that is not whole yet: a parser keeps all of it. */
  #dataBytes = 0;
  readonly #onBare: (name: string) => void;
  readonly #maxBytes: number;

  /** @param onBare told the name of each event without data; @param maxBytes of a line, and of the data lines of an event. */
  constructor(onBare: (name: string) => void, maxBytes = MAX_EVENT_BYTES) {
    this.#onBare = onBare;
    this.#maxBytes = maxBytes;
  }

  /** Throws {@link EventStreamOverflow} for a line or an event without end. */
  feed(chunk: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    let [from, carriageReturn] = [0, -1];
    while (from < chunk.length) {
      const lineFeed = placeOf(LF, chunk, from);
      if (carriageReturn < from) carriageReturn = placeOf(CR, chunk, from);
      const end = Math.min(lineFeed, carriageReturn);
      this.#characters(chunk, from, end);
      parts.push(chunk.subarray(from, end));
      const byte = chunk[end];
      if (byte !== undefined && this.#endsLine(byte)) {
        parts.push(NEW_LINE);
        this.#endLine();
      }
      from = end + 1;
    }
    return Buffer.concat(parts);
  }

  #characters(chunk: Uint8Array, from: number, to: number): void {
    if (to === from) return;
    this.#afterCarriageReturn = false;
    const begin = chunk.subarray(from, Math.min(to, from + PREFIX_BYTES - this.#prefix.length));
    this.#prefix += String.fromCharCode(...begin);
    this.#lineBytes += to - from;
    if (this.#lineBytes > this.#maxBytes) {
      throw new EventStreamOverflow(`a line of the update stream has more than ${this.#maxBytes} bytes`);
    }
  }

  /** CR, LF and CRLF all end one line. */
  #endsLine(byte: number): boolean {
    const continues = byte === LF && this.#afterCarriageReturn;
    this.#afterCarriageReturn = byte === CR;
    return !continues;
  }

  #endLine(): void {
    const isEmpty = this.#lineBytes === 0;
    const isData = isField('data', this.#prefix);
    if (isEmpty && this.#name && !this.#hasData) this.#onBare(this.#name);
    if (isEmpty) this.#name = undefined;
    else if (isField('event', this.#prefix)) this.#name = this.#prefix.slice('event:'.length).trimStart();
    this.#hasData = !isEmpty && (this.#hasData || isData);
    this.#countData(isEmpty, isData);
    this.#prefix = '';
    this.#lineBytes = 0;
  }

  #countData(isEmpty: boolean, isData: boolean): void {
    if (isEmpty) this.#dataBytes = 0;
    else if (isData) this.#dataBytes += this.#lineBytes;
    if (this.#dataBytes > this.#maxBytes)
      throw new EventStreamOverflow(`an event of the update stream has more than ${this.#maxBytes} bytes`);
  }
}

function isField(name: string, line: string): boolean {
  return line.startsWith(name) && (line.length === name.length || line[name.length] === ':');
}

/** Of the next such byte, or the end. */
function placeOf(byte: number, chunk: Uint8Array, from: number): number {
  const place = chunk.indexOf(byte, from);
  return place < 0 ? chunk.length : place;
}
