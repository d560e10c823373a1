/** What one session says to its rig. A rig that does not read is given up. */
import type { Connection } from './connection.js';
import type { ErrorCode } from './errors.js';
import type { JsonValue, RequestId } from './json.js';
import { encodeNotice, encodeResponse, type Notice } from './messages.js';

export class Replies {
  readonly #connection: Connection;
  readonly #maxUnsentBytes: number;
  readonly #giveUp: (reason: string) => void;
  #closed = false;

  constructor(connection: Connection, maxUnsentBytes: number, giveUp: (reason: string) => void) {
    this.#connection = connection;
    this.#maxUnsentBytes = maxUnsentBytes;
    this.#giveUp = giveUp;
  }

  answer(id: RequestId, result: JsonValue): void {
    this.#send(encodeResponse({ id, result }));
  }

  /** @param result false for requests that answer true, null for others. */
  refuse(id: RequestId, result: false | null, code: ErrorCode, message: string): void {
    this.#send(encodeResponse({ id, result, error: { code, message } }));
  }

  notice(notice: Notice): void {
    this.#send(encodeNotice(notice));
  }

  /** Nothing more is said. */
  close(): void {
    this.#closed = true;
  }

  #send(text: string): void {
    if (this.#closed) return;
    this.#connection.send(text);
    if (this.#connection.unsentBytes > this.#maxUnsentBytes)
      this.#giveUp('the rig does not take its answers');
  }
}
