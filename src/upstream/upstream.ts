/**
 * Several nodes as one source of work: the first in the operator's order that is good is worked for, the others stand by
 * with works fetched and streams open, so that a switch is one job. A solution goes to the node that issued its work.
 */

import type { BridgeEvents, NodeReport } from '../bridge/events.js';
import type { SolutionAnswer, SolutionSink, WorkSink, WorkSource } from '../bridge/ports.js';
import { NodeError } from '../chain/errors.js';
import { faultOf, type Log } from '../core/names/log.js';
import type { ClientOptions, Miner, NodeClient } from '../node-client/client.js';
import type { NodeState } from '../operations/enums.js';
import { forksOf } from './fork-state.js';
import { AWAITED, type LifeRules, lookedAt } from './live-work.js';
import {
  choose,
  givesWork,
  isBarred,
  type NodeLife,
  type NodeRules,
  statusOf,
  untilChangeMs,
} from './node-state.js';
import { NodeWatch } from './node-watch.js';
import { STANDING_LIMITS, type StandingLimits, standings } from './standing.js';
import { NODE_RULES, type WorkTimings } from './works/work-options.js';

export interface UpstreamOptions {
  /** In order of preference. */
  readonly urls: readonly string[];
  /** The network to mine; empty or absent: that of the first node in order that tells its own. */
  readonly network?: string;
  readonly miner: Miner;
  /** TLS and headers for the nodes. */
  readonly connect?: ClientOptions;
  readonly sink: WorkSink;
  readonly events: BridgeEvents;
  readonly log: Log;
  readonly random: () => number;
  /** How many rigs work on a chain. */
  readonly sessionsOn?: (chainId: number) => number;
  /** Milliseconds on a clock that nobody sets. */
  readonly now?: () => number;
  /** Milliseconds since the epoch; compared with the nodes' clocks for a warning, and used for nothing else. */
  readonly wallClockMs?: () => number;
  /** Blocks of a chain in which nodes vote on a fork. */
  readonly forkEpoch: number;
  /** As {@link LifeRules.deadAfterMs}. */
  readonly deadAfterMs: number;
  /** Such networks have a block every few seconds. */
  readonly isKnownPublic: (network: string) => boolean;
  readonly timings?: Partial<UpstreamTimings>;
  readonly limits?: Partial<StandingLimits>;
}

export interface UpstreamTimings extends WorkTimings, NodeRules, Pick<LifeRules, 'aliveAgainMs'> {
  /** Between two rounds of light questions to all nodes, while nobody works. */
  readonly probeMs: number;
  /** The same while rigs work: lines that died without a word are found by nothing else. */
  readonly busyProbeMs: number;
  /** A node without an answer for so long is looked at more closely. */
  readonly probeTimeoutMs: number;
}

const ALIVE_AGAIN_MS = 15_000;
const PROBE_MS = 5_000;
/** Together less than the three seconds after which rigs are to have left a work that is over. */
const [BUSY_PROBE_MS, PROBE_TIMEOUT_MS] = [1_200, 1_500];

