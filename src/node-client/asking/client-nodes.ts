/**
 * The nodes behind one client, in order of preference: the next is asked where one fails, and the better one again once it is well.
 */
import { NodeError } from '../../chain/errors.js';
import { SolutionLane } from '../lines/solution-lane.js';
import type { WarmLineParts } from '../lines/warm-line.js';
import { WarmLines } from '../lines/warm-lines.js';
import { credentialsIn, locateNode, type NodeAddress } from './address.js';
import { type HttpOptions, NodeHttp } from './http.js';

/** One to ask over, and one to ask over again where the first does not answer. Who needs more at once has the pool. */
const WORK_LINES = 2;

interface ClientNodeOptions extends HttpOptions {
  /** In [0, 1): spreads pauses. */
  readonly random?: () => number;
}

/** One node. */
export class ClientNode {
  readonly http: NodeHttp;
  /** As it was given, credentials included. */
  readonly url: string;
  readonly #random: () => number;
  #address: NodeAddress | undefined;
  #lane: SolutionLane | undefined;
  #workLines: WarmLines | undefined;

  /** @param address where it is known already. */
  constructor(url: string, options: ClientNodeOptions, address?: NodeAddress) {
    const { tls, dispatcher, random = Math.random } = options;
    const carried = { ...(tls ? { tls } : {}), ...(dispatcher ? { dispatcher } : {}) };
    this.url = url;
    this.http = new NodeHttp({ headers: { ...credentialsIn(url), ...options.headers }, ...carried });
    this.#random = random;
    this.#address = address;
  }

  /** Once it was found. */
  get address(): NodeAddress {
    if (this.#address) return this.#address;
    const url = new URL(this.url).origin;
    throw new NodeError('unreachable', `${url} was not found yet`, { url });
  }

  get isFound(): boolean {
    return this.#address !== undefined;
  }

  /** Of all paths. */
  get base(): string {
    return this.address.baseUrl;
  }

  /** Scheme, host and port. */
  get root(): string {
    return new URL(this.base).origin;
  }

  /** The way of solutions to it. */
  get lane(): SolutionLane {
    this.#lane ??= new SolutionLane(this.#parts);
    return this.#lane;
  }

  /** Connections over which work is asked for at once. */
  get workLines(): WarmLines {
    this.#workLines ??= new WarmLines(this.#parts, WORK_LINES);
    return this.#workLines;
  }

  get #parts(): WarmLineParts {
    return { http: this.http, keepOpenUrl: this.#cheapUrl, random: this.#random };
  }

  /** On the node's own port, and asked for to see whether it is there. */
  get #cheapUrl(): string {
    return this.address.infoUrl ?? `${this.root}/health-check`;
  }

