/** Event streams of a node as async iterables that come back when the node ends them (`node-interface.md`, section 6). */
import { createParser, type EventSourceMessage, type EventSourceParser } from 'eventsource-parser';
import { adviceFor } from './advice.js';
import { backoffMs } from './backoff.js';
import { type Call, type Caller, mayPass } from './call.js';
import { EventStreamOverflow, StreamConformer } from './conform.js';
import { NodeError, rootCode, rootMessage } from './errors.js';

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
  read: (event: EventSourceMessage) => T | undefined | Promise<T | undefined>,
  options: StreamOptions,
): AsyncGenerator<Awaited<T>, void, undefined> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  options.signal?.addEventListener('abort', end, { once: true });
  if (options.signal?.aborted) end();
  const parts: Parts = { caller, call, options, over: ending.signal };
  try {
    yield* comingBack(parts, read);
  } finally {
    end();
    options.signal?.removeEventListener('abort', end);
  }
}

async function* comingBack<T>(
  parts: Parts,
  read: (event: EventSourceMessage) => T | undefined | Promise<T | undefined>,
): AsyncGenerator<Awaited<T>, void, undefined> {
  const { options, over } = parts;
  let failures = 0;
  let fruitless = 0;
  const opened = (): void => {
    failures = 0;
    options.onOpen?.();
  };
  while (!over.aborted) {
    const begunAtMs = performance.now();
    try {
      for await (const event of oneStream(parts, opened)) {
        fruitless = 0;
        const value = await read(event);
        if (value !== undefined) yield value;
      }
    } catch (error) {
      if (over.aborted) return;
      if (!mayPass(error) || ++failures >= (options.maxFailures ?? MAX_FAILURES)) throw error;
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

/** The events of one stream until the node ends it. */
async function* oneStream(
  { caller, call, options, over }: Parts,
  opened: () => void,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const life = new AbortController();
  const end = (): void => life.abort();
  over.addEventListener('abort', end, { once: true });
  const listening = new Listening(caller, call, options.silenceMs ?? SILENCE_MS, end);
  try {
    const { body } = await listening.during(() => caller.stream(call, life.signal));
    opened();
    const reader = new EventReader(options.maxEventBytes ?? MAX_EVENT_BYTES);
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    for (;;) {
      const { done, value } = await listening.during(() => chunks.next());
      if (done) return;
      yield* await listening.during(async () => reader.eventsIn(value));
    }
  } finally {
    over.removeEventListener('abort', end);
    end();
  }
}

/** Waits for the node, but not for ever, and gives its failures their name. While our caller is busy, no time runs. */
class Listening {
  readonly #caller: Caller;
  readonly #call: Call;
  readonly #silenceMs: number;
  readonly #end: () => void;
  #wasSilent = false;

  constructor(caller: Caller, call: Call, silenceMs: number, end: () => void) {
    this.#caller = caller;
    this.#call = call;
    this.#silenceMs = silenceMs;
    this.#end = end;
  }

  async during<T>(wait: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.#wasSilent = true;
      this.#end();
    }, this.#silenceMs);
    try {
      return await wait();
    } catch (error) {
      throw this.#named(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #named(error: unknown): NodeError {
    const where = this.#caller.where(this.#call);
    if (this.#wasSilent) {
      const details = { ...where, advice: adviceFor('timeout', '') };
      return new NodeError('timeout', `${where.url} was silent for ${this.#silenceMs} ms`, details, error);
    }
    if (error instanceof NodeError) return error;
    if (error instanceof EventStreamOverflow)
      return this.#caller.formatError(this.#call, error.message, error);
    const details = { ...where, advice: adviceFor('unreachable', rootCode(error)) };
    return new NodeError('unreachable', `${where.url} broke off: ${rootMessage(error)}`, details, error);
  }
}

/** From the chunks of one stream to its events. */
class EventReader {
  readonly #conformer: StreamConformer;
  readonly #decoder = new TextDecoder();
  readonly #parser: EventSourceParser;
  readonly #events: EventSourceMessage[] = [];

  constructor(maxEventBytes: number) {
    this.#conformer = new StreamConformer(maxEventBytes);
    this.#parser = createParser({
      onEvent: (event) => void this.#events.push(event),
      onError: ({ type, message }) => {
        if (type === 'max-buffer-size-exceeded') throw new EventStreamOverflow(message);
      },
      maxBufferSize: maxEventBytes,
    });
  }

  /** Events that are whole with this chunk. Throws {@link EventStreamOverflow}. */
  eventsIn(chunk: Uint8Array): EventSourceMessage[] {
    this.#parser.feed(this.#decoder.decode(this.#conformer.feed(chunk), { stream: true }));
    return this.#events.splice(0);
  }
}
