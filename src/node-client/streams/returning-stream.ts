/**
 * An event stream of a node that comes back. A node ends its streams as a rule, and what happens between two streams is lost: each
 * opening is told of, so that whoever listens compares.
 */
import type { NodeError } from '../../chain/errors.js';
import { backoffMs } from '../asking/backoff.js';
import type { StreamListener, StreamReader } from './stream-reader.js';

interface ReturningStreamOptions extends Pick<StreamListener, 'onOpen' | 'onEvent'> {
  readonly open: (listener: StreamListener) => StreamReader;
  /** Told of each end, before the pause that follows it. */
  readonly onEnd: (end: StreamEnd) => void;
  /** Whether the node may be asked for a stream now; if not, {@link ReturningStream.start} says when. Default: always. */
  readonly mayOpen?: () => boolean;
  /** In [0, 1): spreads pauses. */
  readonly random: () => number;
}

export interface StreamEnd {
  /** None where the node ended it, as it does from time to time. */
  readonly error: NodeError | undefined;
  readonly wasOpen: boolean;
  /** Streams in a row that ended at once, with this one. */
  readonly failures: number;
  /** Until it is opened again. */
  readonly pauseMs: number;
}

/** A stream that lived so long ended as streams do; a shorter one counts as a failure. */
const ORDINARY_LIFE_MS = 1_000;

export class ReturningStream {
  readonly #options: ReturningStreamOptions;
  #reader: StreamReader | undefined;
  #timer: NodeJS.Timeout | undefined;
  #openedAtMs: number | undefined;
  /** Asked for, opened, or a byte. */
  #heardAtMs = 0;
  #spokeAtMs: number | undefined;
  #failures = 0;
  #isPaused = false;
  #isClosed = false;

  constructor(options: ReturningStreamOptions) {
    this.#options = options;
    // Not in the turn in which rigs are given the first work of a chain.
    this.#openAfter(0);
  }

  /** Since it was opened or last had a byte; it ends and is opened again meanwhile. `undefined` before the first time. */
  get silentMs(): number | undefined {
    return this.#spokeAtMs === undefined ? undefined : performance.now() - this.#spokeAtMs;
  }

  /** Opens at once what waits to be opened. */
  start(): void {
    if (this.#isClosed || this.#reader) return;
    clearTimeout(this.#timer);
    this.#open();
  }

  /** There is no stream until {@link start}. */
  stop(): void {
    this.#drop();
    clearTimeout(this.#timer);
  }

  /** Opens it anew if it was silent for so long: it may have died without a word. */
  renew(silentMs: number): void {
    if (performance.now() - this.#heardAtMs >= silentMs) this.#drop();
    this.start();
  }

  /** Reads nothing more than is here. */
  pause(): void {
    this.#isPaused = true;
    this.#reader?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#reader?.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.stop();
  }

  #open(): void {
    const { open, onOpen, onEvent } = this.#options;
    this.#openedAtMs = undefined;
    this.#heardAtMs = performance.now();
    this.#reader = open({
      onOpen: () => {
        this.#openedAtMs = performance.now();
        this.#spokeAtMs = this.#openedAtMs;
        onOpen?.();
      },
      onBytes: () => {
        this.#heardAtMs = performance.now();
        this.#spokeAtMs = this.#heardAtMs;
      },
      onEvent,
      onEnd: (error) => this.#ended(error),
    });
    if (this.#isPaused) this.#reader.pause();
  }

  #ended(error: NodeError | undefined): void {
    this.#drop();
    const wasOpen = this.#openedAtMs !== undefined;
    const livedMs = performance.now() - (this.#openedAtMs ?? Number.POSITIVE_INFINITY);
    this.#failures = livedMs >= ORDINARY_LIFE_MS ? 0 : this.#failures + 1;
    const failures = this.#failures;
    const pauseMs = failures === 0 ? 0 : backoffMs(failures, this.#options.random());
    this.#openAfter(pauseMs);
    this.#options.onEnd({ error, wasOpen, failures, pauseMs });
  }

  #openAfter(pauseMs: number): void {
    const { mayOpen = () => true } = this.#options;
    this.#timer = setTimeout(() => mayOpen() && this.#open(), pauseMs);
  }

  #drop(): void {
    this.#reader?.close();
    this.#reader = undefined;
  }
}
