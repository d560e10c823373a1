/**
 * Follows one chain at a depth, from several nodes. The last block that was taken over, the cursor, is the anchor: the next one must be its
 * child, and a node that shows a chain without the cursor shows nothing, at a start as in the middle. What is taken over is the caller's to
 * keep; here is only what saves asking again.
 */
import { NodeError } from '../../chain/errors.js';
import type { PayloadWithOutputs } from '../../chain/models.js';
import { ForgedError } from '../../chain/verify.js';
import type { Anchor } from '../../core/work/anchor.js';
import { type FollowedNode, faultIn, faultOf, type HeaderWindow, NotShown } from './asked-node.js';
import { checkStep, type Link } from './links.js';
import { askForPayloads, type PassedBlock, readPayloads } from './payloads.js';

interface ChainFollowerOptions {
  /** Blocks that a block must have on top. */
  readonly depth: number;
  /** Nodes that must have it so. */
  readonly needed: number;
  /** Blocks of its network take work. */
  readonly isWorked: boolean;
}

/** Where a node's branch leaves the one that was taken over. */
export interface Fork {
  readonly node: string;
  readonly head: FollowedNode['head'];
  /** The last block that both have; `undefined`: it lies below all that were given. */
  readonly last: { readonly height: number; readonly hash: string } | undefined;
}

export interface Look {
  /** To be taken over in this order; the last one is the next cursor. */
  readonly blocks: readonly PassedBlock[];
  /** Blocks at the depth that are still to come. */
  readonly behind: number;
  /** Why it stands still, for people; `undefined`: it does not. */
  readonly trouble: string | undefined;
}

/** Above the cursor at one look: of a chain that was not followed for long, a piece after another. */
const STEP = 1_200;
/** Headers that are remembered: those above the cursor, and some beside it. A kB each. */
const MOST_LINKS = 2_600;
/** Headers of one question. They are decoded in one turn of the loop, 2 ms, and so may those of other chains be. */
const PAGE = 60;

interface Branch {
  readonly node: FollowedNode;
  /** From the child of the cursor up. */
  readonly links: readonly Link[];
  readonly fault?: never;
}

interface Faulty {
  readonly node: FollowedNode;
  readonly fault: string;
}

export class ChainFollower {
  readonly #options: ChainFollowerOptions;
  /** Headers that were hashed, by hash; the oldest first. */
  readonly #links = new Map<string, Link>();
  /** Of the last look: what lies below is not asked for again. */
  #cursor = '';
  /** The highest that was seen: mostly the next head is just above. */
  #highest = 0;
  /** Reads that are under way, by the block that each begins with: it is the same whoever gives it. */
  readonly #reading = new Map<string, Promise<Link | undefined>>();

  constructor(options: ChainFollowerOptions) {
    this.#options = options;
  }

