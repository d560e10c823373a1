/** What each node has as the heads of all its chains: one question a node, however many chains are looked at. */
import type { NodeClient } from '../../node-client/client.js';
import type { NamedNode, NodeClock } from './eyes.js';
import { type Fault, faultIn, type NodeHead } from './reading.js';
import type { BlockPlace } from './sight.js';

/** One node that hangs must not hold up what others say. */
const SILENT_MS = 3_000;

interface NodeCut {
  readonly node: string;
  readonly client: NodeClient | undefined;
  readonly hashes: Readonly<Record<string, BlockPlace>>;
  readonly clock: NodeClock | undefined;
  readonly fault: Fault | undefined;
}

export class Cuts {
  readonly #nodes: readonly NamedNode[];
  readonly #networkId: string;
  readonly #nowMs: () => number;
  readonly #timeoutMs: number;
  /** Did not answer last: they are waited for less, and left out where others answer. */
  readonly #silent = new Set<string>();
  #asking: Promise<readonly NodeCut[]> | undefined;

  constructor(nodes: readonly NamedNode[], networkId: string, nowMs: () => number, timeoutMs: number) {
    this.#nodes = nodes;
    this.#networkId = networkId;
    this.#nowMs = nowMs;
    this.#timeoutMs = timeoutMs;
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

  async clocks(): Promise<readonly NodeClock[]> {
    return (await this.#ask()).flatMap(({ clock }) => clock ?? []);
  }

  /** Those of our network that can be asked: those that answered last, if there are any. */
  get clients(): readonly { readonly node: string; readonly client: NodeClient }[] {
    const all = this.#nodes.flatMap(({ name, client }) => {
      const found = client();
      return found && found.address.network === this.#networkId ? [{ node: name, client: found }] : [];
    });
    const answering = all.filter(({ node }) => !this.#silent.has(node));
    return answering.length > 0 ? answering : all;
  }

  #ask(): Promise<readonly NodeCut[]> {
    this.#asking ??= Promise.all(this.#nodes.map((node) => this.#askOne(node))).finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #askOne({ name: node, client: find }: NamedNode): Promise<NodeCut> {
    const nothing = { node, client: undefined, hashes: {}, clock: undefined };
    const client = find();
    if (!client) return { ...nothing, fault: { standing: 'silent', says: `${node} cannot be connected to` } };
    const { network } = client.address;
    if (network !== this.#networkId) {
      const says = `is of the network ${network}, not of ${this.#networkId}`;
      return { ...nothing, fault: { standing: 'network', says } };
    }
    try {
      const timeoutMs = this.#silent.has(node) ? Math.min(this.#timeoutMs, SILENT_MS) : this.#timeoutMs;
      const { cut, facts } = await client.maintenance.cutWithFacts({ timeoutMs });
      this.#silent.delete(node);
      const clock = facts.clockMs === undefined ? undefined : clockOf(node, facts.clockMs, this.#nowMs());
      return { node, client, hashes: cut.hashes, clock, fault: undefined };
    } catch (error) {
      this.#silent.add(node);
      return { ...nothing, fault: faultIn(error) };
    }
  }
}

function clockOf(node: string, atMs: number, ownMs: number): NodeClock {
  return { node, atMs, ownMs, skewS: Math.round((ownMs - atMs) / 1000) };
}
