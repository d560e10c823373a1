/**
 * One node as a source of works: its life, and the loop that looks for chains to work on and for a node in trouble to come back.
 * While there is trouble nothing else asks, so a node that is down is asked once in a while and not once for each chain.
 */

import { NodeError } from '../../chain/errors.js';
import { faultOf } from '../../core/names/log.js';
import type { Work } from '../../core/work/work.js';
import { backoffMs } from '../../node-client/asking/backoff.js';
import { WorkMisfitError } from '../../node-client/asking/work-check.js';
import type { CutObject, NodeClient } from '../../node-client/client.js';
import type { NodeState } from '../../operations/enums.js';
import { CACHED, explain, explainFault, GIVES_WORK, NO_STREAMS } from '../explain.js';
import { NodeLink } from '../node-link.js';
import {
  givesWork,
  NEW_NODE,
  type NodeEvent,
  type NodeLife,
  next,
  PATIENCE,
  statusOf,
} from '../node-state.js';
import { ChainWorks } from './chain-works.js';
import { Naps } from './naps.js';
import type { WatchedChains } from './watched-chains.js';
import { NODE_RULES, WORK_TIMINGS, type WorkSourceOptions, type WorkTimings } from './work-options.js';

/** How often in `refreshMs` is looked whether a work is due. */
const REFRESH_STEPS = 4;
/** Chains that all have a stream are looked for less often: the streams will tell. */
const SELDOM = 5;

/** What a node asks for by `Retry-After` is waited for, but rigs are not let down for longer. */
const LONGEST_ASKED_PAUSE_MS = 10_000;

function askedPauseMs(error: unknown): number {
  const askedMs = error instanceof NodeError ? error.details.retryAfterMs : undefined;
  return Math.min(LONGEST_ASKED_PAUSE_MS, askedMs ?? 0);
}

export class NodeWorkSource {
  readonly #options: WorkSourceOptions;
  readonly #timings: WorkTimings;
  readonly #naps = new Naps();
  readonly #link: NodeLink;
  readonly #chains: ChainWorks;
  #life: NodeLife = NEW_NODE;
  #loop: Promise<void> | undefined;

