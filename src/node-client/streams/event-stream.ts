/** Event streams of a node as async iterables (`node-interface.md`, section 6). */
import type { NodeError } from '../../chain/errors.js';
import type { Call, Caller } from '../asking/call.js';
import { mayPass } from '../asking/failures.js';
import { ReturningStream, type StreamEnd } from './returning-stream.js';
import { type StreamEvent, type StreamLimits, StreamReader } from './stream-reader.js';

export interface StreamOptions extends StreamLimits {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal;
  /** Called each time the stream is open. What happened between two streams is not told: read it from the listings. */
  readonly onOpen?: () => void;
  /** Streams in a row that may fail within a second before the iteration throws. Default 10, which takes about half a minute. */
  readonly maxFailures?: number;
}

const MAX_FAILURES = 10;

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
  const { signal, onOpen, maxFailures = MAX_FAILURES } = options;
  const came: ('opening' | StreamEvent | NodeError)[] = [];
  let wake = (): void => undefined;
  const add = (one: (typeof came)[number]): void => {
    came.push(one);
    wake();
  };
  const stream = new ReturningStream({
    open: (listener) => new StreamReader(caller, call, listener, options),
    onOpen: () => add('opening'),
    onEvent: add,
    onEnd: ({ error, failures }: StreamEnd) => {
      if (error && (failures >= maxFailures || !mayPass(error))) add(error);
    },
    random: caller.settings.random,
  });
  const end = (): void => wake();
  signal?.addEventListener('abort', end, { once: true });
  try {
    while (!signal?.aborted) {
      const next = came.shift();
      if (next === undefined) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        stream.resume();
        await woken;
        stream.pause();
      } else if (next === 'opening') onOpen?.();
      else if (next instanceof Error) throw next;
      else {
        const value = await read(next);
        if (value !== undefined) yield value;
      }
    }
  } finally {
    stream.close();
    signal?.removeEventListener('abort', end);
  }
}
