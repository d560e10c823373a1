/** The submits of one connection that wait for an answer, and what it says of a pool that gives none, or accepts none. */
import type { Log } from '../core/names/log.js';
import type { Response } from '../wire/messages.js';

export type SubmitAnswer =
  | { readonly outcome: 'accepted' }
  | { readonly outcome: 'rejected'; readonly code: number; readonly text: string }
  /** The pool did not answer in time, or the connection ended before. */
  | { readonly outcome: 'unanswered' };

export interface SubmitTiming {
  /** A submit that is older is unanswered. */
  readonly answerMs: number;
  /** A pool that accepts nothing is left after this time at the least. */
  readonly refusedMs: number;
}

const MAX_PENDING = 4096;
/** Submits in a row that a pool did not accept, after which it is left. */
const MAX_REFUSED = 20;
/** Looks for submits without an answer, in the time that one has. */
const SWEEPS = 6;

export class Submits {
  readonly #url: string;
  readonly #timing: SubmitTiming;
  readonly #log: Log;
  readonly #leave: (reason: string) => void;
  /** By request id, oldest first. */
  readonly #pending = new Map<string, { atMs: number; answer: (answer: SubmitAnswer) => void }>();
  readonly #sweeper: NodeJS.Timeout;
  /** In a row, and since when none was accepted. */
  #refused = 0;
  #refusedSinceMs = performance.now();

  /** @param leave called when the pool accepts nothing. */
  constructor(url: string, timing: SubmitTiming, log: Log, leave: (reason: string) => void) {
    this.#url = url;
    this.#timing = timing;
    this.#log = log;
    this.#leave = leave;
    this.#sweeper = setInterval(() => this.#sweep(), timing.answerMs / SWEEPS);
  }

  get isFull(): boolean {
    return this.#pending.size >= MAX_PENDING;
  }

  answerTo(id: string): Promise<SubmitAnswer> {
    return new Promise((answer) => this.#pending.set(id, { atMs: performance.now(), answer }));
  }

  /** False when no submit with this id waits. */
  take(id: string, answer: SubmitAnswer): boolean {
    const submit = this.#pending.get(id);
    if (!submit) return false;
    this.#pending.delete(id);
    submit.answer(answer);
    if (answer.outcome === 'accepted') {
      this.#refused = 0;
      this.#refusedSinceMs = performance.now();
    } else this.#countRefused(1);
    return true;
  }

  close(reason: string): void {
    clearInterval(this.#sweeper);
    this.#giveUpOn(this.#pending.size, reason);
  }

  #sweep(): void {
    const { answerMs } = this.#timing;
    const sinceMs = performance.now() - answerMs;
    const late = [...this.#pending.values()].filter(({ atMs }) => atMs < sinceMs).length;
    this.#giveUpOn(late, `no answer within ${answerMs} ms`);
    this.#countRefused(late);
  }

  /** @param count of submits, from the oldest on. */
  #giveUpOn(count: number, reason: string): void {
    if (count === 0) return;
    for (const [id, { answer }] of [...this.#pending].slice(0, count)) {
      this.#pending.delete(id);
      answer({ outcome: 'unanswered' });
    }
    this.#log.warn({ event: 'unanswered', url: this.#url, count, reason }, 'submits unanswered');
  }

  #countRefused(count: number): void {
    this.#refused += count;
    const isLong = performance.now() - this.#refusedSinceMs >= this.#timing.refusedMs;
    if (count > 0 && this.#refused >= MAX_REFUSED && isLong)
      this.#leave(`the pool accepted none of the last ${this.#refused} submits`);
  }
}

export function answerOf({ result, error }: Response): SubmitAnswer {
  if (error) return { outcome: 'rejected', code: error.code, text: error.message };
  if (result !== false && result !== null) return { outcome: 'accepted' };
  return { outcome: 'rejected', code: 0, text: 'without a reason' };
}
