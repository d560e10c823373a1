/**
 * Event streams of a node as async iterables that come back when the node ends them (`node-interface.md`, section 6).
 * They are read by the package `eventsource`, one connection each: when to come back is decided here.
 */
import { EventSource, type FetchLikeResponse } from 'eventsource';
import { NodeError, rootCode, rootMessage } from '../chain/errors.js';
import { adviceFor } from './advice.js';
import { backoffMs } from './backoff.js';
import type { Call, Caller } from './call.js';
import { EventStreamOverflow, StreamConformer } from './conform.js';
import { mayPass } from './failures.js';

export interface StreamOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** Called each time the stream is open. What happened between two streams is not told: read it from the listings. */
  readonly onOpen?: () => void;
  /** A stream without a byte for so long is taken for dead. Default 150,000. */
  readonly silenceMs?: number;
  /** Tries in a row that may fail before the iteration throws. Default 10, which takes about half a minute. */
  readonly maxFailures?: number;
  /** Largest event. Default 16 MiB. */
  readonly maxEventBytes?: number;
}

export interface StreamEvent {
  /** Its name, one of the endpoint's, or `message` where the node gives none. */
  readonly type: string;
  readonly data: string;
}

const SILENCE_MS = 150_000;
const MAX_FAILURES = 10;
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
/** A stream that lived so long ended as streams do; a shorter one without an event makes the next pause longer. */
const ORDINARY_LIFE_MS = 1_000;

interface Parts {
  readonly caller: Caller;
  readonly call: Call;
  readonly options: StreamOptions;
  /** Aborts when the iteration is over. */
  readonly over: AbortSignal;
}

type Read<T> = (event: StreamEvent) => T | undefined | Promise<T | undefined>;

/**
 * Events in their order, read one by one: while the caller does not ask for the next, nothing more is read from the
 * node. Ends with the signal, or when the caller leaves the loop. Throws NodeError when the node refuses the stream,
 * sends what cannot be read, or stays away.
 *
 * @param read `undefined` for an event that is none of this stream's.
 */
export async function* eventsOf<T>(
  caller: Caller,
  call: Call,
  read: Read<T>,
  options: StreamOptions,
): AsyncGenerator<Awaited<T>, void, undefined> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  options.signal?.addEventListener('abort', end, { once: true });
  if (options.signal?.aborted) end();
  try {
    yield* comingBack({ caller, call, options, over: ending.signal }, read);
  } finally {
    end();
    options.signal?.removeEventListener('abort', end);
  }
}

async function* comingBack<T>(parts: Parts, read: Read<T>): AsyncGenerator<Awaited<T>, void, undefined> {
  const { options, over } = parts;
  let failures = 0;
  let fruitless = 0;
  while (!over.aborted) {
    const begunAtMs = performance.now();
    const stream = new OneStream(parts);
    try {
      await stream.opened();
      failures = 0;
      options.onOpen?.();
      for (let event = await stream.next(); event; event = await stream.next()) {
        fruitless = 0;
        const value = await read(event);
        if (value !== undefined) yield value;
      }
    } catch (error) {
      if (over.aborted) return;
      if (!mayPass(error) || ++failures >= (options.maxFailures ?? MAX_FAILURES)) throw error;
    } finally {
      stream.close();
    }
    if (performance.now() - begunAtMs >= ORDINARY_LIFE_MS) fruitless = 0;
    if (!(await pause(parts, ++fruitless))) return;
  }
}

/** False when the iteration ended meanwhile. */
async function pause({ caller, over }: Parts, failures: number): Promise<boolean> {
  const { pause: wait, random } = caller.settings;
  try {
    await wait(backoffMs(failures, random()), over);
  } catch (error) {
    if (!over.aborted) throw error;
  }
  return !over.aborted;
}

