/** Event streams of a node as async iterables that come back when the node ends them (`node-interface.md`, section 6). */
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { backoffMs } from './backoff.js';
import { type Call, type Caller, mayPass } from './call.js';
import { EventStreamOverflow, StreamConformer } from './conform.js';
import { NodeError, rootMessage } from './errors.js';
import { whereOf } from './http.js';

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
  read: (event: EventSourceMessage) => T | undefined,
  options: StreamOptions,
): AsyncGenerator<T, void, undefined> {
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
  read: (event: EventSourceMessage) => T | undefined,
): AsyncGenerator<T, void, undefined> {
  const { options, over } = parts;
  let failures = 0;
  /** Streams without an event since the last one: they make the pauses longer. */
  let fruitless = 0;
  const opened = (): void => {
    failures = 0;
    options.onOpen?.();
  };
  while (!over.aborted) {
    try {
      for await (const event of oneStream(parts, opened)) {
        fruitless = 0;
        const value = read(event);
        if (value !== undefined) yield value;
      }
    } catch (error) {
      if (over.aborted) return;
      if (!mayPass(error) || ++failures >= (options.maxFailures ?? MAX_FAILURES)) throw error;
    }
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
  parts: Parts,
  opened: () => void,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const { caller, call, options, over } = parts;
  const life = new AbortController();
  const end = (): void => life.abort();
  over.addEventListener('abort', end, { once: true });
  const silence = new Silence(options.silenceMs ?? SILENCE_MS, end);
  try {
    const { body } = await silence.during(() => caller.stream(call, life.signal));
    opened();
    yield* eventsIn(chunksOf(body, silence), options.maxEventBytes ?? MAX_EVENT_BYTES);
  } catch (error) {
    throw streamError(parts, error, silence);
  } finally {
    over.removeEventListener('abort', end);
    end();
  }
}

/** Ends a stream that says nothing while we listen; while our caller is busy, the stream may wait. */
class Silence {
  readonly #end: () => void;
  readonly ms: number;
  isOver = false;

  constructor(ms: number, end: () => void) {
    this.ms = ms;
    this.#end = end;
  }

  async during<T>(wait: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => {
      this.isOver = true;
      this.#end();
    }, this.ms);
    try {
      return await wait();
    } finally {
      clearTimeout(timer);
    }
  }
}

async function* chunksOf(
  body: AsyncIterable<Uint8Array>,
  silence: Silence,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await silence.during(() => chunks.next());
    if (done) return;
    yield value;
  }
}

async function* eventsIn(
  chunks: AsyncIterable<Uint8Array>,
  maxEventBytes: number,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const events: EventSourceMessage[] = [];
  const conformer = new StreamConformer(maxEventBytes);
  const decoder = new TextDecoder();
  const parser = createParser({
    onEvent: (event) => void events.push(event),
    onError: ({ type, message }) => {
      if (type === 'max-buffer-size-exceeded') throw new EventStreamOverflow(message);
    },
    maxBufferSize: maxEventBytes,
  });
  for await (const chunk of chunks) {
    parser.feed(decoder.decode(conformer.feed(chunk), { stream: true }));
    yield* events.splice(0);
  }
}

function streamError({ caller, call }: Parts, error: unknown, silence: Silence): unknown {
  if (silence.isOver) {
    const where = whereOf({ url: caller.baseUrl + call.endpoint, ...call });
    const advice = 'the connection may be half open: it is opened again';
    return new NodeError(
      'timeout',
      `${where.url} was silent for ${silence.ms} ms`,
      { ...where, advice },
      error,
    );
  }
  if (error instanceof NodeError) return error;
  if (error instanceof EventStreamOverflow) return caller.formatError(call, error.message, error);
  const where = whereOf({ url: caller.baseUrl + call.endpoint, ...call });
  return new NodeError('unreachable', `${where.url} broke off: ${rootMessage(error)}`, where, error);
}
