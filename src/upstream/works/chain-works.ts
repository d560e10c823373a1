/** The works of one node, one for each chain that is worked on: which chains these are, and what their answers change. */
import type { Work } from '../../core/work/work.js';
import type { NodeClient } from '../../node-client/client.js';
import type { NodeLink } from '../node-link.js';
import { Bearable } from './bearable.js';
import { ChainWatch, type ChainWatchEvents } from './chain-watch.js';
import { HintTrust } from './odd-answers.js';
import { WatchedChains } from './watched-chains.js';
import type { WorkSourceOptions, WorkTimings } from './work-options.js';

interface ChainWorksParts {
  readonly options: WorkSourceOptions;
  readonly timings: WorkTimings;
  readonly link: NodeLink;
  /** Whether the node may be asked now. */
  readonly mayAsk: () => boolean;
  readonly gave: () => void;
  /** The node refused a stream. */
  readonly noStreams: () => void;
  readonly failed: (error: unknown) => void;
  /** There may be another chain to look for. */
  readonly wake: () => void;
}

export class ChainWorks implements ChainWatchEvents {
  readonly #parts: ChainWorksParts;
  readonly #hints = new HintTrust();
  readonly #bearable: Bearable;
  /** Chains given by the node as it was before it was looked for anew. */
  readonly #orphaned = new Set<number>();
  readonly watched: WatchedChains;
  /** As wished. */
  #chains = 1;
  /** A chain that was asked for by name. */
  #asked: number | undefined;
  #isClosed = false;

  constructor(parts: ChainWorksParts) {
    this.#parts = parts;
    const { sessionsOn = () => 0, now, sink } = parts.options;
    this.#bearable = new Bearable(now);
    this.watched = new WatchedChains(
      { sessionsOn, lateMs: parts.timings.lateMs, now },
      ({ chainId, work }) => {
        if (work) sink.retireWork(chainId, now());
      },
    );
  }

  /** How many chains are to be handed out: as wished, as far as the node has and bears them. */
  get goal(): number {
    const known = this.#parts.link.chains?.length ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#chains, this.#bearable.chains, known);
  }

  get isShort(): boolean {
    return this.watched.served < this.goal;
  }

  get hasUnwatched(): boolean {
    const all = this.#parts.link.chains;
    return !all || all.length > this.watched.size;
  }

  get lacksStreams(): boolean {
    return this.#bearable.lacksStreams;
  }

  /** A chain was asked for by name, and not looked for yet. */
  get isAsked(): boolean {
    return this.#asked !== undefined;
  }

  /** The chain to look for next; `undefined`: whichever the node gives. */
  get sought(): number | undefined {
    const { link, options } = this.#parts;
    return this.#asked ?? this.watched.anyWithoutWork(link.chains ?? [], options.random());
  }

  /** Whether these are more than before. */
  workOn(chains: number): boolean {
    const before = this.goal;
    this.#chains = Math.max(1, chains);
    this.watched.keep(this.goal);
    return this.goal > before;
  }

  /** Works on this chain too, in the place of another if need be, or fetches it again. */
  want(chainId: number): void {
    const watch = this.watched.get(chainId);
    if (watch?.work) {
      watch.refresh();
      this.watched.want(chainId, this.goal);
    } else {
      this.#asked = chainId;
      this.#parts.wake();
    }
  }

  /** Drops what nobody needs any more. */
  tidy(): void {
    this.watched.dropDue();
    this.watched.keep(this.goal);
  }

  /** Fetches again what was handed out before that time. */
  refreshOlder(thanMs: number): void {
    for (const watch of this.watched.all) if (watch.workAtMs <= thanMs) watch.refresh();
    this.#bearable.grow(this.watched.served, this.#chains);
  }

  /** What the loop was given for the chain that it sought. True when its chain had no live work before. */
  found(work: Work, sought: number | undefined, causedAtMs: number): boolean {
    if (sought !== undefined && this.#asked === sought) {
      this.#asked = undefined;
      if (work.chainId === sought && !this.watched.has(sought)) this.watched.keep(this.goal - 1);
    }
    return this.#accept(work, causedAtMs);
  }

  /** An answer that nobody waited for any more. What it gave meanwhile, as its clock says, is newer. */
  cameLate(work: Work, askedAtMs: number): void {
    const held = this.watched.get(work.chainId)?.work;
    if (!held || held.fields.creationTime < work.fields.creationTime) this.#accept(work, askedAtMs);
  }

  /** The node is well again; @param wasDeaf it did not answer, so streams may be dead too. */
  resume(wasDeaf: boolean): void {
    for (const watch of this.watched.all) watch.resume(wasDeaf);
  }

