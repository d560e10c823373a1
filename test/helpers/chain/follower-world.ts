/**
 * One chain as nodes have it, and a ledger in memory that follows it, step by step at random: forks, nodes that lie, hide, lag, disagree
 * and lose old payloads; kills between reading and taking over, and in the middle of it; dumps that are restored. After each step it is
 * checked what was taken over, and at the end that nothing is missing.
 */
import type { PayloadWithOutputs } from '../../../src/chain/models.js';
import { ForgedError } from '../../../src/chain/verify.js';
import type { FollowedNode } from '../../../src/node-client/following/asked-node.js';
import { ChainFollower } from '../../../src/node-client/following/chain-follower.js';
import type { Link } from '../../../src/node-client/following/links.js';
import type { PassedBlock } from '../../../src/node-client/following/payloads.js';
import { Random } from '../fuzz/random.js';

interface WorldOptions {
  readonly depth: number;
  /** Nodes that must have a block. */
  readonly needed: number;
  readonly nodes: number;
}

interface Node {
  head: string;
  readonly knows: Set<string>;
  readonly lost: Set<string>;
  isHidden: boolean;
  /**
   * What it shows: `other`: another block than was asked for; `forged`: what its client finds out; `branch`: one of its own, that took its
   * work, beside all others; the rest: such a branch in which a block has what it must not have.
   */
  lies: undefined | 'other' | 'forged' | 'branch' | 'weight' | 'time' | 'work';
}

const MAIN = 'pub';

/** Follows until the end of a story. Throws where something is wrong. */
class FollowerWorld {
  readonly #options: WorldOptions;
  readonly #chance: Random;
  readonly #links = new Map<string, Link>();
  readonly #nodes: Node[];
  /** Blocks that nobody may believe, and those on top of them. */
  readonly #wrong = new Set<string>();
  #best: string;
  #made = 0;
  #follower: ChainFollower;
  /** What the ledger keeps: blocks that were taken over, in order, the first being where it began. */
  #taken: readonly string[] = [];
  readonly #dumps: (readonly string[])[] = [];
  counts = { taken: 0, undone: 0, restored: 0, lies: 0, waited: 0 };

