/**
 * Keeps one chain's update stream open for as long as it is wanted.
 *
 * A node ends its streams as a rule, and what happens between two streams is lost. So the stream is opened again at
 * once, and every opening is reported like an event: the listener fetches work and compares.
 */
import type { NodeError } from '../../chain/errors.js';
import type { Log } from '../../core/names/log.js';
import { backoffMs } from '../../node-client/asking/backoff.js';
import type { NodeClient, StreamReader } from '../../node-client/client.js';

interface UpdateStreamOptions {
  readonly client: Pick<NodeClient, 'readUpdates'>;
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

/** Its events have no data. */
const MOST_EVENT_BYTES = 1024 * 1024;
/** A stream that lived so long ended as streams do; a shorter one counts as a failure. */
const ORDINARY_LIFE_MS = 1_000;

export class UpdateStream {
  readonly #options: UpdateStreamOptions;
  #reader: StreamReader | undefined;
  #timer: NodeJS.Timeout | undefined;
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
    if (this.#closed || this.#reader) return;
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
    const { client, chainId, onUpdate, onRequest, onRefused, silenceMs } = this.#options;
    this.#openedAtMs = undefined;
    this.#heardAtMs = performance.now();
    onRequest?.();
    const listener = {
      onOpen: () => {
        this.#openedAtMs = performance.now();
        this.#spokeAtMs = this.#openedAtMs;
        onUpdate();
      },
      onBytes: () => {
        this.#heardAtMs = performance.now();
        this.#spokeAtMs = this.#heardAtMs;
      },
      onEvent: onUpdate,
      onEnd: (error?: NodeError) => {
        if (error?.status === 503) onRefused?.();
        this.#ended(error?.message ?? 'the stream ended');
      },
    };
    this.#reader = client.readUpdates(chainId, listener, { silenceMs, maxEventBytes: MOST_EVENT_BYTES });
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
    this.#reader?.close();
    this.#reader = undefined;
  }
}