export class Upstream implements WorkSource, SolutionSink {
  readonly #options: UpstreamOptions;
  readonly #nodes: NodeWatch[];
  readonly #rules: NodeRules;
  readonly #now: () => number;
  /** What each node was last reported as. */
  readonly #reported = new Map<NodeWatch, NodeReport>();
  #active: NodeWatch | undefined;
  /** The active node gave something that was not taken, because it was quarantined. */
  #missed = false;
  /** Nodes of another are not worked for. */
  #network: string;
  /** The place in order of the node that it comes from. */
  #networkFrom: number;
  #work = AWAITED;
  /** Who waits for the first work. */
  #tell: () => void = () => undefined;
  #probing: Promise<void> | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #changeTimer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#network = options.network ?? '';
    this.#networkFrom = this.#network === '' ? options.urls.length : -1;
    this.#now = options.now ?? (() => performance.now());
    this.#rules = { ...NODE_RULES, ...options.timings };
    this.#nodes = options.urls.map((url) => this.#watch(url));
  }

  get reports(): NodeReport[] {
    const forks = forksOf(
      this.#nodes.map(({ source }) => (givesWork(source.life) ? source.works : [])),
      this.#options.forkEpoch,
    );
    return this.#nodes.map((node, i) => ({
      ...this.#reportOf(node),
      cutHeight: node.sighting?.cutHeight,
      silentMs: node.source.watched.silentMs,
      forks: forks[i] && { ...forks[i], isFor: node.isFor },
    }));
  }

  /**
   * Node -> client, of the nodes that have answered, the healthy ones first.
   *
   * @param whom `all`: also those that are in doubt, for who believes only what is shown.
   */
  clients(whom: 'trusted' | 'all' = 'trusted'): ReadonlyMap<string, NodeClient> {
    for (const { source } of this.#nodes) source.saw({ kind: 'passed' });
    const rank = ({ source }: NodeWatch): number => (source.life.state === 'healthy' ? 0 : 1);
    const asked = this.#nodes.filter(
      (node) => (whom === 'all' || !node.source.life.doubt) && this.#isOfNetwork(node),
    );
    const ranked = asked.toSorted((a, b) => rank(a) - rank(b));
    return new Map(
      ranked.flatMap(({ source }) => (source.client ? [[source.url, source.client] as const] : [])),
    );
  }

  /** What a node of another network says of a block of ours is no word about it. */
  #isOfNetwork({ source }: NodeWatch): boolean {
    return this.#network === '' || source.client?.address.network === this.#network;
  }

  /** Resolves once work lives, each node was asked in vain, or after so long. */
  async firstWork(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
      this.#tell = () => {
        const inVain = this.#lives.every((life) => life.state !== 'starting' && !givesWork(life));
        if (inVain || this.#work.dead === undefined) resolve();
      };
      this.#tell();
    });
    clearTimeout(timer);
  }

  start(): void {
    for (const node of this.#nodes) node.source.start();
    this.#probeLater();
  }

  /** Why nobody should mine on what nodes give, as a sentence without its full stop; `undefined` while work lives. */
  get whyReleased(): string | undefined {
    return this.#work.dead;
  }

  /** How many chains to work on, as far as there are so many. */
  workOn(chains: number): void {
    for (const node of this.#nodes) node.source.workOn(chains);
  }

  /** Whether a rig may begin on this chain: on one that is to be given up it may only go on. */
  handsOut(chainId: number): boolean {
    return !this.#active?.source.isSpare(chainId);
  }

  refresh(chainId?: number): void {
    this.#active?.source.refresh(chainId);
  }

  /** Works on this chain too, in the place of another if need be, or fetches it again. */
  wantChain(chainId: number): void {
    this.#active?.source.wantChain(chainId);
  }

  /** Never rejects. */
  async postSolution(node: string, header: Uint8Array): Promise<SolutionAnswer> {
    const client = this.#nodes.find(({ source }) => source.url === node)?.source.client;
    if (!client) return { outcome: 'unanswered', error: new Error(`no connection to ${node}`) };
    try {
      await client.solved(header);
      return { outcome: 'received' };
    } catch (error) {
      const { status, isFinal, text = '', posts = 1 } = error instanceof NodeError ? error.details : {};
      if (status === undefined || !isFinal) return { outcome: 'unanswered', error: error as Error };
      return { outcome: 'refused', status, text, ...(posts > 1 ? { isRepeated: true } : {}) };
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#probeTimer);
    clearTimeout(this.#changeTimer);
    await Promise.all(this.#nodes.map((node) => node.close()));
    await this.#probing;
  }

  #watch(url: string): NodeWatch {
    const {
      sink,
      timings,
      wallClockMs = Date.now,
      miner,
      connect,
      log,
      random,
      sessionsOn,
      forkEpoch,
      isKnownPublic,
    } = this.#options;
    const node: NodeWatch = new NodeWatch({
      url,
      miner,
      connect,
      log,
      random,
      sessionsOn,
      forkEpoch,
      isKnownPublic,
      rules: this.#rules,
      ...(timings ? { timings } : {}),
      now: this.#now,
      wallClockMs,
      probeTimeoutMs: timings?.probeTimeoutMs ?? PROBE_TIMEOUT_MS,
      sink: {
        offerWork: (work, from, causedAtMs) => {
          if (this.#isHeard(node)) sink.offerWork(work, from, causedAtMs);
        },
        retireWork: (chainId, causedAtMs) => {
          if (this.#isHeard(node)) sink.retireWork(chainId, causedAtMs);
        },
      },
      onStatus: () => this.#changed(node),
    });
    return node;
  }

  /**
   * What a quarantined node gives is not for rigs, also when there is no other to work for; nor the first work of one that
   * has come back as another network, which comes before its quarantine.
   */
  #isHeard(node: NodeWatch): boolean {
    if (node !== this.#active) return false;
    if (isBarred(node.source.life) || !this.#isOfNetwork(node)) this.#missed = true;
    return !this.#missed;
  }

  #changed(node: NodeWatch): void {
    const { life } = node.source;
    if (givesWork(life)) {
      this.#heardOf(node, life.network);
      this.#probe();
    }
    this.#compare(false);
    this.#update();
    this.#tell();
  }

  /** A node that is preferred to the one that decided so far decides anew, once: not who is the first to answer. */
  #heardOf(node: NodeWatch, network: string): void {
    const place = this.#nodes.indexOf(node);
    if (network === '' || place >= this.#networkFrom) return;
    if (this.#network !== '' && network !== this.#network) {
      const fields = { node: node.source.url, from: this.#network, to: network };
      this.#options.log.warn(fields, 'another network: the preferred node is of it');
    }
    this.#network = network;
    this.#networkFrom = place;
  }

  /** Asks all nodes at the same time, so that their answers can be compared. One round at a time. */
  #probe(): void {
    this.#probing ??= Promise.all(this.#nodes.map((node) => node.probe()))
      .then(() => {
        this.#compare(true);
        this.#update();
        this.#lookAtWork();
      })
      .catch((error: unknown) => {
        this.#options.log.error(
          faultOf(error),
          'an unexpected error while comparing nodes; they are compared again',
        );
      })
      .finally(() => {
        this.#probing = undefined;
        this.#probeLater();
      });
  }

  #probeLater(): void {
    clearTimeout(this.#probeTimer);
    if (this.#closed) return;
    const { timings, sessionsOn = () => 0 } = this.#options;
    const isBusy = this.#active?.source.works.some(({ chainId }) => sessionsOn(chainId) > 0);
    const ms = isBusy ? (timings?.busyProbeMs ?? BUSY_PROBE_MS) : (timings?.probeMs ?? PROBE_MS);
    this.#probeTimer = setTimeout(() => this.#probe(), ms);
  }

  #compare(isRound: boolean): void {
    const { limits } = this.#options;
    const sightings = this.#nodes.map((node) => node.sighting);
    const verdicts = standings(sightings, this.#network, { ...STANDING_LIMITS, ...limits });
    for (const [i, { source }] of this.#nodes.entries())
      source.saw({ kind: 'compared', distrust: verdicts[i], isRound });
  }

  #lookAtWork(): void {
    const heard = this.#nodes.filter(({ source }) => givesWork(source.life) && !isBarred(source.life));
    const heights = heard.map(({ sighting }) => sighting?.cutHeight ?? 0);
    const best = heard[heights.indexOf(Math.max(...heights))];
    const look = {
      atMs: this.#now(),
      isGiven: heard.some(({ extendsItsCut }) => extendsItsCut),
      newestBlockAtMs: best?.newestBlockAtMs,
    };
    const { deadAfterMs, timings } = this.#options;
    const aliveAgainMs = timings?.aliveAgainMs ?? ALIVE_AGAIN_MS;
    this.#work = lookedAt(this.#work, look, { deadAfterMs, aliveAgainMs });
    this.#tell();
  }

  get #lives(): NodeLife[] {
    return this.#nodes.map(({ source }) => source.life);
  }

  get #place(): number | undefined {
    return this.#active && this.#nodes.indexOf(this.#active);
  }

  #update(): void {
    if (this.#closed) return;
    const nowMs = this.#now();
    for (const { source } of this.#nodes) source.saw({ kind: 'passed' });
    const chosen = choose(this.#lives, this.#place, nowMs, this.#rules);
    const best = chosen === undefined ? undefined : this.#nodes[chosen];
    const isBack = this.#missed && best?.source.life.state === 'healthy';
    if (best && (best !== this.#active || isBack)) this.#switchTo(best);
    for (const node of this.#nodes) this.#report(node);
    this.#awaitChange(nowMs);
  }

  #switchTo(node: NodeWatch): void {
    const former = this.#active?.source.url;
    const { url, works } = node.source;
    if (node !== this.#active) {
      this.#active?.source.saw({ kind: 'left' });
      node.source.saw({ kind: 'taken' });
    }
    this.#active = node;
    this.#missed = false;
    if (former !== undefined && former !== url)
      this.#options.log.warn({ event: 'switch', from: former, to: url }, 'switched node');
    this.#options.sink.replaceWorks(works, url, this.#now());
  }

  #awaitChange(nowMs: number): void {
    clearTimeout(this.#changeTimer);
    const waitMs = untilChangeMs(this.#lives, this.#place, nowMs, this.#rules);
    if (waitMs !== undefined) this.#changeTimer = setTimeout(() => this.#update(), waitMs + 1);
  }

  #reportOf(node: NodeWatch): NodeReport {
    const { url, works } = node.source;
    return {
      url,
      ...statusOf(node.source.life),
      isActive: node === this.#active,
      chains: works.length,
      requests: node.requests,
    };
  }

  /** Once for each change of state, reason or use; how many chains and requests is for those who ask. */
  #report(node: NodeWatch): void {
    const report = this.#reportOf(node);
    const before = this.#reported.get(node) ?? STARTING;
    const { state, reason, isActive, network } = report;
    const isSame = before.state === state && before.reason === reason && before.network === network;
    if (isSame && before.isActive === isActive) return;
    this.#reported.set(node, report);
    const say = state === 'healthy' ? 'info' : 'warn';
    if (!isSame) this.#options.log[say]({ node: report.url, state, network, reason }, `node ${state}`);
    this.#options.events.emit('node', report);
  }
}

const STARTING: { state: NodeState; reason: string; network: string; isActive: boolean } = {
  state: 'starting',
  reason: 'not asked yet',
  network: '',
  isActive: false,
};
