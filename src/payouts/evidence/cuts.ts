/** What each node has as the heads of all its chains: one question a node, however many chains are looked at. */
import type { CallPolicy, NodeClient } from '../../node-client/client.js';
import type { NamedNode } from './eyes.js';
import { type Fault, faultIn, type NodeHead } from './reading.js';
import type { BlockPlace } from './sight.js';

interface NodeCut {
  readonly node: string;
  readonly client: NodeClient | undefined;
  readonly hashes: Readonly<Record<string, BlockPlace>>;
  /** Seconds by which our clock is ahead of the node's. */
  readonly skewS: number | undefined;
  readonly fault: Fault | undefined;
}

export class Cuts {
  readonly #nodes: readonly NamedNode[];
  readonly #networkId: string;
  readonly #nowMs: () => number;
  readonly #policy: CallPolicy;
  #asking: Promise<readonly NodeCut[]> | undefined;

  constructor(nodes: readonly NamedNode[], networkId: string, nowMs: () => number, policy: CallPolicy) {
    this.#nodes = nodes;
    this.#networkId = networkId;
    this.#nowMs = nowMs;
    this.#policy = policy;
  }

  /** Whoever asks while a question is under way gets its answer. */
  async heads(chainId: number): Promise<readonly NodeHead[]> {
    return (await this.#ask()).map(({ node, client, hashes, fault }) => {
      const head = hashes[chainId];
      const isWithout = !head && !fault;
      const missing: Fault = { standing: 'silent', says: `${node} has no chain ${chainId}` };
      return { node, client, head, fault: isWithout ? missing : fault };
    });
  }

  /** The median; `undefined` where no node tells its time. */
  async skewS(): Promise<number | undefined> {
    const told = (await this.#ask()).flatMap(({ skewS }) => skewS ?? []).sort((a, b) => a - b);
    return told[Math.floor(told.length / 2)];
  }

  /** Those that can be asked, and are of our network. */
  get clients(): { readonly node: string; readonly client: NodeClient }[] {
    return this.#nodes.flatMap(({ name, client }) => {
      const found = client();
      return found && found.address.network === this.#networkId ? [{ node: name, client: found }] : [];
    });
  }

  #ask(): Promise<readonly NodeCut[]> {
    this.#asking ??= Promise.all(this.#nodes.map((node) => this.#askOne(node))).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #askOne({ name: node, client: find }: NamedNode): Promise<NodeCut> {
    const nothing = { node, client: undefined, hashes: {}, skewS: undefined };
    const client = find();
    if (!client) return { ...nothing, fault: { standing: 'silent', says: `${node} cannot be connected to` } };
    const { network } = client.address;
    if (network !== this.#networkId) {
      const says = `is of the network ${network}, not of ${this.#networkId}`;
      return { ...nothing, fault: { standing: 'network', says } };
    }
    try {
      const { cut, facts } = await client.maintenance.cutWithFacts(this.#policy);
      const { clockMs } = facts;
      const skewS = clockMs === undefined ? undefined : Math.round((this.#nowMs() - clockMs) / 1000);
      return { node, client, hashes: cut.hashes, skewS, fault: undefined };
    } catch (error) {
      return { ...nothing, fault: faultIn(error) };
    }
  }
}
