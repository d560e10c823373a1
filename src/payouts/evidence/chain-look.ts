/** One chain, look by look: the heaviest that nodes have and that was checked and read, and how each node stands to it. */
import type { CallPolicy } from '../../node-client/client.js';
import type { Link } from '../../node-client/following/links.js';
import type { Payer } from './contents.js';
import { type Fault, faultIn, type NodeHead, readBranch, readPayloads } from './reading.js';
import type { BlockPlace, ChainSight, NodeSight, Trouble } from './sight.js';
import { troublesOf } from './troubles.js';
import { Window } from './window.js';

interface ChainLookOptions {
  readonly chainId: number;
  readonly payer: Payer;
  readonly depth: number;
  readonly nowMs: () => number;
  readonly most: number;
  /** Blocks of its network take work. */
  readonly isWorked: boolean;
}

/** The window is cut only when so much is too much: blocks are not moved about for each new one. */
const SLACK = 256;

/** Blocks that may be read still, at this look. */
interface Budget {
  left: number;
}

interface Chosen {
  /** Of a branch that is not believed for it, the first block whose payload nobody gives. */
  readonly missing: Link | undefined;
  /** Of the heaviest branch what is not believed yet, ascending: later looks go on there. */
  readonly above: readonly Link[];
  /** How many of these were not read. */
  readonly toGoAbove: number;
}

type Answering = NodeHead &
  Required<{ client: NonNullable<NodeHead['client']>; head: NonNullable<NodeHead['head']> }>;

