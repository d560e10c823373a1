/**
 * Follows what became of solutions: looks at each block that is not settled, in turn and when a header stream shows it,
 * and writes what it sees into the books. Any number of bridges may follow the same blocks.
 */
import type pg from 'pg';
import type { ChainReader, HeaderSink, SeenHeader } from '../../bridge/ports.js';
import { toHex } from '../../core/bytes/bytes.js';
import type { Log } from '../../core/names/log.js';
import { decodeHeader } from '../../core/work/header.js';
import { run } from '../database/statements.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { type BlockIncome, incomeOf } from '../settlement/block-income.js';
import {
  depthToConfirm,
  PAYS_ANOTHER,
  type RewardRules,
  scheduledReward,
  UNPAID,
} from '../settlement/reward-rules.js';
import {
  type BlockReward,
  type BlockSight,
  type FollowedBlock,
  listFollowed,
  type PaysAnother,
  SQL,
  type Which,
} from './blocks.js';
import { askNode, HashMismatchError, isBlock, judgeWords, type NodeWord } from './sight.js';
import { writeSight } from './write-sight.js';

export interface BlockFollowerOptions {
  readonly pool: pg.Pool;
  readonly chain: ChainReader;
  readonly rules: RulesSource;
  readonly log: Log;
  /** Told when a block has another state: its split may be due. */
  readonly onChange?: () => void;
  /** Between two looks. */
  readonly intervalMs?: number;
  /** Between two looks at a block that is confirmed or orphaned. */
  readonly restMs?: number;
}

export interface BlockFollower extends HeaderSink {
  /** Looks now; resolves when every followed block was looked at. */
  look(): Promise<void>;
  /**
   * Looks soon at blocks that no look has seen. To be called when a solution got into the books: nodes announce its header
   * before they answer, so nobody watches their streams for it then.
   */
  lookForNew(): void;
  close(): Promise<void>;
}

const INTERVAL_MS = 10_000;
const REST_MS = 60_000;
/** A block of which no node has said anything for so long since it came into the books is given up. */
const PATIENCE_MS = 3 * 24 * 3_600_000;
/** Blocks of one look; the longest not looked at first. */
const BLOCKS_PER_LOOK = 500;
/** Nodes that are asked about one block. */
const NODES_ASKED = 3;
/** Blocks this much deeper than confirmed are not followed any more: far beyond any reorganisation that nodes take. */
const SETTLE_FACTOR = 20;

export function startBlockFollower(options: BlockFollowerOptions): BlockFollower {
  const follower = new Follower(options);
  follower.start();
  return follower;
}

/** Looks once at one block; what nodes say of it goes into the books. */
export function lookAtBlock(options: BlockFollowerOptions, block: FollowedBlock): Promise<BlockSight> {
  return new Follower(options).lookAt(block);
}

class Follower implements BlockFollower {
  readonly #options: BlockFollowerOptions;
  #timer: NodeJS.Timeout | undefined;
  /** Hash of a block -> it, as of the last look: what to watch the streams for. */
  readonly #watched = new Map<string, FollowedBlock>();
  #looking: Promise<void> | undefined;
  #again: Which | undefined;
  #closed = false;
  /** The highest height that was seen, and the one that the books have from here. */
  #tip = 0;
  #notedTip = 0;
  /** Blocks that were said to pay nobody yet. */
  readonly #unpaid = new Set<string>();

  constructor(options: BlockFollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(), this.#options.intervalMs ?? INTERVAL_MS);
    void this.look();
  }