  constructor(options: WorkSourceOptions) {
    this.#options = options;
    this.#timings = { ...WORK_TIMINGS, ...options.timings };
    this.#link = new NodeLink({
      ...options,
      timeoutMs: this.#timings.workTimeoutMs,
      onLate: (work, askedAtMs) => this.#cameLate(work, askedAtMs),
    });
    this.#chains = new ChainWorks({
      options,
      timings: this.#timings,
      link: this.#link,
      mayAsk: () => this.#life.failures === 0,
      gave: () => this.#tell(this.#giving('gave')),
      noStreams: () => {
        if (givesWork(this.#life)) this.#tell(this.#giving('gave'));
      },
      failed: (error) => this.#fetchFailed(error),
      wake: () => this.#naps.wake(),
    });
  }

  /** The node's name: its URL without credentials. */
  get url(): string {
    return this.#link.name;
  }

  get life(): NodeLife {
    return this.#life;
  }

  get status(): { readonly state: NodeState; readonly network: string; readonly reason: string } {
    return statusOf(this.#life);
  }

  /** How much longer than other nodes this one is waited for: 1 while it is not known to be slow. */
  get slowness(): number {
    return this.#link.slowness;
  }

  /** Live works, one a chain. */
  get works(): Work[] {
    return this.#chains.watched.works;
  }

  get watched(): Pick<WatchedChains, 'silentMs'> {
    return this.#chains.watched;
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

  /** What others found out about the node. Whoever tells looks at what has become of it. */
  saw(event: NodeEvent): void {
    const before = this.#life;
    this.#life = next(before, { ...event, atMs: this.#options.now() }, this.#options.rules ?? NODE_RULES);
    if (event.kind !== 'suspected' || this.#life.failures === before.failures) return;
    // Lines that stand may be as dead as that one, and rigs wait for what is asked next.
    this.#link.client?.renewConnections();
    this.#naps.wake();
  }

  /** Fetches this chain, or all of them, again out of turn. */
  refresh(chainId?: number): void {
    for (const watch of this.#chains.watched.all)
      if (chainId === undefined || chainId === watch.chainId) watch.refresh();
  }

  /** How many chains to work on, as far as the node has them to give. */
  workOn(chains: number): void {
    if (this.#chains.workOn(chains)) this.#naps.wake();
  }

  /** Nobody is to begin on this chain: it will be given up. */
  isSpare(chainId: number): boolean {
    return this.#chains.watched.isSpare(chainId);
  }

  /** Works on this chain too, in the place of another if need be, or fetches it again. */
  wantChain(chainId: number): void {
    this.#chains.want(chainId);
  }

  /** Heads of chains as the node names them: what a stream did not tell is seen by them. True where some work is on top of them. */
  sawCut(heads: CutObject['hashes']): boolean {
    return this.#chains.watched.all.filter((watch) => watch.sawCut(heads)).length > 0;
  }

  async close(): Promise<void> {
    this.#naps.close();
    this.#chains.close();
    await this.#link.close();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#naps.isClosed) {
      this.#naps.beginTurn();
      try {
        this.#chains.tidy();
        if (this.#life.failures > 0 || this.#chains.isAsked || this.#chains.isShort) await this.#seek();
        this.#chains.refreshOlder(this.#options.now() - this.#timings.refreshMs * (1 - 1 / REFRESH_STEPS));
        await this.#naps.nap(this.#pauseMs());
      } catch (error) {
        if (this.#naps.isClosed) return;
        this.#failed(error);
        // Not cut short by whoever wants work: a node in trouble is not asked more often. A timeout was a pause already.
        const hasWaited = error instanceof NodeError && error.code === 'timeout';
        const pauseMs = backoffMs(this.#life.failures, this.#options.random(), this.#timings.troubleMs);
        if (!hasWaited) await this.#naps.rest(Math.max(pauseMs, askedPauseMs(error)));
      }
    }
  }

  #pauseMs(): number {
    const { seekMs, refreshMs } = this.#timings;
    if (!this.#chains.isShort) return refreshMs / REFRESH_STEPS;
    return this.#chains.hasUnwatched ? seekMs : seekMs * SELDOM;
  }

  /** Asks for one chain after the other until there are enough or the node gives nothing new. */
  async #seek(): Promise<void> {
    for (;;) {
      const causedAtMs = this.#options.now();
      const { sought } = this.#chains;
      const work = await this.#link.fetchWork(sought);
      if (this.#naps.isClosed) return;
      const isNew = this.#chains.found(work, sought, causedAtMs);
      this.#isWell();
      if (!isNew || !this.#chains.isShort) return;
    }
  }

  /** The node is slow and gives work all the same. */
  #cameLate(work: Work, askedAtMs: number): void {
    if (this.#naps.isClosed) return;
    this.#chains.cameLate(work, askedAtMs);
    this.#isWell();
    this.#naps.wake();
  }

  #isWell(): void {
    const { failures, isDeaf } = this.#life;
    this.#tell(this.#giving('well'));
    if (failures > 0) this.#chains.resume(isDeaf);
    this.#chains.retireOrphans();
  }

  /** The first failure sends the loop to see what is the matter; those of other chains at the same time say no more. */
  #fetchFailed(error: unknown): void {
    if (this.#life.failures > 0) return;
    this.#failed(error);
    this.#naps.wake();
  }

  #failed(error: unknown): void {
    const isOfNode = error instanceof NodeError;
    if (!isOfNode) {
      const fields = { node: this.url, ...faultOf(error) };
      this.#options.log.error(fields, 'an unexpected error while asking a node; it is asked again');
    }
    const isSilence = isOfNode && error.code === 'timeout';
    const fault = {
      ...(isOfNode ? explain(error) : explainFault(error)),
      isSilence,
      isDeaf: isSilence || (isOfNode && error.code === 'unreachable'),
      askedAtMs: this.#options.now() - (isSilence ? this.#timings.workTimeoutMs : 0),
    };
    this.#tell({ kind: 'failed', network: this.#link.network, fault });
    if (isOfNode) this.#consider(error);
  }

  /** What the answer says besides. */
  #consider({ details, cause }: NodeError): void {
    const { failures } = this.#life;
    if (details.status === 503 && failures >= PATIENCE) this.#chains.bearLess();
    const mayBeAnother = details.status === 404 || cause instanceof WorkMisfitError;
    if (mayBeAnother && this.#link.doubt(failures)) this.#chains.orphanAll();
  }

  #giving(kind: 'gave' | 'well'): NodeEvent {
    const streams = this.#chains.lacksStreams ? NO_STREAMS : GIVES_WORK;
    return { kind, network: this.#link.network, said: this.#link.isCached ? CACHED : streams };
  }

  #tell(event: NodeEvent): void {
    const before = this.status;
    this.saw(event);
    const { state, network, reason } = this.status;
    if (before.state !== state || before.network !== network || before.reason !== reason)
      this.#options.onStatus();
  }
}