export class ChainLook {
  readonly #options: ChainLookOptions;
  readonly #window: Window;
  /** Blocks that left and were not told of yet. */
  #gone = 0;
  #agreeing: ReadonlySet<string> = new Set();
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: ChainLookOptions) {
    this.#options = options;
    this.#window = new Window(options.isWorked);
  }

  /** The block at the depth, or the lowest that there is; `undefined` while nothing was seen. */
  get atDepth(): BlockPlace | undefined {
    const { head, base } = this.#window;
    const block = head && (this.#window.blockAt(Math.max(0, head.height - this.#options.depth)) ?? base);
    return block && { height: block.height, hash: block.hash };
  }

  /** Names of nodes that agreed at the last look. */
  get agreeing(): ReadonlySet<string> {
    return this.#agreeing;
  }

  /** One after the other: each needs what the one before has read. @param mostRead blocks that are read now. */
  look(
    fromHeight: number,
    heads: readonly NodeHead[],
    policy: CallPolicy,
    mostRead = Number.POSITIVE_INFINITY,
  ): Promise<ChainSight> {
    const look = this.#turn.then(() => this.#look(fromHeight, heads, policy, { left: mostRead }));
    this.#turn = look.catch(() => undefined); // it is told to its own caller
    return look;
  }

  async #look(
    fromHeight: number,
    heads: readonly NodeHead[],
    policy: CallPolicy,
    budget: Budget,
  ): Promise<ChainSight> {
    const { chainId, nowMs, depth, most } = this.#options;
    const window = this.#window;
    const faults = new Map(heads.flatMap(({ node, fault }) => (fault ? [[node, fault] as const] : [])));
    const failed = (node: string, fault: Fault): void => void faults.set(node, fault);
    const answering: Answering[] = [];
    for (const each of heads) {
      if (!isAnswering(each) || each.fault) continue;
      try {
        await readBranch(
          window,
          { chainId, most },
          each.client,
          each.head,
          (top) => this.#lowest(fromHeight, top),
          policy,
        );
        window.checkAbove(each.head.hash);
        answering.push(each);
      } catch (error) {
        failed(each.node, faultIn(error));
      }
    }
    const { missing, above, toGoAbove } = await this.#choose(answering, policy, failed, budget);
    const toGo = toGoAbove + (await this.#reachDown(fromHeight, answering, policy, failed, budget));
    const head = window.head;
    const lowest = head && Math.min(head.height - 2 * depth, Math.max(fromHeight, head.height - most));
    if (lowest !== undefined) window.trim(lowest, SLACK, new Set(above.map(({ hash }) => hash)));
    const nodes = heads.map((each) => this.#standingOf(each, faults.get(each.node)));
    this.#agreeing = new Set(nodes.flatMap(({ node, standing }) => (standing === 'agrees' ? [node] : [])));
    const headAgeS = head && Math.floor(nowMs() / 1000) - head.timeS;
    const blocks = head ? window.from(Math.min(fromHeight, head.height)) : [];
    const { left } = window;
    const troubles: Trouble[] = troublesOf({
      chainId,
      blocks,
      headAgeS,
      nodes,
      gone: this.#gone,
      depth,
      missing,
      toGo,
    });
    this.#gone = 0;
    return { chainId, blocks, head, headAgeS, troubles, nodes, left };
  }

  /** Below the depth to which anything is followed, as far as is asked for and kept. */
  #lowest(fromHeight: number, top: number): number {
    const { depth, most } = this.#options;
    return this.#window.base?.height ?? Math.max(0, top - most + 1, Math.min(fromHeight, top - 2 * depth));
  }

  /** Believes the heaviest branch of which all was read, or as much of it as is heavier than what is believed. */
  async #choose(
    answering: readonly Answering[],
    policy: CallPolicy,
    failed: (node: string, fault: Fault) => void,
    budget: Budget,
  ): Promise<Chosen> {
    const window = this.#window;
    let missing: Link | undefined;
    for (const { hash, weight } of heaviestFirst(answering, window)) {
      // Verified work does not vanish: what we have stays until there is more.
      if (window.head && weight <= window.head.weight) break;
      const found = window.head
        ? window.aboveChain(hash)
        : { fork: 0, branch: window.branchOf(hash, 0).slice(-this.#options.most) };
      // Where it does not meet what we have, its weight is only what it says: that is for a person to decide.
      if (!found) continue;
      const from = [...answering].sort((a, b) => Number(b.head.hash === hash) - Number(a.head.hash === hash));
      const { chainId, payer } = this.#options;
      const piece = nextPiece(found.branch, window, budget);
      const gap = await readPayloads(window, chainId, payer, piece, from, policy, failed);
      if (!gap) return { missing, ...this.#adopt(found.fork, found.branch, piece) };
      missing ??= gap;
      // What nobody gives takes nothing away from other branches.
      budget.left += piece.filter((link) => !window.readBlock(link.hash)).length;
    }
    return { missing, above: [], toGoAbove: 0 };
  }

  /** The lower part of a branch, which was read; a part that is of less work than what is believed waits for the rest. */
  #adopt(fork: number, branch: readonly Link[], piece: readonly Link[]): Omit<Chosen, 'missing'> {
    const window = this.#window;
    const top = piece.at(-1);
    const isHeavier = top && (!window.head || top.weight > window.head.weight);
    if (isHeavier) this.#gone = Math.max(this.#gone, window.adopt(fork, piece));
    return {
      above: isHeavier ? branch.slice(piece.length) : branch,
      toGoAbove: branch.length - piece.length,
    };
  }

  /** Reads blocks below the window where somebody asks for them. Resolves with how many are left for the next look. */
  async #reachDown(
    fromHeight: number,
    answering: readonly Answering[],
    policy: CallPolicy,
    failed: (node: string, fault: Fault) => void,
    budget: Budget,
  ): Promise<number> {
    const { chainId, payer, most } = this.#options;
    const window = this.#window;
    const { base, head } = window;
    if (!base || !head) return 0;
    const wanted = Math.max(0, fromHeight, head.height - most + 1);
    if (base.height <= wanted) return 0;
    if (budget.left <= 0) return base.height - wanted;
    const lowest = Math.max(wanted, base.height - budget.left);
    const on = answering.filter(
      (each) => window.isOnChain(each.head.hash) || window.aboveChain(each.head.hash),
    );
    const below = { height: base.height - 1, hash: base.parent };
    for (const { node, client } of on) {
      try {
        await readBranch(window, { chainId, most }, client, below, () => lowest, policy);
        window.checkBelow(base.parent);
        break;
      } catch (error) {
        failed(node, faultIn(error));
      }
    }
    const branch = window.branchOf(base.parent, lowest);
    if (branch.length === 0) return 0;
    if (await readPayloads(window, chainId, payer, branch, on, policy, failed)) return 0;
    window.extendDown(branch);
    return lowest - wanted;
  }

  #standingOf({ node, head }: NodeHead, fault: Fault | undefined): NodeSight {
    if (fault) return { node, ...fault };
    const window = this.#window;
    const link = head && window.link(head.hash);
    const height = (link ?? head)?.height;
    // So far behind that nothing is kept to compare it with; where its header was not read, by what it says.
    const isBelow = height !== undefined && height < (window.base?.height ?? 0);
    if (isBelow) return { node, standing: 'behind', says: `it is at height ${height}` };
    if (!link) return { node, standing: 'silent', says: 'it has no such chain' };
    const own = { height: link.height, hash: link.hash };
    const agreed = (window.head?.height ?? 0) - this.#options.depth;
    const met = window.aboveChain(link.hash);
    if (!met || (met.branch.length > 0 && met.fork < agreed)) return { node, standing: 'forked', head: own };
    return { node, standing: link.height < agreed ? 'behind' : 'agrees', head: own };
  }
}

function isAnswering(head: NodeHead): head is Answering {
  return head.client !== undefined && head.head !== undefined;
}

/** The lower part of a branch, up to the last block that may be read now. */
function nextPiece(branch: readonly Link[], window: Window, budget: Budget): readonly Link[] {
  let length = 0;
  for (const { hash } of branch) {
    if (!window.readBlock(hash) && budget.left-- <= 0) break;
    length++;
  }
  return branch.slice(0, length);
}

/** Distinct heads; of equal ones that of the first node. */
function heaviestFirst(answering: readonly Answering[], window: Window): Link[] {
  const links = new Map(answering.map(({ head }) => [head.hash, window.link(head.hash)]));
  const known = [...links.values()].filter((link) => link !== undefined);
  return known.sort((a, b) => (a.weight === b.weight ? 0 : a.weight < b.weight ? 1 : -1));
}
