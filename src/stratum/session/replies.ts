/** What one session says to its rig. A rig that does not read is given up. */
import type { Connection } from '../door/connection.js';
import type { StratumLimits } from '../door/limits.js';
import type { ErrorCode } from '../wire/errors.js';
import type { JsonValue, RequestId } from '../wire/json.js';
import { encodeNotice, encodeResponse, type Notice } from '../wire/messages.js';

export class Replies {
  readonly #connection: Connection;
  readonly #limits: Pick<StratumLimits, 'writeBufferBytes'>;
  readonly #giveUp: (reason: string) => void;
  #closed = false;

  constructor(
    connection: Connection,
    limits: Pick<StratumLimits, 'writeBufferBytes'>,
    giveUp: (reason: string) => void,
  ) {
    this.#connection = connection;
    this.#limits = limits;
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
    if (this.#connection.unsentBytes > this.#limits.writeBufferBytes)
      this.#giveUp('the rig does not take its answers');
  }
}