class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** One connection: its events, until the node or we end it. While nobody waits for an event, nothing is read and no time runs. */
class OneStream {
  readonly #parts: Parts;
  readonly #source: EventSource;
  readonly #events: StreamEvent[] = [];
  #isOpen = false;
  #hasEnded = false;
  #failure: unknown;
  /** Of whoever waits for an event. */
  #wake: (() => void) | undefined;
  /** Of the reader, which waits until somebody does. */
  #resume: (() => void) | undefined;
  #silence: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { caller, call, over } = parts;
    this.#source = new EventSource(caller.where(call).url, {
      fetch: (_url, { signal }) => this.#fetch(signal as AbortSignal),
    });
    this.#source.addEventListener('open', () => {
      this.#isOpen = true;
      this.#wake?.();
    });
    // The package would come back by itself, by a timer that it sets when it has told of this.
    this.#source.addEventListener('error', () => queueMicrotask(this.close));
    for (const name of [...(call.to.events ?? []), 'message']) {
      this.#source.addEventListener(name, ({ type, data }) => {
        this.#events.push({ type, data: String(data) });
        this.#wake?.();
      });
    }
    over.addEventListener('abort', this.close, { once: true });
  }

  async opened(): Promise<void> {
    await this.#until(() => this.#isOpen);
  }

  /** `undefined` at its end. */
  async next(): Promise<StreamEvent | undefined> {
    await this.#until(() => this.#events.length > 0);
    return this.#events.shift();
  }

  readonly close = (): void => {
    this.#source.close();
    this.#parts.over.removeEventListener('abort', this.close);
    this.#hasEnded = true;
    this.#wake?.();
    this.#resume?.();
  };

  async #until(isThere: () => boolean): Promise<void> {
    this.#listen();
    while (!isThere() && !this.#hasEnded) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        this.#resume?.();
      });
    }
    this.#wake = undefined;
    clearTimeout(this.#silence);
    if (!isThere() && this.#failure !== undefined) throw this.#named(this.#failure);
  }

  /** Its time begins anew with each byte. */
  #listen(): void {
    const { silenceMs = SILENCE_MS } = this.#parts.options;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(
      () => this.#fail(new SilenceError(`was silent for ${silenceMs} ms`)),
      silenceMs,
    );
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.close();
  }

  /** The hook through which the package reads: a GET that may have a body, made conformant and bounded on the way. */
  async #fetch(signal: AbortSignal): Promise<FetchLikeResponse> {
    const { caller, call } = this.#parts;
    try {
      const { status, headers, body } = await caller.stream(call, signal);
      const get = (name: string): string | null => [headers[name]].flat()[0] ?? null;
      const reader = this.#readerOf(body as AsyncIterable<Uint8Array>);
      return { url: '', status, redirected: false, headers: { get }, body: { getReader: () => reader } };
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  #readerOf(body: AsyncIterable<Uint8Array>) {
    const chunks = body[Symbol.asyncIterator]();
    const conformer = new StreamConformer(this.#parts.options.maxEventBytes ?? MAX_EVENT_BYTES);
    const read = async () => {
      while (!this.#wake && !this.#hasEnded) await new Promise<void>((resolve) => (this.#resume = resolve));
      const { done, value } = await chunks.next();
      if (done) return { done, value: undefined };
      if (this.#wake) this.#listen();
      return { done: false as const, value: conformer.feed(value) };
    };
    return {
      read: () =>
        read().catch((error: unknown) => {
          this.#fail(error);
          throw error;
        }),
      cancel: async () => void (await chunks.return?.()),
    };
  }

  #named(error: unknown): NodeError {
    const { caller, call } = this.#parts;
    if (error instanceof NodeError) return error;
    if (error instanceof EventStreamOverflow) return caller.formatError(call, error.message, error);
    const where = caller.where(call);
    const wasSilent = error instanceof SilenceError;
    const what = wasSilent ? error.message : `broke off: ${rootMessage(error)}`;
    const code = wasSilent ? 'timeout' : 'unreachable';
    const details = { ...where, advice: adviceFor(code, rootCode(error)) };
    return new NodeError(code, `${where.url} ${what}`, details, error);
  }
}
