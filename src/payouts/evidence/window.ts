/** Blocks of one chain that were checked: those of the chain that is believed, and some that stand beside it. */
import { checkStep, type Link } from '../../node-client/following/links.js';
import type { Contents } from './contents.js';
import type { CheckedBlock, LeftBlock } from './sight.js';

/** Beside the chain: enough for several forks of usual depth. */
const MOST_BESIDE = 2_000;
const MOST_LEFT = 1_000;

export class Window {
  readonly #isWorked: boolean;
  /** Ascending without a gap; all were read. */
  #chain: CheckedBlock[] = [];
  readonly #heights = new Map<string, number>();
  readonly #links = new Map<string, Link>();
  readonly #read = new Map<string, CheckedBlock>();
  readonly #left = new Map<string, LeftBlock>();

  /** @param isWorked blocks of its network take work. */
  constructor(isWorked: boolean) {
    this.#isWorked = isWorked;
  }

  get chain(): readonly CheckedBlock[] {
    return this.#chain;
  }

  get head(): CheckedBlock | undefined {
    return this.#chain.at(-1);
  }

  get base(): CheckedBlock | undefined {
    return this.#chain[0];
  }

  link(hash: string): Link | undefined {
    return this.#links.get(hash);
  }

  isOnChain(hash: string): boolean {
    return this.#heights.has(hash);
  }

  /** From a height on, ascending. */
  from(height: number): readonly CheckedBlock[] {
    const base = this.base?.height ?? 0;
    return this.#chain.slice(Math.max(0, height - base));
  }

  blockAt(height: number): CheckedBlock | undefined {
    return this.#chain[height - (this.base?.height ?? 0)];
  }

  /** Notes headers of a branch, the highest first, each the parent of the one before it. Throws {@link ForgedError}. */
  add(branch: readonly Link[]): void {
    for (const [i, child] of branch.entries()) {
      const parent = branch[i + 1] ?? this.#links.get(child.parent);
      if (parent) checkStep(parent, child, this.#isWorked);
    }
    for (const link of branch) this.#links.set(link.hash, link);
  }

  /** From what is above the chain to this block, ascending; `undefined` where it does not meet the chain. */
  aboveChain(hash: string): { readonly fork: number; readonly branch: readonly Link[] } | undefined {
    const branch: Link[] = [];
    for (let at = hash; ; ) {
      const fork = this.#heights.get(at);
      if (fork !== undefined) return { fork, branch: branch.reverse() };
      const link = this.#links.get(at);
      if (!link) return undefined;
      branch.push(link);
      at = link.parent;
    }
  }

  /**
   * Throws {@link ForgedError} unless each block above the chain, up to this one, may follow on the one before. Of a block that was
   * noted before its parent was known, nobody has looked at that yet.
   */
  checkAbove(hash: string): void {
    for (let child = this.#links.get(hash); child && !this.#heights.has(child.hash); ) {
      const parent = this.#links.get(child.parent);
      if (parent) checkStep(parent, child, this.#isWorked);
      child = parent;
    }
  }

  /** All that is known below and at this block, ascending, down to a height. */
  branchOf(hash: string, lowest: number): readonly Link[] {
    const branch: Link[] = [];
    for (let link = this.#links.get(hash); link && link.height >= lowest; link = this.#links.get(link.parent))
      branch.push(link);
    return branch.reverse();
  }

  readBlock(hash: string): CheckedBlock | undefined {
    return this.#read.get(hash);
  }

  /** What its payload holds, which was hashed into its header. */
  setRead(link: Link, contents: Contents): void {
    const { height, hash, parent, weight } = link;
    const timeS = Number(link.timeMicros / 1_000_000n);
    this.#read.set(hash, { height, hash, parent, timeS, weight, ...contents });
  }

  /** Were on the chain and are not now. */
  get left(): readonly LeftBlock[] {
    return [...this.#left.values()];
  }

  /** Believes a branch above the chain's block at `fork`; how many blocks leave for it. All of it was read. */
  adopt(fork: number, branch: readonly Link[]): number {
    const top = this.head?.height ?? fork;
    const keep = this.#chain.length === 0 ? 0 : fork - (this.base?.height ?? 0) + 1;
    const gone = this.#chain.splice(keep);
    for (const { hash, height } of gone) {
      this.#heights.delete(hash);
      this.#left.set(hash, { height, hash, depth: top - height });
    }
    for (const { hash, height } of branch) {
      const block = this.#read.get(hash);
      if (!block) throw new RangeError(`block ${hash} was not read`);
      this.#chain.push(block);
      this.#heights.set(hash, height);
      this.#left.delete(hash);
    }
    for (const hash of [...this.#left.keys()].slice(0, -MOST_LEFT)) this.#left.delete(hash);
    return gone.length;
  }

  /** Throws {@link ForgedError} unless the chain may follow on this block. */
  checkBelow(hash: string): void {
    const [below, base] = [this.#links.get(hash), this.#links.get(this.base?.hash ?? '')];
    if (below && base) checkStep(below, base, this.#isWorked);
  }

  /** Puts blocks below the chain, ascending. All of them were read. */
  extendDown(branch: readonly Link[]): void {
    const blocks = branch.flatMap(({ hash }) => this.#read.get(hash) ?? []);
    for (const { hash, height } of blocks) this.#heights.set(hash, height);
    this.#chain = [...blocks, ...this.#chain];
  }

  /**
   * Forgets what is below a height, once that is more than some, and beside the chain the oldest that is too much.
   *
   * @param wanted hashes of a branch that is about to be believed: it stays.
   */
  trim(lowest: number, slack: number, wanted: ReadonlySet<string> = new Set()): void {
    const surplusBelow = lowest - (this.base?.height ?? lowest);
    const gone = this.#chain.splice(0, surplusBelow > slack ? surplusBelow : 0);
    for (const { hash } of gone) {
      this.#heights.delete(hash);
      this.#forget(hash);
    }
    const beside = this.#links.size - this.#chain.length - wanted.size;
    let surplus = beside - MOST_BESIDE;
    for (const hash of this.#links.keys()) {
      if (surplus <= 0) return;
      if (this.#heights.has(hash) || wanted.has(hash)) continue;
      this.#forget(hash);
      surplus--;
    }
  }

  #forget(hash: string): void {
    this.#links.delete(hash);
    this.#read.delete(hash);
  }
}
