/**
 * The works of one node: one for each chain that is worked on, kept fresh by that chain's update stream, by a timer,
 * and on request.
 *
 * One loop looks for chains to work on and for a node in trouble to come back. While there is trouble nothing else
 * asks, so a node that is down is asked once in a while and not once for each chain.
 */
import { faultOf } from '../core/log.js';
import { nodeNameOf } from '../core/node-name.js';
import type { Work } from '../core/work.js';
import { backoffMs } from './backoff.js';
import { Bearable } from './bearable.js';
import { ChainWatch, type ChainWatchEvents } from './chain-watch.js';
import type { NodeClient } from './client.js';
import { NodeError } from './errors.js';
import { CACHED, explain, explainFault, NO_STREAMS } from './explain.js';
import { HintTrust } from './hint-trust.js';
import { Naps } from './naps.js';
import { NodeLink } from './node-link.js';
import { Pace } from './pace.js';
import { WatchedChains } from './watched-chains.js';
import { WorkMisfitError } from './work-check.js';
import type { NodeStatus, WorkSourceOptions } from './work-source-options.js';
import { WORK_TIMINGS, type WorkTimings } from './work-timings.js';

const GIVES_WORK = 'gives work';
/** Timeouts in a row that are taken for a node that has no work for the moment. */
const PATIENCE = 3;
/** How often in `refreshMs` is looked whether a work is due. */
const REFRESH_STEPS = 4;
/** Chains that all have a stream are looked for less often: the streams will tell. */
const SELDOM = 5;
/** The loop's own requests: so many at once, then one in so many milliseconds. */
const SEEK_BURST = 40;
const SEEK_EVERY_MS = 100;

export class NodeWorkSource implements ChainWatchEvents {
  readonly #options: WorkSourceOptions;
  readonly #timings: WorkTimings;
  readonly #naps = new Naps();
  readonly #hints = new HintTrust();
  readonly #watches: WatchedChains;
  readonly #link: NodeLink;
  /** Chains given by the node as it was before it was looked for anew. */
  readonly #orphaned = new Set<number>();
  #status: NodeStatus = { state: 'starting', network: '', reason: 'not asked yet' };
  readonly #pace = new Pace(SEEK_EVERY_MS, SEEK_BURST);
  /** As wished. */
  #chains = 1;
  readonly #bearable: Bearable;
  /** A chain that was asked for by name. */
  #asked: number | undefined;
  /** In a row; 0 while the node gives work. */
  #failures = 0;
  /** One of them was silence. */
  #isDeaf = false;
  /** When the question was asked that the first of them was the answer to; `undefined` while the node gives work. */
  troubleSinceMs: number | undefined;
  #loop: Promise<void> | undefined;

