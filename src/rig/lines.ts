/** Cuts a stream of bytes into lines, never holding more than one line's bound. */
const NEWLINE = 0x0a;

export class LineCutter {
  readonly #maxBytes: number;
  #rest: Uint8Array = new Uint8Array();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that `chunk` completes, without their ends; `undefined` once a line is too long. */
  push(chunk: Uint8Array): string[] | undefined {
    let bytes = Buffer.concat([this.#rest, chunk]);
    const lines: string[] = [];
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE)) {
      if (end > this.#maxBytes) return undefined;
      lines.push(bytes.toString('utf8', 0, end).replace(/\r$/, ''));
      bytes = bytes.subarray(end + 1);
    }
    this.#rest = bytes;
    return bytes.length > this.#maxBytes ? undefined : lines;
  }
}