  /** Throws {@link NodeError} when it does not answer. */
  async isWell(timeoutMs: number): Promise<boolean> {
    return (await this.http.ask({ method: 'GET', url: this.#cheapUrl, timeoutMs })).status < 500;
  }

  /** Later requests go over new connections; those under way keep theirs. */
  renew(): void {
    this.http.renewPool();
    this.#workLines?.renew();
  }

  /** @param network that it has to be of, where that is known. */
  async find(timeoutMs: number, network?: string): Promise<NodeAddress> {
    if (this.#address) return this.#address;
    const found = await locateNode(this.http, this.url, timeoutMs);
    if (network !== undefined && found.network !== network) {
      const message = `${found.baseUrl} is of the network ${found.network}, not of ${network}`;
      const advice = 'nodes of one client are of one network, the one that is expected: take it out';
      throw new NodeError('not-a-node', message, { url: found.baseUrl, advice });
    }
    this.#address = found;
    return found;
  }

  async close(): Promise<void> {
    this.#lane?.close();
    this.#workLines?.close();
    await this.http.close();
  }
}

/** A node that fell is looked at so soon, and after twice as long each time it falls again. */
const [FIRST_REST_MS, LONGEST_REST_MS] = [1_000, 60_000];

interface Fall {
  readonly restMs: number;
  readonly untilMs: number;
}

interface ClientNodesParts {
  /** Of each question that it takes to find a node. */
  readonly timeoutMs: number;
  /** In [0, 1); spreads the looks at a node of those who left it together. */
  readonly random: () => number;
  /** That the nodes have to be of; by default that of the first one found. */
  readonly network?: string | undefined;
  /** Rising. */
  readonly nowMs: () => number;
}

export class ClientNodes {
  readonly all: readonly ClientNode[];
  readonly #parts: ClientNodesParts;
  #index = 0;
  #network: string | undefined;
  /** Those that fell, each until long after it is well again. */
  readonly #fallen = new Map<ClientNode, Fall>();
  #looking: Promise<void> | undefined;

  /** @param nodes one at least. */
  constructor(nodes: readonly ClientNode[], parts: ClientNodesParts) {
    this.all = nodes;
    this.#parts = parts;
    this.#network = parts.network;
  }

  /** The one that is asked first. */
  get current(): ClientNode {
    const node = this.all[this.#index];
    if (!node) throw new RangeError('a client needs one node at least');
    return node;
  }

  /** The same, where it was found; else the first that was. */
  get found(): ClientNode {
    const { all, current } = this;
    return current.isFound ? current : (all.find(({ isFound }) => isFound) ?? current);
  }

  /** Finds one of them. Throws what the first one fails with when none can be found. */
  async connect(): Promise<void> {
    const failures: unknown[] = [];
    for (const node of this.inTurn()) {
      try {
        await this.find(node);
        this.answered(node);
        return;
      } catch (error) {
        this.failed(node);
        failures.push(error);
      }
    }
    throw failures[0];
  }

  /** Whom to ask, one after the other until there is an answer. */
  inTurn(): readonly ClientNode[] {
    const { all, current } = this;
    if (all.length === 1) return [current];
    this.#lookBack();
    return [current, ...all.filter((node) => node !== current)];
  }

  /** Throws {@link NodeError}. */
  async find(node: ClientNode): Promise<void> {
    const { network } = await node.find(this.#parts.timeoutMs, this.#network);
    this.#network ??= network;
  }

  answered(node: ClientNode): void {
    this.#index = this.all.indexOf(node);
  }

  /** The next call begins with another one. */
  failed(node: ClientNode): void {
    if (node === this.current) this.#index = (this.#index + 1) % this.all.length;
    const nowMs = this.#parts.nowMs();
    const before = this.#fallen.get(node);
    if (before && nowMs < before.untilMs) return;
    // Long after the last time it counts as the first.
    const isAgain = before && nowMs - before.untilMs < LONGEST_REST_MS;
    const restMs = isAgain ? Math.min(LONGEST_REST_MS, 2 * before.restMs) : FIRST_REST_MS;
    this.#fallen.set(node, { restMs, untilMs: nowMs + restMs * (0.5 + 0.5 * this.#parts.random()) });
  }

  /** Once the look at a better node is over that is under way. */
  async looked(): Promise<void> {
    await this.#looking;
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((node) => node.close()));
    await this.looked();
  }

  /** Beside what is asked: nobody waits for a node that may still be away. One look at a time. */
  #lookBack(): void {
    const better = this.all.slice(0, this.#index);
    const nowMs = this.#parts.nowMs();
    const due = better.find((node) => (this.#fallen.get(node)?.untilMs ?? 0) <= nowMs);
    if (!due || this.#looking) return;
    this.#looking = this.#look(due).finally(() => {
      this.#looking = undefined;
    });
  }

  /** Whatever it fails with, it is away for us. */
  async #look(node: ClientNode): Promise<void> {
    try {
      await this.find(node);
      if (await node.isWell(this.#parts.timeoutMs))
        this.#index = Math.min(this.#index, this.all.indexOf(node));
      else this.failed(node);
    } catch {
      this.failed(node);
    }
  }
}