  look(which: Which = 'all'): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#looking ??= this.#lookAtAll(which).finally(() => {
      this.#looking = undefined;
      const again = this.#again;
      this.#again = undefined;
      if (again) void this.look(again);
    });
    return this.#looking;
  }

  lookForNew(): void {
    this.#lookSoon('new');
  }

  sawHeader(node: string, header: SeenHeader): void {
    this.#tip = Math.max(this.#tip, header.height);
    const watched = Array.from(this.#watched.values()).find((block) => this.#shows(node, header, block));
    if (watched && watched.state !== 'confirmed') this.#lookSoon('all');
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#looking;
  }

  #lookSoon(which: Which): void {
    if (!this.#looking) void this.look(which);
    else if (this.#again !== 'all') this.#again = which;
  }

  #shows(node: string, header: SeenHeader, block: FollowedBlock): boolean {
    if (header.chainId !== block.chainId || header.height !== block.height) return false;
    try {
      return isBlock(header, block);
    } catch (error) {
      this.#tellFailure(block, node, error as Error);
      return false;
    }
  }

  async #lookAtAll(which: Which): Promise<void> {
    const { pool, log, restMs = REST_MS } = this.#options;
    try {
      const blocks = await listFollowed(pool, BLOCKS_PER_LOOK, restMs, which);
      if (which === 'all') this.#watched.clear();
      for (const block of blocks) this.#watched.set(toHex(block.hash), block);
      for (const block of blocks) {
        if (this.#closed) return;
        await this.lookAt(block);
      }
      await this.#noteTip();
    } catch (error) {
      log.warn(
        { error: (error as Error).message },
        'the blocks of the ledger cannot be followed now; tried again',
      );
    }
  }

  /** What is not in the books yet is told, and tried again at the next look. Rejects where they cannot be asked for the rules. */
  async lookAt(block: FollowedBlock): Promise<BlockSight> {
    const { pool, chain, log } = this.#options;
    const rules = await this.#options.rules(block.foundAt);
    const nodes = inOrderFor(block, chain.nodes).slice(0, NODES_ASKED);
    if (nodes.length === 0) return unseen(block);
    const words = await Promise.all(nodes.map((node) => this.#ask(node, block)));
    const confirmDepth = depthToConfirm(rules.confirmDepth, chain.isForDevelopment);
    const settleDepth = SETTLE_FACTOR * confirmDepth;
    const patience = block.unchangedMs < PATIENCE_MS;
    const sight = judgeWords(block, words, {
      confirmDepth,
      settleDepth,
      nodes: chain.count,
      patience,
    });
    try {
      const reward = await this.#rewardFor(nodes, block, sight, rules);
      await writeSight(pool, block.solutionId, sight, reward);
      this.#tip = Math.max(this.#tip, sight.tipHeight);
      if (sight.state !== block.state || (reward && 'amount' in reward)) this.#options.onChange?.();
      if (sight.state !== block.state)
        log[losesCredit(block, sight) ? 'warn' : 'info'](
          fieldsOf(block, sight.depth),
          `block ${sight.state}`,
        );
    } catch (error) {
      log.error(
        { ...fieldsOf(block, sight.depth), error: (error as Error).message },
        'a block is not in the books yet',
      );
    }
    return sight;
  }

  async #noteTip(): Promise<void> {
    const tip = this.#tip;
    if (tip <= this.#notedTip) return;
    await run(this.#options.pool, SQL.noteTip, [tip]);
    this.#notedTip = tip;
  }

  async #ask(node: string, block: FollowedBlock): Promise<NodeWord> {
    try {
      return await askNode(this.#options.chain, node, block);
    } catch (error) {
      this.#tellFailure(block, node, error as Error);
      return { says: 'nothing' };
    }
  }

  /** What the block pays, once it is on the chain and as long as the books do not know it. */
  async #rewardFor(
    nodes: readonly string[],
    block: FollowedBlock,
    sight: BlockSight,
    rules: RewardRules,
  ): Promise<BlockReward | PaysAnother | undefined> {
    if (block.isPriced || !isOnChain(sight)) return undefined;
    const word = await this.#incomeOf(nodes, block);
    if (typeof word === 'object') {
      const { receiver, reward: amount, fees } = word;
      // An account that was named since it was found is meant for it.
      const isOurs = async (): Promise<boolean> =>
        rules.poolAccounts.includes(receiver) ||
        (await this.#options.rules()).poolAccounts.includes(receiver);
      if (await isOurs()) return { amount, fees, source: 'coinbase' };
      this.#tellUnpaid(block, PAYS_ANOTHER, { receiver });
      return { paysAnother: receiver };
    }
    // A node that does not answer may do so at the next look; the hold is not over before the block is confirmed anyway.
    if (word === 'nobody answers' && sight.state === 'onChain') return undefined;
    // Where there was none when it was found, the one that was set since is meant for it.
    const { schedule } = rules.schedule.length > 0 ? rules : await this.#options.rules();
    if (schedule.length > 0) {
      return { amount: scheduledReward(schedule, block.height), fees: 0n, source: 'schedule' };
    }
    this.#tellUnpaid(block, UNPAID);
    return undefined;
  }

  /** The first that a node's outputs tell; the node that issued the work is asked first. */
  async #incomeOf(
    nodes: readonly string[],
    block: FollowedBlock,
  ): Promise<BlockIncome | 'unreadable' | 'nobody answers'> {
    const { payloadHash } = decodeHeader(block.header);
    let answered = false;
    for (const node of nodes) {
      try {
        const { chainId, height } = block;
        const outputs = await this.#options.chain.payloadOutputs(node, chainId, height, payloadHash);
        answered = true;
        const income = outputs && incomeOf(outputs);
        if (income) return income;
      } catch (error) {
        this.#tellFailure(block, node, error as Error);
      }
    }
    return answered ? 'unreadable' : 'nobody answers';
  }

  /** Once for each block: it stays so until the operator acts. */
  #tellUnpaid(block: FollowedBlock, why: string, more: object = {}): void {
    if (this.#unpaid.has(block.solutionId)) return;
    this.#unpaid.add(block.solutionId);
    this.#options.log.warn({ ...fieldsOf(block, 0), ...more }, `a block pays nobody yet: ${why}`);
  }

  #tellFailure(block: FollowedBlock, node: string, error: Error): void {
    const fields = { ...fieldsOf(block, 0), node, error: error.message };
    if (error instanceof HashMismatchError)
      this.#options.log.error(fields, 'a node names one of our blocks wrongly');
    else if ((error as { code?: unknown }).code === 'forged')
      this.#options.log.error(fields, 'a node gave a forged answer about a block; it is not believed');
    else this.#options.log.debug(fields, 'a node says nothing of a block');
  }
}

/** The node that issued the work first: it heard of the block before the others. */
function inOrderFor(block: FollowedBlock, nodes: readonly string[]): string[] {
  return [...nodes.filter((node) => node === block.node), ...nodes.filter((node) => node !== block.node)];
}

function isOnChain({ state }: BlockSight): boolean {
  return state === 'onChain' || state === 'confirmed';
}

/** With nobody to ask it stays what it was. */
function unseen({ state, tipHeight }: FollowedBlock): BlockSight {
  return { state, depth: 0, tipHeight, settled: false, isSeen: false };
}

function fieldsOf(block: FollowedBlock, depth: number): object {
  const { solutionId, chainId, height, hash } = block;
  return { solutionId, chainId, height, hash: toHex(hash), depth };
}

/** What it had earned is taken back. */
function losesCredit({ state }: FollowedBlock, sight: BlockSight): boolean {
  return (state === 'onChain' || state === 'confirmed') && !isOnChain(sight);
}
