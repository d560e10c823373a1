/**
 * Keeps one chain's update stream open for as long as it is wanted.
 *
 * A node ends its streams as a rule, and what happens between two streams is lost. So the stream is opened again at
 * once, and every opening is reported like an event: the listener fetches work and compares.
 */
import { EventSource } from 'eventsource';
import type { Log } from '../../core/log.js';
import { backoffMs } from '../../node-client/backoff.js';
import type { NodeClient } from '../../node-client/client.js';
import { StreamConformer } from '../../node-client/conform.js';
import type { StreamAnswer } from '../../node-client/http.js';

export interface UpdateStreamOptions {
  readonly client: Pick<NodeClient, 'openUpdates' | 'address'>;
  readonly chainId: number;
  /** Called when the stream opens, for each of its events, and when it could not be opened: then nothing would be heard. */
  readonly onUpdate: () => void;
  /** Whether the node may be asked for a stream now; if not, {@link UpdateStream.resume} says when. Default: always. */
  readonly mayOpen?: () => boolean;
  /** Called for each request. */
  readonly onRequest?: () => void;
  /** The node gives no stream for now (503): it has too many. */
  readonly onRefused?: () => void;
  readonly log: Log;
  /** A stream without a byte for so long is taken for dead. */
  readonly silenceMs: number;
  readonly random: () => number;
}

/** Events after which work may have changed; nodes since 2.24.1 send the second for new transactions. */
const EVENTS = ['New Cut', 'Refreshed Block', 'message'];
/** A stream that lived so long ended as streams do; a shorter one counts as a failure. */
const ORDINARY_LIFE_MS = 1_000;

export class UpdateStream {
  readonly #options: UpdateStreamOptions;
  #source: EventSource | undefined;
  #timer: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  #openedAtMs: number | undefined;
  #heardAtMs = 0;
  #spokeAtMs: number | undefined;
  #failures = 0;
  #closed = false;

  constructor(options: UpdateStreamOptions) {
    this.#options = options;
    // Not in the turn in which rigs are given the first work of the chain.
    this.#timer = setTimeout(() => this.#open());
  }

  /** Since it was opened or last had a byte; it ends and is opened again meanwhile. `undefined` before the first time. */
  get silentMs(): number | undefined {
    return this.#spokeAtMs === undefined ? undefined : performance.now() - this.#spokeAtMs;
  }

  /** Opens at once what waits to be opened. */
  resume(): void {
    if (this.#closed || this.#source) return;
    clearTimeout(this.#timer);
    this.#open();
  }

  /** Closes it until {@link resume}. */
  pause(): void {
    this.#drop();
    clearTimeout(this.#timer);
  }

  /** Opens it anew if it was silent for so long: it may have died without a word. */
  renew(silentMs: number): void {
    if (performance.now() - this.#heardAtMs >= silentMs) this.#drop();
    this.resume();
  }

  close(): void {
    this.#closed = true;
    this.#drop();
    clearTimeout(this.#timer);
  }

  #open(): void {
    const { client, onUpdate } = this.#options;
    this.#openedAtMs = undefined;
    const source = new EventSource(`${client.address.baseUrl}/mining/updates`, {
      fetch: (_url, init) => this.#fetch(init.signal as AbortSignal),
    });
    this.#source = source;
    this.#heard();
    source.addEventListener('open', () => {
      this.#openedAtMs = performance.now();
      this.#spokeAtMs = this.#openedAtMs;
      onUpdate();
    });
    for (const name of EVENTS) source.addEventListener(name, onUpdate);
    source.addEventListener('error', (event) => {
      if (source === this.#source) this.#ended(event.message ?? 'the stream ended');
    });
  }

  /** The hook through which the package reads: a GET with a body, made conformant on the way. */
  async #fetch(signal: AbortSignal) {
    const { client, chainId, onRequest, onRefused } = this.#options;
    onRequest?.();
    const answer = await client.openUpdates(chainId, signal);
    if (answer.status === 503) onRefused?.();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => this.#readInto(controller, answer.body),
      cancel: () => void answer.body.destroy(),
    });
    const get = (name: string): string | null => {
      const value = answer.headers[name.toLowerCase()];
      return Array.isArray(value) ? (value[0] ?? null) : (value ?? null);
    };
    return { url: '', status: answer.status, redirected: false, headers: { get }, body };
  }

  /** Each chunk is passed on in the turn in which it came: its reader never lets one wait. */
  #readInto(controller: ReadableStreamDefaultController<Uint8Array>, body: StreamAnswer['body']): void {
    const conformer = new StreamConformer();
    body.on('data', (chunk: Uint8Array) => {
      this.#heard();
      this.#spokeAtMs = this.#heardAtMs;
      try {
        controller.enqueue(conformer.feed(chunk));
      } catch (error) {
        body.destroy(error as Error);
      }
    });
    body.once('end', () => controller.close());
    body.once('error', (error) => controller.error(error));
  }

  #heard(): void {
    this.#heardAtMs = performance.now();
    const { silenceMs } = this.#options;
    if (this.#silence) this.#silence.refresh();
    else this.#silence = setTimeout(() => this.#ended(`silent for ${silenceMs} ms`), silenceMs);
  }

  #ended(reason: string): void {
    if (this.#closed) return;
    this.#drop();
    const lived = this.#openedAtMs === undefined ? 0 : performance.now() - this.#openedAtMs;
    this.#failures = lived >= ORDINARY_LIFE_MS ? 0 : this.#failures + 1;
    const delayMs = this.#failures === 0 ? 0 : backoffMs(this.#failures, this.#options.random());
    const { chainId, mayOpen = () => true } = this.#options;
    this.#options.log.debug({ chainId, reason, delayMs }, 'update stream ended');
    this.#timer = setTimeout(() => mayOpen() && this.#open(), delayMs);
    if (this.#openedAtMs === undefined) this.#options.onUpdate();
  }

  #drop(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
    this.#source?.close();
    this.#source = undefined;
  }
}