  /** What a node gave that has become another, and that it does not give any more. */
  retireOrphans(): void {
    const { sink, now } = this.#parts.options;
    for (const chainId of this.#orphaned) if (!this.watched.has(chainId)) sink.retireWork(chainId, now());
    this.#orphaned.clear();
  }

  /** Their streams were the former client's; their works count until it is known what the node is now. */
  orphanAll(): void {
    for (const watch of this.watched.all) {
      watch.close();
      this.#orphaned.add(watch.chainId);
    }
    this.watched.clear();
  }

  /** The node has too much to do. */
  bearLess(): void {
    this.#bearable.atMost(Math.floor(this.watched.wanted / 2));
    this.watched.bearOnly(this.#bearable.chains);
  }

  close(): void {
    this.#isClosed = true;
    for (const watch of this.watched.all) watch.close();
  }

  mayAsk(): boolean {
    return this.#parts.mayAsk();
  }

  asked(): void {
    this.#parts.link.asked();
  }

  gave(watch: ChainWatch, work: Work, causedAtMs: number): void {
    this.#hints.saw(true);
    if (this.watched.get(watch.chainId) === watch) this.#take(watch, work, causedAtMs);
  }

  gaveOther(watch: ChainWatch, work: Work, causedAtMs: number): void {
    this.#hints.saw(false);
    if (!this.#hints.isDoubtful || !watch.work) this.#giveUp(watch, work, causedAtMs);
    else void this.#giveUpIfDead(watch, watch.work, work, causedAtMs);
  }

  failed(_watch: ChainWatch, error: unknown): void {
    this.#parts.failed(error);
  }

  /** One chain less is handed out, and no more for a while; the last one is worked on by the timer alone. */
  noStream(watch: ChainWatch): void {
    this.#bearable.refusedStream();
    this.#parts.noStreams();
    if (this.watched.get(watch.chainId) !== watch) return;
    if (!this.watched.isSpare(watch.chainId)) {
      if (this.watched.wanted === 1 || this.watched.silenceSpares()) return;
      this.#bearable.atMost(this.watched.wanted - 1);
    }
    this.watched.silence(watch);
  }

  /** The other chain comes first, so that nobody is without work in between. */
  #giveUp(watch: ChainWatch, other: Work, causedAtMs: number): void {
    if (this.watched.get(watch.chainId) !== watch) return;
    const wasLive = watch.work !== undefined;
    watch.work = undefined;
    this.#accept(other, causedAtMs, wasLive ? watch.chainId : undefined);
    // One that had no work before is no reason to look at once: each look would ask for it again.
    if (wasLive && this.hasUnwatched) this.#parts.wake();
  }

  /** A node that heeds no wishes gives another chain also while the work held still extends the cut. */
  async #giveUpIfDead(watch: ChainWatch, held: Work, other: Work, causedAtMs: number): Promise<void> {
    const { link, timings, options } = this.#parts;
    const stands = await link.extendsCut(held).catch((error: unknown) => {
      this.failed(watch, error);
      return undefined;
    });
    if (this.#isClosed || watch.work !== held || this.watched.get(watch.chainId) !== watch) return;
    if (stands) watch.workAtMs = options.now();
    // Where nothing is said it counts for as long as one question in its turn may be lost.
    const ageMs = options.now() - watch.workAtMs;
    if (stands ?? ageMs < 2 * timings.refreshMs) this.#accept(other, causedAtMs);
    else this.#giveUp(watch, other, causedAtMs);
  }

  /**
   * Rigs have the work, and have left the chain that is given up for it, before streams end and begin: these take longer than all
   * else from the answer to the job.
   *
   * @returns whether its chain had no live work before.
   */
  #accept(work: Work, causedAtMs: number, givenUp?: number): boolean {
    const watch = this.watched.get(work.chainId);
    const isNew = watch?.work === undefined;
    const { client } = this.#parts.link;
    const isTaken = watch !== undefined || (client !== undefined && this.watched.hasRoom(this.goal));
    if (watch) this.#take(watch, work, causedAtMs);
    else if (isTaken) this.#offer(work, causedAtMs);
    if (givenUp !== undefined) this.#parts.options.sink.retireWork(givenUp, causedAtMs);
    if (!watch && isTaken && client) this.#adopt(client, work);
    return isNew && isTaken;
  }

  #take(watch: ChainWatch, work: Work, causedAtMs: number): void {
    watch.work = work;
    watch.workAtMs = this.#parts.options.now();
    this.#offer(work, causedAtMs);
  }

  #offer(work: Work, causedAtMs: number): void {
    const { options, link, gave } = this.#parts;
    options.sink.offerWork(work, link.name, causedAtMs);
    gave();
  }

  #adopt(client: NodeClient, work: Work): void {
    const { options, timings, link } = this.#parts;
    this.watched.makeRoom(this.goal);
    const { log, random, now } = options;
    const { chainId } = work;
    const fetch = (heard: (work: Work) => void): Promise<Work> => link.fetchWork(chainId, heard);
    const { silenceMs } = timings;
    const parts = { client, chainId, fetch, events: this, log, silenceMs, random, now };
    this.watched.add(new ChainWatch(parts, work));
  }
}
