/**
 * Several nodes as one source of work: the first in the operator's order that is healthy is worked for, the others
 * stand by with work fetched and streams open. A solution goes to the node that issued its work.
 */
import type { BridgeEvents, NodeReport } from '../bridge/events.js';
import type { SolutionAnswer, SolutionSink, WorkSink, WorkSource } from '../bridge/ports.js';
import type { Log } from '../core/log.js';
import type { Miner, NodeClient } from './client.js';
import { NodeError } from './errors.js';
import { type NodeStatus, NodeWorkSource, type WorkTimings } from './work-source.js';

export interface UpstreamOptions {
  /** In order of preference. */
  readonly urls: readonly string[];
  readonly miner: Miner;
  readonly sink: WorkSink;
  readonly events: BridgeEvents;
  readonly log: Log;
  readonly random: () => number;
  readonly timings?: WorkTimings;
}

export class Upstream implements WorkSource, SolutionSink {
  readonly #options: UpstreamOptions;
  readonly #sources: NodeWorkSource[];
  #active: NodeWorkSource | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#sources = options.urls.map((url) => this.#sourceFor(url));
  }

  get reports(): NodeReport[] {
    return this.#sources.map((source) => ({ url: source.url, ...source.status }));
  }

  /** Node -> client, of the nodes that have answered, the healthy ones first. */
  clients(): ReadonlyMap<string, NodeClient> {
    const ranked = this.#sources.toSorted(
      (a, b) => Number(b.status.state === 'healthy') - Number(a.status.state === 'healthy'),
    );
    return new Map(ranked.flatMap((source) => (source.client ? [[source.url, source.client] as const] : [])));
  }

  start(): void {
    for (const source of this.#sources) source.start();
  }

  refresh(): void {
    this.#active?.refresh();
  }

  wantChain(chainId: number): void {
    this.#active?.wantChain(chainId);
  }

  async postSolution(node: string, header: Uint8Array): Promise<SolutionAnswer> {
    const client = this.#sources.find((source) => source.url === node)?.client;
    if (!client) return { outcome: 'unanswered', error: new Error(`no connection to ${node}`) };
    try {
      await client.solved(header);
      return { outcome: 'received' };
    } catch (error) {
      return answerOf(error);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.close()));
  }

  #sourceFor(url: string): NodeWorkSource {
    const { urls: _, sink: __, events, ...shared } = this.#options;
    const source: NodeWorkSource = new NodeWorkSource({
      ...shared,
      url,
      sink: {
        offerWork: (work, node) => {
          if (source === this.#active) this.#options.sink.offerWork(work, node);
        },
        retireWork: (chainId) => {
          if (source === this.#active) this.#options.sink.retireWork(chainId);
        },
      },
      onStatus: (status) => this.#statusChanged(url, status, events),
    });
    return source;
  }

  #statusChanged(url: string, status: NodeStatus, events: BridgeEvents): void {
    const say = status.state === 'healthy' ? 'info' : 'warn';
    this.#options.log[say]({ node: url, ...status }, `node ${status.state}`);
    events.emit('node', { url, ...status });
    this.#choose();
  }

  /** While none is healthy, the last one stays: its jobs may still be good, and rigs keep working. */
  #choose(): void {
    const best = this.#sources.find((source) => source.status.state === 'healthy');
    if (!best || best === this.#active) return;
    const former = this.#active;
    this.#active = best;
    if (former?.current) this.#options.sink.retireWork(former.current.chainId);
    if (best.current) this.#options.sink.offerWork(best.current, best.url);
  }
}

/** 4xx is the node's final no, but for those that only say "not now". */
function answerOf(error: unknown): SolutionAnswer {
  const status = error instanceof NodeError ? error.details.status : undefined;
  const isFinal = status !== undefined && status >= 400 && status < 500 && ![408, 425, 429].includes(status);
  if (isFinal) return { outcome: 'refused', status, text: (error as NodeError).details.text ?? '' };
  return { outcome: 'unanswered', error: error as Error };
}
