/**
 * One chain of one node: its newest work, and the update stream that says when to fetch it again.
 *
 * Fetches of a chain never overlap; whatever asks for one while one is under way leads to exactly one more, as soon as that is
 * answered. A node that takes long over its answers has as long a rest between them.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { toBase64Url } from '../../core/bytes/bytes.js';
import type { Log } from '../../core/names/log.js';
import type { Work } from '../../core/work/work.js';
import type { CutObject, NodeClient } from '../../node-client/client.js';
import { ReturningStream, type StreamEnd } from '../../node-client/streams/returning-stream.js';

interface ChainWatchOptions {
  readonly client: Pick<NodeClient, 'readUpdates'>;
  readonly chainId: number;
  /** @param heard may be told of the work some turns before the promise is kept. */
  readonly fetch: (heard: (work: Work) => void) => Promise<Work>;
  readonly events: ChainWatchEvents;
  readonly log: Log;
  readonly silenceMs: number;
  readonly random: () => number;
  /** Milliseconds, rising. */
  readonly now: () => number;
}

export interface ChainWatchEvents {
  /** Whether the node may be asked now; {@link ChainWatch.resume} says when again. */
  mayAsk(): boolean;
  /** A stream was asked for. */
  asked(): void;
  /** The node gave a work for this chain; `causedAtMs` is when what led to the fetch was heard. */
  gave(watch: ChainWatch, work: Work, causedAtMs: number): void;
  /** Asked for this chain, the node gave `work` of another: this one cannot be mined now. */
  gaveOther(watch: ChainWatch, work: Work, causedAtMs: number): void;
  failed(watch: ChainWatch, error: unknown): void;
  /** The node has too many streams to give one for this chain. */
  noStream(watch: ChainWatch): void;
}

/** An answer that took longer is followed by a rest: as long as it took, but for so long at the most. */
const SLOW_MS = 100;
const LONGEST_REST_MS = 500;

/** New Cut has no data. */
const MOST_EVENT_BYTES = 1024 * 1024;
/** A stream that was heard of within the time in which a question was not answered is alive. */
const DEAF_MS = 1_500;

export class ChainWatch {
  readonly #options: ChainWatchOptions;
  readonly #stream: ReturningStream;
  #fetching = false;
  /** Until then the node rests from its last answer. */
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  /** When the oldest request was made that no fetch has begun to serve. */
  #wantedSinceMs: number | undefined;
  readonly #closing = new AbortController();
  #isSilent = false;
  /** What the node handed out last; `undefined` while the chain cannot be mined. */
  work: Work | undefined;
  /** When `work` was handed out. */
  workAtMs: number;

  constructor(options: ChainWatchOptions, first: Work) {
    this.#options = options;
    this.work = first;
    this.workAtMs = options.now();
    const { client, chainId, silenceMs, random, events } = options;
    this.#stream = new ReturningStream({
      open: (listener) => {
        events.asked();
        return client.readUpdates(chainId, listener, { silenceMs, maxEventBytes: MOST_EVENT_BYTES });
      },
      // An update too: a cut between the first fetch and the opening is not missed.
      onOpen: () => this.refresh(),
      onEvent: () => this.refresh(),
      onEnd: (end) => this.#streamEnded(end),
      mayOpen: () => !this.#isSilent && events.mayAsk(),
      random,
    });
  }

  get chainId(): number {
    return this.#options.chainId;
  }

  /** Since its stream said anything; `undefined` while it never has. */
  get silentMs(): number | undefined {
    return this.#stream.silentMs;
  }

  get isSilent(): boolean {
    return this.#isSilent;
  }

  refresh(): void {
    this.#wantedSinceMs ??= this.#options.now();
    if (!this.#fetching) void this.#fetchWhileWanted();
  }

  /**
   * After a time in which the node was not to be asked: anything may have changed.
   *
   * @param wasDeaf it did not answer, so the stream may be dead too.
   */
  resume(wasDeaf: boolean): void {
    if (this.#isSilent) return; // its turn comes
    if (wasDeaf) this.#stream.renew(DEAF_MS);
    else this.#stream.start();
    this.refresh();
  }

  /** Without a stream from now on: the chain is looked at when it is asked for alone. */
  silence(): void {
    this.#isSilent = true;
    this.#stream.stop();
  }

  /** With a stream again, if it was without. */
  listen(): void {
    if (!this.#isSilent) return;
    this.#isSilent = false;
    if (this.#options.events.mayAsk()) this.#stream.start();
  }

  /** Work that does not fit the cut which the node names is old, whatever the stream said. True where there is work that fits. */
  sawCut(heads: CutObject['hashes']): boolean {
    if (!this.work) return false;
    const fits = extendsCut(this.work, heads);
    if (!fits) this.refresh();
    return fits;
  }

  close(): void {
    this.#closing.abort();
    this.#stream.close();
  }

  #streamEnded({ error, wasOpen, pauseMs }: StreamEnd): void {
    const reason = error?.message ?? 'the stream ended';
    this.#options.log.debug({ chainId: this.chainId, reason, pauseMs }, 'update stream ended');
    if (error?.status === 503) this.#options.events.noStream(this);
    // Nothing would be heard meanwhile.
    if (!wasOpen) this.refresh();
  }

  async #fetchWhileWanted(): Promise<void> {
    this.#fetching = true;
    while (this.#wantedSinceMs !== undefined && this.#maysAsk()) {
      const restMs = this.#restsUntilMs - this.#options.now();
      if (restMs > 0) await pause(restMs, undefined, { signal: this.#closing.signal }).catch(() => {});
      if (!this.#maysAsk()) break;
      const causedAtMs = this.#wantedSinceMs;
      this.#wantedSinceMs = undefined;
      await this.#fetchOnce(causedAtMs);
    }
    this.#fetching = false;
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #maysAsk(): boolean {
    return !this.#isClosed && this.#options.events.mayAsk();
  }

  async #fetchOnce(causedAtMs: number): Promise<void> {
    const { events, fetch, now } = this.#options;
    const askedAtMs = now();
    let heard: Work | undefined;
    const hear = (work: Work): void => {
      heard = work;
      this.#gave(work, causedAtMs);
    };
    try {
      const work = await fetch(hear);
      const tookMs = now() - askedAtMs;
      if (tookMs > SLOW_MS) this.#restsUntilMs = now() + Math.min(LONGEST_REST_MS, tookMs);
      if (heard !== work) this.#gave(work, causedAtMs);
    } catch (error) {
      if (!this.#isClosed) events.failed(this, error);
    }
  }

  #gave(work: Work, causedAtMs: number): void {
    const { events, chainId } = this.#options;
    if (this.#isClosed) return;
    if (work.chainId === chainId) events.gave(this, work, causedAtMs);
    else events.gaveOther(this, work, causedAtMs);
  }
}

/** Its parent is the head of its chain, and no neighbour has another block than it names at its parent's height. */
function extendsCut({ chainId, fields }: Work, heads: CutObject['hashes']): boolean {
  const isAnother = (id: number, hash: Uint8Array): boolean => {
    const head = heads[id];
    return head?.height === fields.height - 1 && head.hash !== toBase64Url(hash);
  };
  const head = heads[chainId];
  if (head && head.hash !== toBase64Url(fields.parent)) return false;
  return !fields.adjacents.some((adjacent) => isAnother(adjacent.chainId, adjacent.hash));
}
