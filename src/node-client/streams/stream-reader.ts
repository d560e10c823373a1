/**
 * One connection of an event stream, read by the package `eventsource` behind a fetch that is made conformant and bounded; events
 * without data are told of before it. The package would come back by itself; when to come back is decided elsewhere, so each
 * connection has a reader of its own.
 */
import { EventSource, type FetchLikeResponse } from 'eventsource';
import { NodeError, rootCode, rootMessage } from '../../chain/errors.js';
import { adviceFor } from '../asking/advice.js';
import type { Call, Caller } from '../asking/call.js';
import type { StreamAnswer } from '../asking/http.js';
import { EventStreamOverflow, StreamConformer } from './conform.js';

export interface StreamEvent {
  /** Its name, one of the endpoint's, or `message` where the node gives none. */
  readonly type: string;
  readonly data: string;
}

/** Whoever is told of a stream; of nothing any more once it is closed. */
export interface StreamListener {
  readonly onOpen?: () => void;
  /** In the turn in which its last byte came. */
  readonly onEvent: (event: StreamEvent) => void;
  readonly onBytes?: () => void;
  /** Once. No error where the node ended it, as it does from time to time. */
  readonly onEnd: (error?: NodeError) => void;
}

export interface StreamLimits {
  /** Without a byte for so long it is taken for dead. Default 150,000. */
  readonly silenceMs?: number;
  /** Largest event. Default 16 MiB. */
  readonly maxEventBytes?: number;
}

const SILENCE_MS = 150_000;
const MAX_EVENT_BYTES = 16 * 1024 * 1024;

class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

export class StreamReader {
  readonly #caller: Caller;
  readonly #call: Call;
  readonly #listener: StreamListener;
  readonly #limits: StreamLimits;
  readonly #source: EventSource;
  #body: StreamAnswer['body'] | undefined;
  #silence: NodeJS.Timeout | undefined;
  #isPaused = false;
  #isClosed = false;

  constructor(caller: Caller, call: Call, listener: StreamListener, limits: StreamLimits) {
    this.#caller = caller;
    this.#call = call;
    this.#listener = listener;
    this.#limits = limits;
    this.#source = new EventSource(caller.where(call).url, {
      fetch: (_url, { signal }) => this.#fetch(signal as AbortSignal),
    });
    this.#source.addEventListener('open', () => listener.onOpen?.());
    // The package sets the timer by which it would come back when it has told of this.
    this.#source.addEventListener('error', () => queueMicrotask(() => this.#end()));
    for (const name of [...(call.to.events ?? []), 'message']) {
      this.#source.addEventListener(name, ({ type, data }) => this.#tell({ type, data: String(data) }));
    }
    this.#awaitBytes();
  }

  /** Reads nothing more than is here, and no time runs. */
  pause(): void {
    this.#isPaused = true;
    this.#body?.pause();
    clearTimeout(this.#silence);
  }

  resume(): void {
    this.#isPaused = false;
    this.#body?.resume();
    this.#awaitBytes();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#silence);
    this.#source.close();
  }

  #tell(event: StreamEvent): void {
    if (!this.#isClosed) this.#listener.onEvent(event);
  }

  #heardBytes(): void {
    // Not made anew: New Cut waits for this.
    this.#silence?.refresh();
    this.#listener.onBytes?.();
  }

  #awaitBytes(): void {
    clearTimeout(this.#silence);
    if (this.#isPaused || this.#isClosed) return;
    const { silenceMs = SILENCE_MS } = this.#limits;
    const what = `was silent for ${silenceMs} ms`;
    this.#silence = setTimeout(() => this.#end(new SilenceError(what)), silenceMs);
  }

  #end(error?: unknown): void {
    if (this.#isClosed) return;
    this.close();
    this.#listener.onEnd(error === undefined ? undefined : this.#named(error));
  }

  /** The hook through which the package reads: a GET that may have a body. */
  async #fetch(signal: AbortSignal): Promise<FetchLikeResponse> {
    try {
      const { status, headers, body } = await this.#caller.stream(this.#call, signal);
      this.#body = body;
      const get = (name: string): string | null => [headers[name.toLowerCase()]].flat()[0] ?? null;
      const read = new ReadableStream<Uint8Array>({
        start: (controller) => this.#readInto(controller, body),
        cancel: () => void body.destroy(),
      });
      return { url: '', status, redirected: false, headers: { get }, body: read };
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  /** Each chunk is passed on in the turn in which it came: its reader never lets one wait. */
  #readInto(controller: ReadableStreamDefaultController<Uint8Array>, body: StreamAnswer['body']): void {
    const names = this.#call.to.events ?? [];
    const tell = (type: string): void => void (names.includes(type) && this.#tell({ type, data: '' }));
    const conformer = new StreamConformer(tell, this.#limits.maxEventBytes ?? MAX_EVENT_BYTES);
    body.on('data', (chunk: Uint8Array) => {
      this.#heardBytes();
      try {
        controller.enqueue(conformer.feed(chunk));
      } catch (error) {
        body.destroy(error as Error);
      }
    });
    body.once('end', () => controller.close());
    body.once('error', (error) => {
      this.#end(error);
      controller.error(error);
    });
    if (this.#isPaused) body.pause();
  }

  #named(error: unknown): NodeError {
    if (error instanceof NodeError) return error;
    if (error instanceof EventStreamOverflow)
      return this.#caller.formatError(this.#call, error.message, error);
    const where = this.#caller.where(this.#call);
    const wasSilent = error instanceof SilenceError;
    const what = wasSilent ? error.message : `broke off: ${rootMessage(error)}`;
    const code = wasSilent ? 'timeout' : 'unreachable';
    const details = { ...where, advice: adviceFor(code, rootCode(error)) };
    return new NodeError(code, `${where.url} ${what}`, details, error);
  }
}
