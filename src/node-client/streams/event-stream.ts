/**
 * Event streams of a node as async iterables that come back when the node ends them (`node-interface.md`, section 6).
 * When to come back is decided here; `stream-reader.ts` reads each connection.
 */
import type { NodeError } from '../../chain/errors.js';
import { backoffMs } from '../asking/backoff.js';
import type { Call, Caller } from '../asking/call.js';
import { mayPass } from '../asking/failures.js';
import { type StreamEvent, type StreamLimits, StreamReader } from './stream-reader.js';

export interface StreamOptions extends StreamLimits {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** Called each time the stream is open. What happened between two streams is not told: read it from the listings. */
  readonly onOpen?: () => void;
  /** Tries in a row that may fail before the iteration throws. Default 10, which takes about half a minute. */
  readonly maxFailures?: number;
}

const MAX_FAILURES = 10;
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

/** The events of one connection, one by one. While nobody waits for an event, nothing is read. */
class OneStream {
  readonly #reader: StreamReader;
  readonly #over: AbortSignal;
  readonly #events: StreamEvent[] = [];
  #isOpen = false;
  #hasEnded = false;
  #failure: NodeError | undefined;
  /** Of whoever waits for an event. */
  #wake: (() => void) | undefined;

  constructor({ caller, call, options, over }: Parts) {
    this.#over = over;
    const listener = {
      onOpen: () => {
        this.#isOpen = true;
        this.#wake?.();
      },
      onEvent: (event: StreamEvent) => {
        this.#events.push(event);
        this.#wake?.();
      },
      onEnd: (error?: NodeError) => {
        this.#failure = error;
        this.close();
      },
    };
    this.#reader = new StreamReader(caller, call, listener, options);
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
    this.#reader.close();
    this.#over.removeEventListener('abort', this.close);
    this.#hasEnded = true;
    this.#wake?.();
  };

  async #until(isThere: () => boolean): Promise<void> {
    if (!isThere() && !this.#hasEnded) {
      this.#reader.resume();
      while (!isThere() && !this.#hasEnded)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      this.#reader.pause();
    }
    if (!isThere() && this.#failure !== undefined) throw this.#failure;
  }
}