  /**
   * What nodes have above the cursor, deep enough.
   *
   * @param most blocks that are read now.
   * @param without up to this block it is gone on without payloads that nobody has: somebody has ordered so.
   */
  async look(cursor: Anchor, nodes: readonly FollowedNode[], most: number, without?: string): Promise<Look> {
    this.#forgetBelow(cursor);
    const sides = await Promise.all(nodes.map((node) => this.#sideOf(cursor, node)));
    const branches = sides.filter((side) => side.fault === undefined);
    const faults = sides.flatMap(({ fault }) => fault ?? []);
    const found = this.#deepEnough(branches);
    if (!found) return { blocks: [], behind: 0, trouble: this.#whyNone(branches, faults) };
    const wanted = found.links.slice(0, most);
    const spared = 1 + found.links.findIndex(({ hash }) => hash === without);
    const { blocks, missing } = await readPayloads(wanted, found.from, spared);
    const trouble =
      missing &&
      `block ${missing.hash} of height ${missing.height}: no node has its payload (${missing.asked}); one that has it all is needed`;
    return { blocks, behind: found.links.length - blocks.length, trouble };
  }

  #forgetBelow({ hash, height }: Anchor): void {
    if (hash === this.#cursor) return;
    this.#cursor = hash;
    for (const link of this.#links.values()) if (link.height < height) this.#links.delete(link.hash);
  }

  /**
   * The block at a height, on the branches of the heads of as many nodes as are needed, with the depth on top or, of a chain that is younger,
   * its first one. A sentence where there is none.
   */
  async blockAt(height: number, nodes: readonly FollowedNode[]): Promise<Link | string> {
    const { depth, needed } = this.#options;
    const found: Link[] = [];
    const faults: string[] = [];
    for (const node of nodes) {
      try {
        if (node.head.height - height < depth && height > 0)
          throw new NotShown(`is at height ${node.head.height}`);
        const link = await this.#ancestorAt(height, node.head.hash, node);
        if (link) found.push(link);
        else faults.push(`${node.node} does not show it`);
      } catch (error) {
        faults.push(faultOf(node, error));
      }
    }
    return (
      agreedBy(needed, found) ??
      `${nodesMust(needed)} have the same block at height ${height}: ${faults.join('; ') || 'they differ'}`
    );
  }

  /** The first block, by the word of as many nodes as are needed. A sentence where they do not say so. */
  async genesis(nodes: readonly FollowedNode[]): Promise<Link | string> {
    const { needed } = this.#options;
    const faults: string[] = [];
    const found: Link[] = [];
    for (const node of nodes) {
      try {
        found.push(await node.genesis());
      } catch (error) {
        faults.push(faultOf(node, error));
      }
    }
    return (
      agreedBy(needed, found) ??
      `${nodesMust(needed)} have the same first block: ${faults.join('; ') || 'they differ, or are fewer'}`
    );
  }

  /** What a block that was taken over has below it: proven by its hash, so whoever gives it. A sentence where nobody does. */
  async ancestorOf(hash: string, height: number, nodes: readonly FollowedNode[]): Promise<Link | string> {
    const faults: string[] = [];
    for (const node of nodes) {
      try {
        const link = await this.#ancestorAt(height, hash, node);
        if (link) return link;
        faults.push(`${node.node} does not show it`);
      } catch (error) {
        faults.push(faultOf(node, error));
      }
    }
    return `the block at height ${height}, below block ${hash}, is needed: ${faults.join('; ') || 'no node can be asked'}`;
  }

  /** Payloads of these, as far as nodes have them, by their hash. */
  async payloads(
    links: readonly Pick<Link, 'payloadHash' | 'height'>[],
    nodes: readonly FollowedNode[],
  ): Promise<ReadonlyMap<string, PayloadWithOutputs>> {
    return (await askForPayloads(links, nodes)).read;
  }

  /** As many nodes as are needed answer, and not one of them has ever heard of the cursor. */
  async isUnknown(cursor: Anchor, nodes: readonly FollowedNode[]): Promise<boolean> {
    let answers = 0;
    for (const node of nodes) {
      try {
        const links = await node.branch(cursor.hash, { minHeight: cursor.height, limit: 1 });
        if (links.length > 0) return false;
        answers++;
      } catch (error) {
        faultIn(error);
        if (error instanceof NodeError && error.details.status === 404) answers++;
      }
    }
    return answers >= this.#options.needed;
  }

  /**
   * Where the branch of a node leaves what was taken over; `undefined` where no node shows that.
   *
   * @param taken height -> hash, up to the cursor.
   */
  async forkFrom(
    taken: ReadonlyMap<number, string>,
    nodes: readonly FollowedNode[],
  ): Promise<Fork | undefined> {
    const lowest = Math.min(...taken.keys());
    for (const node of nodes) {
      const last = await this.#lastOf(taken, lowest, node).catch(faultIn);
      if (last === 'below') return { node: node.node, head: node.head, last: undefined };
      if (typeof last === 'object') return { node: node.node, head: node.head, last };
    }
    return undefined;
  }

  async #lastOf(
    taken: ReadonlyMap<number, string>,
    lowest: number,
    node: FollowedNode,
  ): Promise<Fork['last'] | 'below'> {
    const window = { minHeight: lowest, limit: PAGE };
    let link = await this.#link(node.head.hash, window, node);
    while (link && taken.get(link.height) !== link.hash) {
      if (link.height <= lowest) return node.head.height > lowest ? 'below' : undefined;
      link = await this.#link(link.parent, window, node);
    }
    // Where it is the head itself, the node is behind and has left nothing.
    return link?.hash === node.head.hash ? undefined : link;
  }

  async #ancestorAt(height: number, of: string, node: FollowedNode): Promise<Link | undefined> {
    let child: Link | undefined;
    for (let at = of; ; ) {
      const link = await this.#link(at, { minHeight: height, limit: PAGE }, node);
      if (!link || link.height < height) return undefined;
      if (child) checkStep(link, child, this.#options.isWorked);
      if (link.height === height) return link;
      child = link;
      at = link.parent;
    }
  }

  async #sideOf(cursor: Anchor, node: FollowedNode): Promise<Branch | Faulty> {
    try {
      return { node, links: await this.#branchAbove(cursor, node) };
    } catch (error) {
      return { node, fault: faultOf(node, error) };
    }
  }

  /** From the cursor to the head, or as far as one step goes; every link of it checked. */
  async #branchAbove(cursor: Anchor, node: FollowedNode): Promise<Link[]> {
    const { depth, isWorked } = this.#options;
    const { head } = node;
    if (head.hash === cursor.hash) return [];
    const links: Link[] = [];
    const top = cursor.height + depth + STEP;
    // What lies between a step and the head is not read: the blocks of the step lie on each other.
    const maxHeight = head.height > top ? top : undefined;
    const fresh = head.height - Math.max(this.#highest, cursor.height) + 1;
    const first = { minHeight: cursor.height, maxHeight, limit: Math.min(PAGE, Math.max(2, fresh)) };
    let link = await this.#link(head.hash, first, node);
    while (link && link.height > cursor.height) {
      links.push(link);
      if (links.length > STEP + 2 * depth + 1) throw new NotShown('shows a branch without an end');
      if (link.parent === cursor.hash) return this.#checked(cursor, links.reverse(), isWorked);
      link = await this.#link(link.parent, { minHeight: cursor.height, limit: PAGE }, node);
    }
    if (!link) throw new NotShown('does not show the headers of its own branch');
    if (links.length === 0) throw new NotShown(`is behind, at height ${link.height}`);
    throw new NotShown(
      `shows a chain without block ${cursor.hash} of height ${cursor.height}, which was taken over`,
    );
  }

  #checked(cursor: Anchor, links: Link[], isWorked: boolean): Link[] {
    let parent: Anchor = cursor;
    for (const link of links) {
      checkStep(parent, link, isWorked);
      parent = link;
    }
    return links;
  }

  /** Asked for once, where it is proven by its hash; of a height below another block there is only a node's word, and each gives its own. */
  async #link(hash: string, window: HeaderWindow, node: FollowedNode): Promise<Link | undefined> {
    if (window.maxHeight !== undefined) return this.#read(hash, window, node);
    const others = this.#reading.get(hash);
    // Whoever asked first may not get it: then it is asked for again.
    if (others) await others.catch(() => undefined);
    const known = this.#links.get(hash);
    if (known) return known;
    const reading = this.#read(hash, window, node);
    this.#reading.set(hash, reading);
    return reading.finally(() => this.#reading.delete(hash));
  }

  /** The first of what a node gives. */
  async #read(upper: string, window: HeaderWindow, node: FollowedNode): Promise<Link | undefined> {
    const links = await node.branch(upper, window);
    for (const link of links) {
      this.#links.set(link.hash, link);
      this.#highest = Math.max(this.#highest, link.height);
    }
    for (const oldest of this.#links.keys()) {
      if (this.#links.size <= MOST_LINKS) break;
      this.#links.delete(oldest);
    }
    const [first] = links;
    if (first && window.maxHeight === undefined && first.hash !== upper)
      throw new ForgedError(`gives block ${first.hash} where ${upper} was asked for`);
    return first;
  }

  /** What as many nodes as are needed have with the depth on top: of the heaviest branch of which there is any. */
  #deepEnough(
    branches: readonly Branch[],
  ): { links: readonly Link[]; from: readonly FollowedNode[] } | undefined {
    const { depth, needed } = this.#options;
    const heaviest = branches.toSorted((a, b) => compareWeights(b.links.at(-1), a.links.at(-1)));
    for (const { links } of heaviest) {
      const having = (at: number) =>
        branches.filter(
          (other) => other.links.length - 1 - at >= depth && other.links[at]?.hash === links[at]?.hash,
        );
      let deep = 0;
      while (deep < links.length && having(deep).length >= needed) deep++;
      if (deep > 0) return { links: links.slice(0, deep), from: having(deep - 1).map(({ node }) => node) };
    }
    return undefined;
  }

  #whyNone(branches: readonly Branch[], faults: readonly string[]): string | undefined {
    const { depth, needed } = this.#options;
    const deep = branches.filter(({ links }) => links.length > depth).length;
    // Nothing is to come yet, by as many as are needed.
    if (deep === 0 && branches.length >= needed) return undefined;
    const others = faults.length > 0 ? `: ${faults.join('; ')}` : '';
    return `${nodesMust(needed)} have the next block with ${depth} on top, and ${deep} have${others}`;
  }
}

function compareWeights(a: Link | undefined, b: Link | undefined): number {
  const [one, other] = [a?.weight ?? 0n, b?.weight ?? 0n];
  return one === other ? 0 : one < other ? -1 : 1;
}

function agreedBy(needed: number, found: readonly Link[]): Link | undefined {
  return found.find(({ hash }) => found.filter((link) => link.hash === hash).length >= needed);
}

function nodesMust(needed: number): string {
  return needed === 1 ? 'a node must' : `${needed} nodes must`;
}