  constructor(options: WorkSourceOptions) {
    this.#options = options;
    this.url = nodeNameOf(options.url);
    this.#timings = { ...WORK_TIMINGS, ...options.timings };
    const { crowdOn = () => 0, now } = options;
    this.#bearable = new Bearable(now);
    this.#watches = new WatchedChains({ crowdOn, lateMs: this.#timings.lateMs, now }, ({ chainId, work }) => {
      if (work) options.sink.retireWork(chainId, now());
    });
    const onLate = (work: Work, askedAtMs: number): void => this.#cameLate(work, askedAtMs);
    this.#link = new NodeLink({ ...options, timeoutMs: this.#timings.workTimeoutMs, onLate });
    this.watched = this.#watches;
  }

  readonly watched: Pick<WatchedChains, 'silentMs'>;
  /** The node's name: its URL without credentials. */
  readonly url: string;

  get status(): NodeStatus {
    return this.#status;
  }

  /** How much longer than other nodes this one is waited for: 1 while it is not known to be slow. */
  get slowness(): number {
    return this.#link.slowness;
  }

  /** Live works, one a chain. */
  get works(): Work[] {
    return this.#watches.works;
  }

  /** Absent while the node has never answered. */
  get client(): NodeClient | undefined {
    return this.#link.client;
  }

  /** Requests for work and streams since the start. */
  get requests(): number {
    return this.#link.requests;
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Fetches this chain, or all of them, again out of turn. */
  refresh(chainId?: number): void {
    for (const watch of this.#watches.all)
      if (chainId === undefined || chainId === watch.chainId) watch.refresh();
  }

  /** How many chains to work on, as far as the node has them to give. */
  workOn(chains: number): void {
    this.#chains = Math.max(1, chains);
    this.#watches.keep(this.#goal);
    this.#naps.wake();
  }

  /** Nobody is to begin on this chain: it will be given up. */
  isSpare(chainId: number): boolean {
    return this.#watches.isSpare(chainId);
  }

  /** Works on this chain too, in the place of another if need be, or fetches it again. */
  wantChain(chainId: number): void {
    const watch = this.#watches.get(chainId);
    if (watch?.work) {
      watch.refresh();
      this.#watches.want(chainId, this.#goal);
    } else {
      this.#asked = chainId;
      this.#naps.wake();
    }
  }

  /** Heads of chains as the node names them: what a stream did not tell is seen by them. */
  sawHeads(hashes: Readonly<Record<string, { readonly hash: string }>>): void {
    for (const watch of this.#watches.all) {
      const head = hashes[watch.chainId]?.hash;
      if (head !== undefined) watch.sawHead(head);
    }
  }

  /** It does not answer other requests: one more without an answer, and it is in trouble. */
  suspect(): void {
    if (this.#failures > 0 || this.#status.state !== 'healthy') return;
    this.#failures = PATIENCE - 1;
    this.#isDeaf = true;
    this.#naps.wake();
  }

  async close(): Promise<void> {
    this.#naps.close();
    for (const watch of this.#watches.all) watch.close();
    await this.#link.close();
    await this.#loop;
  }

  mayAsk(): boolean {
    return this.#failures === 0;
  }

  asked(): void {
    this.#link.asked();
  }

  gave(watch: ChainWatch, work: Work, causedAtMs: number): void {
    this.#hints.saw(true);
    if (this.#watches.get(watch.chainId) === watch) this.#take(watch, work, causedAtMs);
  }

  gaveOther(watch: ChainWatch, work: Work, causedAtMs: number): void {
    this.#hints.saw(false);
    if (!this.#hints.isDoubtful || !watch.work) this.#giveUp(watch, work, causedAtMs);
    else void this.#giveUpIfDead(watch, watch.work, work, causedAtMs);
  }

  /** The first failure sends the loop to see what is the matter; those of other chains at the same time say no more. */
  failed(_watch: ChainWatch, error: unknown): void {
    if (this.#failures > 0) return;
    this.#trouble(error);
    this.#naps.wake();
  }

  /** The node is slow and gives work all the same. What it gave meanwhile, as its clock says, is newer. */
  #cameLate(work: Work, askedAtMs: number): void {
    if (this.#naps.isClosed) return;
    const held = this.#watches.get(work.chainId)?.work;
    if (!held || held.fields.creationTime < work.fields.creationTime) this.#accept(work, askedAtMs);
    this.#isWell();
    this.#naps.wake();
  }

  /** The other chain comes first, so that nobody is without work in between. */
  #giveUp(watch: ChainWatch, other: Work, causedAtMs: number): void {
    if (this.#watches.get(watch.chainId) !== watch) return;
    const wasLive = watch.work !== undefined;
    watch.work = undefined;
    this.#accept(other, causedAtMs);
    if (wasLive) this.#options.sink.retireWork(watch.chainId, causedAtMs);
    if (this.#hasUnwatched) this.#naps.wake();
  }

  /** A node that heeds no wishes gives another chain also while the work held still extends the cut. */
  async #giveUpIfDead(watch: ChainWatch, held: Work, other: Work, causedAtMs: number): Promise<void> {
    const stands = await this.#link.extendsCut(held).catch((error: unknown) => {
      this.failed(watch, error);
      return undefined;
    });
    if (this.#naps.isClosed || watch.work !== held || this.#watches.get(watch.chainId) !== watch) return;
    if (stands) watch.workAtMs = this.#options.now();
    // Where nothing is said it counts for as long as one question in its turn may be lost.
    const ageMs = this.#options.now() - watch.workAtMs;
    if (stands ?? ageMs < 2 * this.#timings.refreshMs) this.#accept(other, causedAtMs);
    else this.#giveUp(watch, other, causedAtMs);
  }

  /** One chain less is handed out, and no more for a while; the last one is worked on by the timer alone. */
  noStream(watch: ChainWatch): void {
    this.#bearable.refusedStream();
    if (this.#status.state === 'healthy') this.#isHealthy();
    if (this.#watches.get(watch.chainId) !== watch) return;
    if (!this.#watches.isSpare(watch.chainId)) {
      if (this.#watches.wanted === 1 || this.#watches.silenceSpares()) return;
      this.#bearable.atMost(this.#watches.wanted - 1);
    }
    this.#watches.silence(watch);
  }

  get #goal(): number {
    return Math.min(
      this.#chains,
      this.#bearable.chains,
      this.#link.chains?.length ?? Number.POSITIVE_INFINITY,
    );
  }

  get #hasUnwatched(): boolean {
    const all = this.#link.chains;
    return !all || all.length > this.#watches.size;
  }

  async #run(): Promise<void> {
    while (!this.#naps.isClosed) {
      this.#naps.beginTurn();
      try {
        this.#watches.dropDue();
        this.#watches.keep(this.#goal);
        const isShort = this.#watches.served < this.#goal;
        if (this.#failures > 0 || this.#asked !== undefined || isShort) await this.#seek();
        this.#refreshOld();
        await this.#naps.nap(this.#pauseMs());
      } catch (error) {
        if (this.#naps.isClosed) return;
        this.#trouble(error);
        // Not cut short by whoever wants work: a node in trouble is not asked more often. A timeout was a pause already.
        const hasWaited = error instanceof NodeError && error.code === 'timeout';
        const pauseMs = backoffMs(this.#failures, this.#options.random(), this.#timings.troubleMs);
        if (!hasWaited) await this.#naps.rest(pauseMs);
      }
    }
  }

  #pauseMs(): number {
    const { seekMs, refreshMs } = this.#timings;
    if (this.#watches.served >= this.#goal) return refreshMs / REFRESH_STEPS;
    return this.#hasUnwatched ? seekMs : seekMs * SELDOM;
  }

  #refreshOld(): void {
    const oldestMs = this.#options.now() - this.#timings.refreshMs * (1 - 1 / REFRESH_STEPS);
    for (const watch of this.#watches.all) if (watch.workAtMs <= oldestMs) watch.refresh();
    this.#bearable.grow(this.#watches.served, this.#chains);
  }

  /** Asks for one chain after the other until there are enough or the node gives nothing new. */
  async #seek(): Promise<void> {
    for (;;) {
      await this.#naps.rest(this.#pace.take(this.#options.now()));
      const causedAtMs = this.#options.now();
      const wanted =
        this.#asked ?? this.#watches.anyWithoutWork(this.#link.chains ?? [], this.#options.random());
      const work = await this.#link.fetchWork(wanted);
      if (this.#naps.isClosed) return;
      if (wanted !== undefined && this.#asked === wanted) {
        this.#asked = undefined;
        if (work.chainId === wanted && !this.#watches.has(wanted)) this.#watches.keep(this.#goal - 1);
      }
      const isNew = this.#accept(work, causedAtMs);
      this.#isWell();
      if (!isNew || this.#watches.served >= this.#goal) return;
    }
  }

  /** True when its chain had no live work before. */
  #accept(work: Work, causedAtMs: number): boolean {
    const watch = this.#watches.get(work.chainId);
    const isNew = watch?.work === undefined;
    if (watch) this.#take(watch, work, causedAtMs);
    else if (!this.#adopt(work)) return false;
    else this.#options.sink.offerWork(work, this.url, causedAtMs);
    return isNew;
  }

  #take(watch: ChainWatch, work: Work, causedAtMs: number): void {
    watch.work = work;
    watch.workAtMs = this.#options.now();
    this.#isHealthy();
    this.#options.sink.offerWork(work, this.url, causedAtMs);
  }

  #adopt(work: Work): boolean {
    const { client } = this.#link;
    if (!client || !this.#watches.makeRoom(this.#goal)) return false;
    const { log, random, now } = this.#options;
    const watch = new ChainWatch(
      {
        client,
        chainId: work.chainId,
        fetch: (chainId) => this.#link.fetchWork(chainId),
        events: this,
        log,
        silenceMs: this.#timings.silenceMs,
        random,
        now,
      },
      work,
    );
    this.#watches.add(watch);
    this.#isHealthy();
    return true;
  }

  #isWell(): void {
    const wasInTrouble = this.#failures > 0;
    const wasDeaf = this.#isDeaf;
    this.#failures = 0;
    this.troubleSinceMs = undefined;
    this.#isDeaf = false;
    this.#isHealthy();
    if (wasInTrouble) for (const watch of this.#watches.all) watch.resume(wasDeaf);
    for (const chainId of this.#orphaned) {
      if (!this.#watches.has(chainId)) this.#options.sink.retireWork(chainId, this.#options.now());
    }
    this.#orphaned.clear();
  }

  #isHealthy(): void {
    const streams = this.#bearable.lacksStreams ? NO_STREAMS : GIVES_WORK;
    const reason = this.#link.isCached ? CACHED : streams;
    this.#report({ state: 'healthy', network: this.#link.network, reason });
  }

  #trouble(error: unknown): void {
    const isSilence = error instanceof NodeError && error.code === 'timeout';
    this.troubleSinceMs ??= this.#options.now() - (isSilence ? this.#timings.workTimeoutMs : 0);
    this.#failures++;
    if (!(error instanceof NodeError)) {
      this.#unexpected(error);
      return;
    }
    if (error.code === 'timeout' || error.code === 'unreachable') this.#isDeaf = true;
    if (error.details.status === 503 && this.#failures >= PATIENCE) this.#bearLess();
    const noWorkYet =
      error.code === 'timeout' && this.#link.client !== undefined && this.#failures < PATIENCE;
    if (noWorkYet) return;
    this.#report({ ...explain(error), network: this.#link.network });
    const mayBeAnother = error.details.status === 404 || error.cause instanceof WorkMisfitError;
    if (mayBeAnother && this.#link.doubt(this.#failures)) this.#orphanAll();
  }

  #unexpected(error: unknown): void {
    const fields = { node: this.url, ...faultOf(error) };
    this.#options.log.error(fields, 'an unexpected error while asking a node; it is asked again');
    this.#report({ ...explainFault(error), network: this.#link.network });
  }

  /** Their streams were the former client's; their works count until it is known what the node is now. */
  #orphanAll(): void {
    for (const watch of this.#watches.all) {
      watch.close();
      this.#orphaned.add(watch.chainId);
    }
    this.#watches.clear();
  }

  #bearLess(): void {
    this.#bearable.atMost(Math.floor(this.#watches.wanted / 2));
    this.#watches.bearOnly(this.#bearable.chains);
  }

  #report(status: NodeStatus): void {
    const { state, network, reason } = this.#status;
    if (state === status.state && network === status.network && reason === status.reason) return;
    this.#status = status;
    this.#options.onStatus(status);
  }
}
