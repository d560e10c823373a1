/**
 * Development nodes with one clock, a liar before each, and a payer that looks at them. Blocks are made on order, each with real
 * proof of work.
 */

import type { NodeClock } from '../../../src/devnode/clock.js';
import type { InitialBalance } from '../../../src/devnode/coin/accounts.js';
import type { Miner } from '../../../src/devnode/mining/payload.js';
import { type DevNode, type DevNodeOptions, startDevNode } from '../../../src/devnode/server.js';
import { NodeClient } from '../../../src/node-client/client.js';
import type { Eyes, EyesOptions } from '../../../src/payouts/evidence/eyes.js';
import { openEyes } from '../../../src/payouts/evidence/open-eyes.js';
import { type CommandParts, type Envelope, funds, pactApi, transfer } from '../processes/commands.js';
import { type KeyPair, keyPair } from '../processes/key-pair.js';
import { freePorts } from '../processes/ports.js';
import { until } from '../until.js';
import { type Liar, openLiar } from './liar.js';

export const NETWORK = 'development';
export const PAYER = keyPair(1);
export const MINER = keyPair(2);
const START_S = 1_790_000_000;
/** Blocks that take a few hashes and stay that easy. */
const EASY = { genesisDifficulty: 4, blockDelayMs: 0.001, peerPollMs: 50, payloadRefreshMs: 1 } as const;

/** Of the whole world: it moves on when it is read, and when it is told to. */
export class WorldClock implements NodeClock {
  #micros = BigInt(START_S) * 1_000_000n;

  nowMicros(): bigint {
    this.#micros += 1n;
    return this.#micros;
  }

  get nowS(): number {
    return Number(this.#micros / 1_000_000n);
  }

  advance(seconds: number): void {
    this.#micros += BigInt(Math.round(seconds * 1_000_000));
  }
}

export interface WorldNode {
  readonly name: string;
  readonly node: DevNode;
  readonly liar: Liar;
  readonly url: string;
}

export interface WorldOptions {
  readonly nodes?: number;
  readonly options?: DevNodeOptions;
  readonly funds?: readonly InitialBalance[];
  /** Who is credited for blocks of the nodes, in their order. */
  readonly miners?: readonly KeyPair[];
}

export class World implements AsyncDisposable {
  readonly clock = new WorldClock();
  /** What the payer's own clock is wrong by. */
  skewS = 0;
  readonly nodes: WorldNode[] = [];
  readonly #clients = new Map<string, NodeClient>();

  static async start({ nodes = 1, options = {}, miners = [], ...rest }: WorldOptions = {}): Promise<World> {
    const world = new World();
    const ports = await freePorts(nodes);
    const urls = ports.map((port) => `http://127.0.0.1:${port}/chainweb/0.0/${NETWORK}`);
    try {
      for (const [i, port] of ports.entries())
        await world.#startNode(i, {
          listen: { host: '127.0.0.1', port },
          peers: urls.filter((_, other) => other !== i),
          initialBalances: rest.funds ?? [funds(PAYER, '1000')],
          miners: [minerOf(miners[i] ?? MINER)],
          ...options,
        });
    } catch (error) {
      await world[Symbol.asyncDispose]();
      throw error;
    }
    return world;
  }

  async #startNode(i: number, options: DevNodeOptions): Promise<void> {
    const { clock } = this;
    const node = await startDevNode({ ...EASY, graph: 'triangle', control: ANY_PORT, clock, ...options });
    const liar = await openLiar(node);
    const name = String.fromCharCode('a'.charCodeAt(0) + i);
    this.nodes[i] = { name, node, liar, url: node.url };
  }

  /** The same node as it is after a restart: everything that it kept in memory is gone. */
  async restart(i: number, options: DevNodeOptions): Promise<void> {
    const { node, liar } = this.at(i);
    const { port } = node.address;
    await liar[Symbol.asyncDispose]();
    await node.close();
    await this.#startNode(i, { listen: { host: '127.0.0.1', port }, ...options });
    await this.#clients.get(this.at(i).name)?.close();
    this.#clients.delete(this.at(i).name);
    await this.#connect(i);
  }

  at(i: number): WorldNode {
    const node = this.nodes[i];
    if (!node) throw new RangeError(`there is no node ${i}`);
    return node;
  }

  get a(): WorldNode {
    return this.at(0);
  }

  get b(): WorldNode {
    return this.at(1);
  }

  get c(): WorldNode {
    return this.at(2);
  }

  async #connect(i: number): Promise<void> {
    const { name, liar } = this.at(i);
    this.#clients.set(name, await NodeClient.connect(liar.url, 5_000, { verify: { proofOfWork: true } }));
  }

  /** A payer that looks through the liars; without any memory of its own. */
  async eyes(options: Partial<EyesOptions> = {}): Promise<Eyes> {
    for (const i of this.nodes.keys()) if (!this.#clients.has(this.at(i).name)) await this.#connect(i);
    const nodes = this.nodes.map(({ name }) => ({ name, client: () => this.#clients.get(name) }));
    const nowMs = (): number => (this.clock.nowS + this.skewS) * 1000;
    return openEyes({ nodes, account: PAYER.account, networkId: NETWORK, depth: 3, nowMs, ...options });
  }

  /** Blocks one after the other on a node, on chain 0 unless told otherwise, so many seconds apart. */
  async mine(
    count: number,
    {
      on = this.a,
      everyS = 30,
      chains = [0],
    }: { on?: WorldNode; everyS?: number; chains?: readonly number[] } = {},
  ): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.clock.advance(everyS);
      await on.node.orders.mine({ chains, withNeighbours: true });
    }
  }

  part(): void {
    for (const { node } of this.nodes) node.setPeerConnected(false);
  }

  /** All links are whole again, and all nodes have one chain. */
  async join(): Promise<void> {
    for (const { node } of this.nodes) node.setPeerConnected(true);
    await this.agree();
  }

  async agree(): Promise<void> {
    const cuts = (): Set<string> => new Set(this.nodes.map(({ node }) => JSON.stringify(node.cut().hashes)));
    await until('all nodes have one cut', () => cuts().size === 1);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(Array.from(this.#clients.values(), (client) => client.close()));
    await Promise.all(this.nodes.map(({ liar }) => liar[Symbol.asyncDispose]()));
    await Promise.all(this.nodes.map(({ node }) => node.close()));
  }
}

const ANY_PORT = { host: '127.0.0.1', port: 0 };

export function minerOf({ account, key }: KeyPair): Miner {
  return { account, predicate: 'keys-all', 'public-keys': [key] };
}

export interface Paid {
  readonly from?: KeyPair;
  readonly to?: KeyPair;
  readonly amount?: string;
  readonly chainId?: number;
  readonly creationTimeS: number;
  readonly ttlS?: number;
  readonly gasLimit?: number;
  readonly gasPrice?: number;
  readonly nonce?: string;
}

/** A signed command that pays one line. */
export function payment(paid: Paid): Envelope {
  const { from = PAYER, to = keyPair(9), amount = '1.5', chainId = 0, ttlS = 900, gasLimit = 1500 } = paid;
  const more: Partial<CommandParts> = {
    chainId,
    nonce: paid.nonce ?? 'sb1:test:1:1',
    meta: { creationTime: paid.creationTimeS, ttl: ttlS, gasLimit, gasPrice: paid.gasPrice ?? 1e-8 },
  };
  return transfer(from, to, amount, more);
}

/** Coins of an account as a node says, on chain 0; `undefined` where it is not there. */
export function balanceOf({ url }: WorldNode, { account }: KeyPair): Promise<string | undefined> {
  return pactApi({ url }).balance(account);
}
