/** What one session says to its rig. A rig that does not read is given up. */
import type { Rejection } from '../../core/shares/rejections.js';
import type { ErrorCode } from '../../wire/errors.js';
import type { JsonValue, RequestId } from '../../wire/json.js';
import { encodeNotice, encodeResponse, type Notice } from '../../wire/messages.js';
import type { Connection } from '../admission/connection.js';
import type { StratumLimits } from '../admission/limits.js';
import type { SelfDescription } from './self-description.js';

const EVERY_MS = 60_000;
/** So many refusals for the same reason, without a good share between them, are worth a word. */
const REFUSALS = [10, 100, 1000];

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

/**
 * What a rig learns in words, by `client.show_message`, where it takes it: what is wrong with its shares, what holds for it,
 * why it is closed. Of the first two at most one a minute is shown, so that a rig that does the same thing wrong all day is no
 * nuisance: what came last waits, and is shown if it is still so. Nothing waits for the last word, or for an operator's.
 */
export class Hints {
  readonly #self: Pick<SelfDescription, 'takesMessages'>;
  readonly #replies: Pick<Replies, 'notice'>;
  #shownAtMs = Number.NEGATIVE_INFINITY;
  #waiting: string | undefined;
  #refusal: string | undefined;
  #reason: Rejection | undefined;
  #inARow = 0;

  constructor(self: Pick<SelfDescription, 'takesMessages'>, replies: Pick<Replies, 'notice'>) {
    this.#self = self;
    this.#replies = replies;
  }

  /** At once. False when the rig takes no text. */
  show(text: string): boolean {
    if (!this.#self.takesMessages) return false;
    this.#replies.notice({ kind: 'showMessage', text });
    return true;
  }

  /** As soon as it may be shown, and the rig takes text. */
  hint(text: string, nowMs: number): void {
    this.#waiting = text;
    this.tick(nowMs);
  }

  /** A submit was refused; `detail` says why as a sentence. */
  refused(reason: Rejection, detail: string, nowMs: number): void {
    if (reason !== this.#reason) this.accepted();
    this.#reason = reason;
    if (!REFUSALS.includes(++this.#inARow)) return;
    this.#refusal = `${this.#inARow} submits in a row were refused; the last: ${detail}`;
    this.tick(nowMs);
  }

  /** What was said of refusals is over. */
  accepted(): void {
    this.#inARow = 0;
    this.#refusal = undefined;
  }

  /** Called about once a second. */
  tick(nowMs: number): void {
    const text = this.#waiting ?? this.#refusal;
    if (text === undefined || nowMs - this.#shownAtMs < EVERY_MS || !this.show(text)) return;
    this.#shownAtMs = nowMs;
    if (this.#waiting === undefined) this.#refusal = undefined;
    this.#waiting = undefined;
  }
}
