/** Three development nodes as processes, peers of each other, on one clock; before each a liar, and a tap before that. */
import { join } from 'node:path';
import { ask } from '../../devnode/helpers.js';
import { EASY_FLAGS } from '../../devnode/process.js';
import { type Liar, openLiar } from '../../helpers/payouts/liar.js';
import { NETWORK } from '../../helpers/payouts/world.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import type { SystemClock } from '../../helpers/processes/system-clock.js';
import { openTap, type Tap } from '../../helpers/stories/tap.js';
import { until } from '../../helpers/until.js';

export const CHAINS = [0, 1, 2] as const;
/** More than the clocks of two that are asked one after the other may differ by is told as a fault: it goes by steps. */
const STEP_S = 30;

export interface DayNode {
  readonly name: string;
  /** Its own, with the path: for who looks from outside. */
  readonly url: string;
  readonly controlUrl: string;
  readonly liar: Liar;
  readonly tap: Tap;
  readonly start: () => Program;
  program: Program;
}

/** The clock of everybody: it is as the machine's, and put ahead. */
export class DayClock {
  readonly #clock: SystemClock;
  #aheadS = 0;

  constructor(clock: SystemClock) {
    this.#clock = clock;
  }

  get env(): Record<string, string> {
    return this.#clock.env;
  }

  async advance(seconds: number): Promise<void> {
    this.#aheadS += seconds;
    await this.#clock.set(this.#aheadS);
  }
}

export class DayNodes {
  readonly nodes: readonly DayNode[];
  readonly #clock: DayClock;

  private constructor(nodes: readonly DayNode[], clock: DayClock) {
    this.nodes = nodes;
    this.#clock = clock;
  }

  /** @param account that has coins on each chain, and is credited for blocks. */
  static async start(
    clock: DayClock,
    folder: string,
    { account, coins }: { account: string; coins: number },
  ): Promise<DayNodes> {
    const ports = await freePorts(6);
    const names = ['a', 'b', 'c'] as const;
    const rooted = names.map((_, i) => `http://127.0.0.1:${ports[i]}`);
    const nodes = await Promise.all(
      names.map(async (name, i): Promise<DayNode> => {
        const url = `${rooted[i]}/chainweb/0.0/${NETWORK}`;
        const control = `127.0.0.1:${ports[i + names.length]}`;
        const peers = rooted.filter((_, other) => other !== i).flatMap((peer) => ['--peers', peer]);
        // The last one has all of its blocks from the others again when it was killed.
        const disk = name === 'c' ? [] : ['--data-dir', join(folder, `node-${name}`)];
        const flags = [
          '--listen',
          `127.0.0.1:${ports[i]}`,
          '--control',
          control,
          '--accounts',
          `${account}=${coins}`,
        ];
        const args = ['node', '--mining', ...EASY_FLAGS, '--graph', 'triangle', ...flags, ...peers, ...disk];
        const start = (): Program => startProgram(args, clock.env);
        const program = start();
        await program.ready();
        const liar = await openLiar({ url });
        const tap = await openTap(Number(new URL(liar.url).port));
        return { name, url, controlUrl: `http://${control}`, liar, tap, start, program };
      }),
    );
    return new DayNodes(nodes, clock);
  }

  at(i: number): DayNode {
    const node = this.nodes[i % this.nodes.length];
    if (!node) throw new RangeError(`there is no node ${i}`);
    return node;
  }

  async killAndStart(node: DayNode): Promise<void> {
    node.program.kill('SIGKILL');
    await node.program.ended;
    node.program = node.start();
    await node.program.ready();
  }

  /** A block on each chain, and before it so much time. */
  async mine(on: DayNode, everyS: number): Promise<void> {
    await this.pass(everyS);
    await order(on, 'POST', 'mine', { chains: CHAINS });
  }

  async pass(seconds: number): Promise<void> {
    for (let left = seconds; left > 0; left -= STEP_S) {
      await this.#clock.advance(Math.min(left, STEP_S));
      // Who was asked before the step has answered.
      await Promise.all(this.nodes.map(({ url }) => ask(`${url}/cut`)));
    }
  }

  /** From all others, and nobody sees it. */
  async partFrom(node: DayNode): Promise<void> {
    await order(node, 'PUT', 'links', { connected: false });
    const { origin } = new URL(node.url);
    for (const other of this.nodes)
      if (other !== node) await order(other, 'PUT', 'links', { url: origin, connected: false });
  }

  async join(): Promise<void> {
    for (const node of this.nodes) await order(node, 'PUT', 'links', { connected: true });
    await this.agree();
  }

  async agree(nodes: readonly DayNode[] = this.nodes): Promise<void> {
    await until('nodes have one cut', async () => {
      const heads = await Promise.all(nodes.map(async (node) => JSON.stringify(await headsOf(node))));
      return new Set(heads).size === 1;
    });
  }

  beHonest(): void {
    for (const { liar, tap } of this.nodes) {
      liar.beHonest();
      tap.heal();
    }
  }

  async close(): Promise<void> {
    for (const { liar, tap } of this.nodes) {
      await tap[Symbol.asyncDispose]();
      await liar[Symbol.asyncDispose]();
    }
    await Promise.all(this.nodes.map(({ program }) => program[Symbol.asyncDispose]()));
  }
}

export type Heads = Readonly<Record<string, { readonly height: number; readonly hash: string }>>;

export async function headsOf({ url }: DayNode): Promise<Heads> {
  return (await ask(`${url}/cut`)).json<{ hashes: Heads }>().hashes;
}

export async function heightOf(node: DayNode): Promise<number> {
  return Math.min(...Object.values(await headsOf(node)).map(({ height }) => height));
}

async function order(node: DayNode, method: 'POST' | 'PUT', path: string, json: object): Promise<void> {
  const { status, text } = await ask(`${node.controlUrl}/${path}`, { method, json });
  if (status !== 200) throw new Error(`node ${node.name} does not follow the order ${path}: ${text}`);
}
