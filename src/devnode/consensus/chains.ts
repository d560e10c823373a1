/** The node's consensus state: every block it took, and the cut it prefers. All blocks come in here, and only here. */
import { EventEmitter } from 'node:events';
import type { Log } from '../../core/names/log.js';
import { encodeHeader } from '../../core/work/header.js';
import { weightOfTarget } from '../../core/work/target.js';
import type { OrderedClock } from '../clock.js';
import type { Write } from '../coin/accounts.js';
import { Commands } from '../coin/commands.js';
import { BlockRun } from '../mining/block-run.js';
import { type Miner, type Payload, parseMiner, textOf } from '../mining/payload.js';
import type { BlockStore, BranchChange } from '../storage/block-store.js';
import { Block, type BlockHash, blockHashBytes, toBlockHash } from './block.js';
import { ChainStates } from './chain-states.js';
import { Cut, hashesOf, preferredCut } from './cut.js';
import { nextEpoch } from './difficulty.js';
import { chosenFlags, dueFlags } from './fork-state.js';
import { genesisOf } from './genesis.js';
import { brokenRule } from './header-rules.js';
import { chainsAt, chainsOf, genesisHeightOf, type Network } from './networks.js';

export interface CutChange {
  readonly before: Cut;
  readonly after: Cut;
  /** Blocks that joined the branches of the cut, ascending height within a chain; and those that left. */
  readonly joined: readonly Block[];
  readonly left: readonly Block[];
}

interface ChainsEventMap {
  /** A block was taken, on the cut or beside it. Comes before the change of the cut. */
  block: [block: Block, payload: Payload];
  cut: [change: CutChange];
}

/** What became of a block. `orphan`: taken, but not on top of the cut. */
export type Added =
  | { readonly outcome: 'joined' | 'orphan' | 'known'; readonly block: Block }
  | { readonly outcome: 'refused'; readonly block: Block; readonly reason: string };

/** What comes out of a block that breaks no rule. */
interface Outcome {
  readonly payload: Payload;
  readonly writes: readonly Write[];
}

interface ChainsParts {
  readonly network: Network;
  readonly store: BlockStore;
  readonly clock: OrderedClock;
  readonly log: Log;
}

/** The data directory belongs to another network. */
export class ForeignStoreError extends Error {
  override readonly name = 'ForeignStoreError';
  readonly code = 'foreign-store';
}

export class Chains {
  readonly events = new EventEmitter<ChainsEventMap>();
  readonly network: Network;
  readonly store: BlockStore;
  readonly states: ChainStates;
  readonly commands = new Commands();
  readonly #clock: OrderedClock;
  readonly #log: Log;
  readonly #genesis = new Map<number, Block>();
  #cut: Cut;

  constructor(parts: ChainsParts) {
    this.network = parts.network;
    this.store = parts.store;
    this.states = new ChainStates(parts.store);
    this.#clock = parts.clock;
    this.#log = parts.log;
    this.events.setMaxListeners(0);
    this.#cut = this.#openCut();
  }

  get cut(): Cut {
    return this.#cut;
  }

  /** The current head of a chain; `undefined` for a chain that does not exist yet. */
  head(chainId: number): Block | undefined {
    return this.#cut.heads.get(chainId);
  }

