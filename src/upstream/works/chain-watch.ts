/**
 * One chain of one node: its newest work, and the update stream that says when to fetch it again.
 *
 * Fetches of a chain never overlap; whatever asks for one while one is under way leads to exactly one more, as soon as that is
 * answered. A node that takes long over its answers has as long a rest between them.
 */
import { toBase64Url } from '../../core/bytes/bytes.js';
import type { Log } from '../../core/names/log.js';
import type { Work } from '../../core/work/work.js';
import type { CutObject, NodeClient } from '../../node-client/client.js';
import { UpdateStream } from './updates.js';

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

/** A stream that was heard of within the time in which a question was not answered is alive. */
const DEAF_MS = 1_500;

export class ChainWatch {
  readonly #options: ChainWatchOptions;
  readonly #stream: UpdateStream;
  #fetching = false;
  /** Until then the node rests from its last answer. */
  #restsUntilMs = Number.NEGATIVE_INFINITY;
  /** When the oldest request was made that no fetch has begun to serve. */
  #wantedSinceMs: number | undefined;
  #wait: NodeJS.Timeout | undefined;
  #endWait: (() => void) | undefined;
  #closed = false;
  #isSilent = false;
  /** What the node handed out last; `undefined` while the chain cannot be mined. */
  work: Work | undefined;
  /** When `work` was handed out. */
  workAtMs: number;

  constructor(options: ChainWatchOptions, first: Work) {
    this.#options = options;
    this.work = first;
    this.workAtMs = options.now();
    const { client, chainId, log, silenceMs, random, events } = options;
    this.#stream = new UpdateStream({
      client,
      chainId,
      log,
      silenceMs,
      random,
      // Its opening is an update too: a cut between the first fetch and the opening is not missed.
      onUpdate: () => this.refresh(),
      mayOpen: () => !this.#isSilent && events.mayAsk(),
      onRequest: () => events.asked(),
      onRefused: () => events.noStream(this),
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
    else this.#stream.resume();
    this.refresh();
  }

  /** Without a stream from now on: the chain is looked at when it is asked for alone. */
  silence(): void {
    this.#isSilent = true;
    this.#stream.pause();
  }

  /** With a stream again, if it was without. */
  listen(): void {
    if (!this.#isSilent) return;
    this.#isSilent = false;
    if (this.#options.events.mayAsk()) this.#stream.resume();
  }

  /** Work that does not fit the cut which the node names is old, whatever the stream said. True where there is work that fits. */
  sawCut(heads: CutObject['hashes']): boolean {
    if (!this.work) return false;
    const fits = extendsCut(this.work, heads);
    if (!fits) this.refresh();
    return fits;
  }

  close(): void {
    this.#closed = true;
    this.#stream.close();
    clearTimeout(this.#wait);
    this.#endWait?.();
  }

  async #fetchWhileWanted(): Promise<void> {
    this.#fetching = true;
    while (this.#wantedSinceMs !== undefined && this.#maysAsk()) {
      const restMs = this.#restsUntilMs - this.#options.now();
      if (restMs > 0) await this.#rest(restMs);
      if (!this.#maysAsk()) break;
      const causedAtMs = this.#wantedSinceMs;
      this.#wantedSinceMs = undefined;
      await this.#fetchOnce(causedAtMs);
    }
    this.#fetching = false;
  }

  #maysAsk(): boolean {
    return !this.#closed && this.#options.events.mayAsk();
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
      if (!this.#closed) events.failed(this, error);
    }
  }

  #gave(work: Work, causedAtMs: number): void {
    const { events, chainId } = this.#options;
    if (this.#closed) return;
    if (work.chainId === chainId) events.gave(this, work, causedAtMs);
    else events.gaveOther(this, work, causedAtMs);
  }

  async #rest(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#endWait = resolve;
      this.#wait = setTimeout(resolve, ms);
    });
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