  constructor(seed: number, options: WorldOptions) {
    this.#options = options;
    this.#chance = new Random(seed);
    this.#best = this.#make(undefined);
    for (let i = 0; i < options.depth + 2; i++) this.#best = this.#make(this.#best);
    this.#nodes = Array.from({ length: options.nodes }, () => ({
      head: this.#best,
      knows: new Set(this.#links.keys()),
      lost: new Set<string>(),
      isHidden: false,
      lies: undefined,
    }));
    this.#follower = this.#started();
  }

  async run(steps: number): Promise<void> {
    for (let i = 0; i < steps; i++) await this.#step();
    await this.#settle();
  }

  #random(below: number): number {
    return this.#chance.below(below);
  }

  /** Another process: it remembers nothing. */
  #started(): ChainFollower {
    const { depth, needed } = this.#options;
    return new ChainFollower({ depth, needed, isWorked: true });
  }

  #make(parent: string | undefined): string {
    const below = parent === undefined ? undefined : this.#link(parent);
    const hash = `${MAIN}${this.#made++}`;
    const height = below ? below.height + 1 : 0;
    this.#links.set(hash, {
      ...{ hash, parent: below?.hash ?? 'none', height, work: 10n, weight: (below?.weight ?? 0n) + 10n },
      timeMicros: BigInt(this.#made) * 30_000_000n,
      ...{ epochStartMicros: 0n, payloadHash: `payload of ${hash}`, header: new Uint8Array() },
    });
    return hash;
  }

  #link(hash: string): Link {
    const link = this.#links.get(hash);
    if (!link) throw new Error(`there is no block ${hash}`);
    return link;
  }

  /** Ascending. */
  #path(hash: string): Link[] {
    const path: Link[] = [];
    for (let link = this.#links.get(hash); link; link = this.#links.get(link.parent))
      path[link.height] = link;
    return path;
  }

  async #step(): Promise<void> {
    const random = (below: number) => this.#random(below);
    const node = this.#nodes[random(this.#nodes.length)] as Node;
    const other = this.#nodes[random(this.#nodes.length)] as Node;
    const step = random(100);
    if (step < 30) this.#mine(node);
    else if (step < 46) this.#see(node, other);
    else if (step < 50) node.isHidden = !node.isHidden;
    else if (step < 54) node.lies = this.#lie(node);
    else if (step < 56) this.#lose(node);
    else if (step < 57) node.lost.clear();
    else if (step < 84) await this.#follow();
    else if (step < 88) this.#follower = this.#started();
    else if (step < 92) this.#undo(node);
    else if (step < 96) this.#dump();
    else this.#restore();
  }

  /** Fewer nodes than are needed have a branch of their own; where one is enough, none that is believed for what it shows. */
  #lie(node: Node): Node['lies'] {
    const lie = LIES[this.#random(LIES.length)];
    if (!isOwnBranch(lie)) return lie;
    const { needed } = this.#options;
    const others = this.#nodes.filter((each) => each !== node && isOwnBranch(each.lies)).length;
    if (needed === 1) return lie === 'branch' || this.#taken.length === 0 ? undefined : lie;
    return others + 1 < needed ? lie : undefined;
  }

  /** Payloads of long ago. */
  #lose(node: Node): void {
    for (const hash of [...node.knows].slice(0, -3)) if (this.#random(3) === 0) node.lost.add(hash);
  }

  #mine(node: Node): void {
    const hash = this.#make(node.head);
    node.head = hash;
    node.knows.add(hash);
    if (this.#link(hash).weight > this.#link(this.#best).weight) this.#best = hash;
  }

  #see(node: Node, other: Node): void {
    for (const hash of other.knows) node.knows.add(hash);
    if (this.#link(other.head).weight > this.#link(node.head).weight) node.head = other.head;
  }

  /** One look, and what is taken over of it: all, a part that a kill leaves, or nothing. */
  async #follow(): Promise<string | undefined> {
    const last = this.#taken.at(-1);
    const sides = this.#sides();
    if (last === undefined) {
      const heights = this.#nodes.map(({ head }) => this.#link(head).height - this.#options.depth);
      const found = await this.#follower.blockAt(Math.max(0, Math.min(...heights)), sides);
      if (typeof found === 'string') return found;
      this.#taken = [found.hash];
      return undefined;
    }
    const look = await this.#follower.look(this.#link(last), sides, 1 + this.#random(6));
    if (look.blocks.length === 0) this.counts.waited++;
    const taken =
      this.#random(4) === 0 ? look.blocks.slice(0, this.#random(look.blocks.length + 1)) : look.blocks;
    for (const block of taken) this.#take(block);
    return look.trouble;
  }

  #take({ hash, parent, payload, ...block }: PassedBlock): void {
    const { depth, needed } = this.#options;
    if (parent !== this.#taken.at(-1)) throw new Error(`block ${hash} does not stand on the cursor`);
    if (this.#wrong.has(hash)) throw new Error(`block ${hash} is believed, and is wrong`);
    if (this.#taken.includes(hash)) throw new Error(`block ${hash} is taken over twice`);
    const true_ = this.#link(hash);
    if (true_.height !== block.height || true_.weight !== block.weight)
      throw new Error(`block ${hash} is not as it is`);
    if (payload?.payloadHash !== true_.payloadHash)
      throw new Error(`block ${hash} came with another payload`);
    const having = this.#nodes.filter(({ head, lies, isHidden }) => {
      const path = this.#path(head);
      return (
        !isHidden &&
        lies === undefined &&
        path[block.height]?.hash === hash &&
        path.length - 1 - block.height >= depth
      );
    }).length;
    // One that lies of other blocks may tell the truth of this one.
    const liars = this.#nodes.filter(({ lies }) => lies !== undefined).length;
    if (having + liars < needed)
      throw new Error(`block ${hash} is taken over by the word of ${having} nodes`);
    this.#taken = [...this.#taken, hash];
    this.counts.taken++;
  }

  /** By order of a person: what this node's chain does not have is taken back. */
  #undo({ head }: Node): void {
    const path = this.#path(head);
    let kept = this.#taken.length - 1;
    while (kept >= 0 && !this.#isOn(path, this.#taken[kept])) kept--;
    const isLonger = path.length > Math.max(0, ...this.#taken.map((hash) => this.#link(hash).height + 1));
    if (kept === this.#taken.length - 1 || !isLonger) return;
    // Where it was begun on what has left the chain since, it is begun anew.
    this.#taken = this.#taken.slice(0, kept + 1);
    this.counts.undone++;
  }

  #isOn(path: readonly Link[], hash = ''): boolean {
    return path[this.#link(hash).height]?.hash === hash;
  }

  #dump(): void {
    if (this.#taken.length > 0) this.#dumps.push(this.#taken);
  }

  #restore(): void {
    const dump = this.#dumps[this.#random(Math.max(1, this.#dumps.length))];
    if (!dump) return;
    this.#taken = dump;
    this.counts.restored++;
  }

  #sides(): FollowedNode[] {
    return this.#nodes
      .map((node, i) => this.#sideOf(node, `node ${i}`))
      .filter((_, i) => !this.#nodes[i]?.isHidden);
  }

  #sideOf(node: Node, name: string): FollowedNode {
    const { head, lies } = node;
    const told = isOwnBranch(lies) ? this.#madeUp(head, lies) : head;
    return {
      node: name,
      head: { height: this.#links.get(told)?.height ?? 0, hash: told },
      branch: async (upper, { minHeight, maxHeight = Number.POSITIVE_INFINITY, limit }) => {
        if (this.#random(12) === 0) throw new ForgedError('does not answer');
        if (lies !== undefined) this.counts.lies++;
        if (lies === 'forged') throw new ForgedError('gives a forged answer');
        const links = this.#path(upper)
          .slice(minHeight)
          .filter(({ height }) => height <= maxHeight)
          .reverse();
        const first = lies === 'other' ? 1 : 0;
        return links.slice(first, first + Math.min(limit, 1 + this.#random(5)));
      },
      genesis: async () => this.#link(`${MAIN}0`),
      payloads: async (links) => {
        if (this.#random(12) === 0) throw new ForgedError('does not answer');
        return links
          .filter(({ payloadHash }) => !node.lost.has(payloadHash.slice('payload of '.length)))
          .map(({ payloadHash }) => ({ payloadHash }) as PayloadWithOutputs);
      },
    };
  }

  /** A branch beside all others, that begins at most twice the depth below the head. */
  #madeUp(head: string, lies: Node['lies']): string {
    const path = this.#path(head);
    const back = 2 + this.#random(2 * this.#options.depth);
    let at = path[Math.max(0, path.length - back)]?.hash ?? head;
    for (let i = 0; i <= 2 * this.#options.depth; i++) {
      at = this.#make(at);
      const link = this.#link(at);
      const wrong = { weight: { weight: link.weight + 5n }, time: { timeMicros: 0n }, work: { work: 1n } };
      if (i === 1 && (lies === 'weight' || lies === 'time' || lies === 'work'))
        this.#links.set(at, { ...link, ...wrong[lies] });
      if (i > 0 && lies !== 'branch') this.#wrong.add(at);
    }
    return at;
  }

  /** All is well again, and the chain goes on: then the ledger comes to where it has to be. */
  async #settle(): Promise<void> {
    const { depth } = this.#options;
    for (const node of this.#nodes) Object.assign(node, { isHidden: false, lies: undefined });
    for (const node of this.#nodes) node.lost.clear();
    const [first] = this.#nodes as [Node];
    first.head = this.#best;
    for (let i = 0; i <= 2 * depth; i++) this.#mine(first);
    for (const node of this.#nodes) {
      node.head = first.head;
      for (const hash of this.#links.keys()) node.knows.add(hash);
    }
    const path = this.#path(first.head);
    let trouble: string | undefined;
    for (let i = 0; i < 400; i++) {
      const last = this.#taken.at(-1);
      const height = last === undefined ? -1 : this.#link(last).height;
      if (height === path.length - 1 - depth) break;
      // Below the depth a person decides.
      if (last !== undefined && path[height]?.hash !== last) this.#undo(first);
      trouble = await this.#follow();
    }
    const last = this.#link(this.#taken.at(-1) ?? '');
    if (path[last.height]?.hash !== last.hash) throw new Error(`the cursor ${last.hash} is not on the chain`);
    if (last.height !== path.length - 1 - depth)
      throw new Error(`it stops at ${last.height} of ${path.length - 1}: ${trouble}`);
    for (const hash of this.#taken)
      if (path[this.#link(hash).height]?.hash !== hash) throw new Error(`block ${hash} is none of the chain`);
  }
}

function isOwnBranch(lies: Node['lies']): boolean {
  return lies !== undefined && lies !== 'other' && lies !== 'forged';
}

const LIES: readonly Node['lies'][] = [
  undefined,
  undefined,
  undefined,
  undefined,
  'other',
  'forged',
  'branch',
  'branch',
  'weight',
  'time',
  'work',
];

const STEPS = 80;
const WORLDS: readonly WorldOptions[] = [
  { depth: 3, nodes: 3, needed: 2 },
  { depth: 3, nodes: 1, needed: 1 },
  { depth: 3, nodes: 2, needed: 1 },
  { depth: 2, nodes: 3, needed: 3 },
];

/** So many, one after the other. Throws for the first in which something is wrong, with its seed. @returns what happened in them. */
export async function runHistories(count: number, seed: number): Promise<FollowerWorld['counts']> {
  const all = { taken: 0, undone: 0, restored: 0, lies: 0, waited: 0 };
  for (let i = 0; i < count; i++) {
    const own = seed + i;
    const options = WORLDS[i % WORLDS.length] as WorldOptions;
    const world = new FollowerWorld(own, options);
    await world.run(STEPS).catch((error: Error) => {
      throw new Error(`seed ${own}, ${JSON.stringify(options)}: ${error.message}`, { cause: error });
    });
    for (const key of Object.keys(all) as (keyof typeof all)[]) all[key] += world.counts[key];
  }
  return all;
}