  #openCut(): Cut {
    const genesis = chainsOf(this.network).map((chainId) => ({
      chainId,
      ...genesisOf(this.network, chainId),
    }));
    const stored = this.store.cut();
    for (const { chainId, block, payload, writes } of genesis) {
      this.#genesis.set(chainId, block);
      if (stored && !this.store.block(block.hash)) {
        const lacks = `it lacks the genesis block of ${this.network.name} chain ${chainId}`;
        throw new ForeignStoreError(`the data directory holds blocks of another network: ${lacks}`);
      }
      this.store.addBlock(block, payload, writes);
    }
    if (stored)
      return new Cut(this.network, new Map([...stored].map(([id, hash]) => [id, this.#known(hash)])));
    const first = chainsAt(this.network, 0).map((id) => [id, this.#genesisBlock(id)] as const);
    const cut = new Cut(this.network, new Map(first));
    this.store.setCut(
      hashesOf(cut.heads),
      genesis.map(({ chainId, block }) => ({ chainId, height: block.height, hash: block.hash })),
    );
    return cut;
  }

  #genesisBlock(chainId: number): Block {
    const block = this.#genesis.get(chainId);
    if (block === undefined) throw new RangeError(`${this.network.name} has no chain ${chainId}`);
    return block;
  }

  #known(hash: BlockHash): Block {
    const block = this.store.block(hash);
    if (block === undefined) throw new Error(`the store names block ${hash} but does not hold it`);
    return block;
  }

  /**
   * The header of the next block of a chain with nonce 0 and the current time; `undefined` while the chain cannot be
   * extended. `payloadHash` has 43 characters.
   */
  nextHeader(chainId: number, payloadHash: string): Uint8Array | undefined {
    const parent = this.head(chainId);
    const adjacents = this.#cut.adjacentParents(chainId);
    if (parent === undefined || adjacents === undefined) return undefined;
    const adjacentParents = adjacents.map(({ hash }) => this.#known(toBlockHash(hash)));
    const { forks } = this.network;
    const genesisHeight = genesisHeightOf(this.network, chainId) ?? 0;
    const { target, epochStart } = nextEpoch(this.network.difficulty, parent, adjacentParents, genesisHeight);
    return encodeHeader({
      flags: chosenFlags(forks, dueFlags(forks, parent.height + 1, parent, adjacentParents)),
      creationTime: this.timeAbove([parent, ...adjacentParents]),
      parent: blockHashBytes(parent.hash),
      adjacents,
      target,
      payloadHash: blockHashBytes(payloadHash),
      chainId,
      weight: parent.weight + weightOfTarget(target),
      height: parent.height + 1,
      versionCode: this.network.versionCode,
      epochStart,
      nonce: 0n,
    });
  }

  /** The time that a header says which is made now on top of these. */
  timeAbove(blocks: readonly Block[]): bigint {
    return blocks.reduce(
      (time, block) => (time > block.creationTime ? time : block.creationTime + 1n),
      this.#clock.nextBlockMicros(),
    );
  }

  /**
   * Takes a block if it breaks no rule, and puts it on top of the cut if it fits there. Throws StorageError, and is as
   * before, when the block cannot be written.
   */
  add(header: Uint8Array, payload: Payload): Added {
    const block = Block.fromHeader(header);
    const extended = this.#cut.extendsTo(block)
      ? this.#cut.extendedBy(block, (id) => this.#genesisBlock(id))
      : undefined;
    // After a rewind a block may be mined again.
    const isKnown = this.store.block(block.hash) !== undefined;
    if (isKnown && extended === undefined) return { outcome: 'known', block };
    const checked = this.#check(block, payload);
    if (typeof checked === 'string') return { outcome: 'refused', block, reason: checked };
    const change = this.store.atomically(() => {
      if (!isKnown) this.store.addBlock(block, checked.payload, checked.writes);
      return extended && this.#writeCut(extended);
    });
    if (change) this.#cut = change.after;
    this.#clock.blockTaken(block.creationTime);
    if (!isKnown) this.events.emit('block', block, checked.payload);
    if (change === undefined) return { outcome: 'orphan', block };
    this.events.emit('cut', change);
    return { outcome: 'joined', block };
  }

  /**
   * The payload and the changes as they follow from the block: what came may say anything else beside the hash. A sentence
   * for what breaks a rule.
   */
  #check(block: Block, payload: Payload): Outcome | string {
    const [now, ordered] = [this.#clock.nowMicros(), this.#clock.nextBlockMicros()];
    const latest = ordered > now ? ordered : now;
    const broken = brokenRule(this.network, block, (hash) => this.store.block(hash), latest);
    if (broken !== undefined) return broken;
    const run = this.#run(block, payload);
    if (typeof run === 'string') return run;
    const due = run.payload();
    if (due.payloadHash === block.payloadHash && payload.payloadHash === block.payloadHash)
      return { payload: due, writes: run.writes() };
    return `the payload is not the one that hashes to ${block.payloadHash}`;
  }

  /** Does again what the block says that it did; a sentence for what cannot be done. */
  #run(block: Block, { minerData, transactions }: Payload): BlockRun | string {
    const miner = parseMiner(textOf(minerData));
    if (miner === undefined) return 'the payload names no miner';
    const parent = this.#known(block.parent);
    const run = this.beginBlock(parent, miner, block.creationTime);
    if (typeof run === 'string') return run;
    for (const transaction of transactions) {
      const reason = run.take(textOf(transaction));
      if (reason !== undefined) return `a transaction of the payload cannot be there: ${reason}`;
    }
    return run;
  }

  /** Begins the block on top of a known one; a sentence where it cannot pay that miner. */
  beginBlock(parent: Block, miner: Miner, timeMicros: bigint): BlockRun | string {
    const { commands } = this;
    const state = this.states.behind(parent);
    const { name: network, coinbase } = this.network;
    return BlockRun.begin({ network, coinbase, parent, miner, state, timeMicros, commands });
  }

  /**
   * Fork choice: joins the current cut with another whose blocks are all known. The preferred of the two stays, with
   * those blocks of the other on top that fit. Returns whether the cut changed.
   */
  offerCut(hashes: ReadonlyMap<number, BlockHash>): boolean {
    const offered = this.#cutOf(hashes);
    if (offered === undefined) return false;
    const preferred = preferredCut(this.#cut, offered);
    const joined = this.#withFitting(preferred, preferred === offered ? this.#cut : offered);
    const same = [...joined.heads].every(([id, head]) => this.head(id)?.hash === head.hash);
    if (same) return false;
    this.#replaceCut(joined);
    return true;
  }

  #cutOf(hashes: ReadonlyMap<number, BlockHash>): Cut | undefined {
    const heads = new Map<number, Block>();
    for (const [chainId, hash] of hashes) {
      const block = this.store.block(hash);
      if (block?.chainId !== chainId) return undefined;
      heads.set(chainId, block);
    }
    const cut = new Cut(this.network, heads);
    if (heads.size === 0 || !cut.isBraided()) {
      this.#log.warn(
        { chains: heads.size },
        'a cut was offered whose heads do not refer to each other; left alone',
      );
      return undefined;
    }
    return cut;
  }

  #withFitting(base: Cut, other: Cut): Cut {
    const above = [...other.heads.values()].flatMap((head) =>
      this.#blocksAbove(head, base.heads.get(head.chainId)),
    );
    above.sort((a, b) => a.height - b.height || a.chainId - b.chainId);
    let cut = base;
    for (const block of above) {
      if (cut.extendsTo(block)) cut = cut.extendedBy(block, (id) => this.#genesisBlock(id));
    }
    return cut;
  }

  /** The blocks from above `base` up to `head`; empty when head does not descend from it. */
  #blocksAbove(head: Block, base: Block | undefined): Block[] {
    const from = base?.height ?? genesisHeightOf(this.network, head.chainId) ?? 0;
    const blocks: Block[] = [];
    let block = head;
    while (block.height > from) {
      blocks.push(block);
      block = this.#known(block.parent);
    }
    return base === undefined || block.hash === base.hash ? blocks : [];
  }

  /** Makes `cut` the current one whatever its weight: for tests of clients, a real node never goes back. */
  forceCut(hashes: ReadonlyMap<number, BlockHash>): boolean {
    const cut = this.#cutOf(hashes);
    if (cut === undefined) return false;
    this.#replaceCut(cut);
    return true;
  }

  /** Back to an earlier cut of this node, without the blocks that were taken since. */
  revert(hashes: ReadonlyMap<number, BlockHash>, later: readonly BlockHash[]): void {
    if (!this.forceCut(hashes)) throw new Error('an earlier cut of this node is no cut any more');
    this.store.atomically(() => {
      for (const hash of later) this.store.removeBlock(this.#known(hash));
    });
  }

  #replaceCut(after: Cut): void {
    const change = this.#writeCut(after);
    this.#cut = after;
    this.events.emit('cut', change);
  }

  /** Stores a cut, which is the current one only once the store has it for good. */
  #writeCut(after: Cut): CutChange {
    const before = this.#cut;
    const joined: Block[] = [];
    const left: Block[] = [];
    const changes: BranchChange[] = [];
    for (const [chainId, head] of after.heads) this.#rebranch(chainId, head, changes, joined, left);
    // Chains of a graph that is not reached any more go back to their genesis.
    for (const chainId of before.heads.keys()) {
      if (!after.heads.has(chainId))
        this.#rebranch(chainId, this.#genesisBlock(chainId), changes, joined, left);
    }
    this.store.setCut(hashesOf(after.heads), changes);
    if (left.length > 0) this.#log.info({ joined: joined.length, left: left.length }, 'reorganised');
    return { before, after, joined: joined.reverse(), left };
  }

  /** Collects what changes on one chain's branch when `head` becomes its head; `joined` in descending height. */
  #rebranch(chainId: number, head: Block, changes: BranchChange[], joined: Block[], left: Block[]): void {
    const oldHead = this.head(chainId);
    const leave = (height: number): void => {
      const hash = this.store.onBranch(chainId, height);
      if (hash !== undefined) left.push(this.#known(hash));
    };
    for (let height = oldHead?.height ?? 0; height > head.height; height--) {
      leave(height);
      changes.push({ chainId, height, hash: undefined });
    }
    let block = head;
    while (this.store.onBranch(chainId, block.height) !== block.hash) {
      leave(block.height);
      joined.push(block);
      changes.push({ chainId, height: block.height, hash: block.hash });
      block = this.#known(block.parent);
    }
  }
}
