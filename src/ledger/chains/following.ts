/**
 * Follows every chain of the network, block by block, for the whole ledger: each chain in transactions of its own, so that what is wrong with
 * one stops no other. Any number of bridges may do so; who comes first moves the cursor.
 */
import type pg from 'pg';
import type { PayerReading } from '../../bridge/payouts/payer-books.js';
import type { ChainInSight, ChainsInSight, NetworkInSight, SeeChains } from '../../bridge/ports.js';
import type { Log } from '../../core/names/log.js';
import type { Anchor } from '../../core/work/anchor.js';
import { settlementReader } from '../blocks/settle-passed.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { SQL as PAYER, payerReader } from '../payer/transactions.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import type { RewardRules } from '../rules/rule-table.js';
import { depthIn, nodesIn } from '../settlement/reward-rules.js';
import {
  advance,
  beginChain,
  type FollowedChain,
  followedChains,
  forgetChain,
  forkInWords,
  SQL,
} from './cursor.js';
import { settleLate } from './late.js';
import type { BlockReader } from './readers.js';

interface FollowingOptions {
  readonly pool: pg.Pool;
  readonly see: SeeChains;
  readonly rules: RulesSource;
  /** What a payload holds of payments on chain. */
  readonly payerReading: PayerReading;
  readonly log: Log;
  /** Told when blocks were taken over: splits may be due. */
  readonly onChange?: () => void;
  readonly intervalMs?: number;
}

export interface Following {
  close(): Promise<void>;
}

const INTERVAL_MS = 10_000;
/** Between two turns while blocks are still to come. */
const AGAIN_MS = 200;
/** Of a chain in one transaction. */
const BLOCKS = 30;

export function startFollowing(options: FollowingOptions): Following {
  const following = new Turns(options);
  following.start();
  return following;
}

/** What a chain came to in a turn, where no block was taken over. */
interface Well {
  readonly id: number;
  readonly headHeight: number;
}

class Turns implements Following {
  readonly #options: FollowingOptions;
  readonly #intervalMs: number;
  #timer: NodeJS.Timeout | undefined;
  #turn: Promise<void> | undefined;
  readonly #closing = new AbortController();
  readonly #startedAtMs = performance.now();
  /** Chain -> cursor and heads at which there was nothing new. */
  readonly #quiet = new Map<number, string>();
  /** Chains that were said to stand still. */
  readonly #standing = new Set<number>();

  constructor(options: FollowingOptions) {
    this.#options = options;
    this.#intervalMs = options.intervalMs ?? INTERVAL_MS;
  }

  start(): void {
    this.#next(0);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#timer);
    await this.#turn;
  }

  #next(afterMs: number): void {
    if (this.#closing.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#turn = this.#look();
    }, afterMs);
  }

  async #look(): Promise<void> {
    let isBehind = false;
    try {
      isBehind = await this.#lookAtAll();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const words = 'the chains cannot be followed now; tried again';
      this.#options.log.warn({ error: (error as Error).message }, words);
    }
    this.#next(isBehind ? AGAIN_MS : this.#intervalMs);
  }

  /** True where blocks are still to come. */
  async #lookAtAll(): Promise<boolean> {
    const { pool, see } = this.#options;
    const known = await followedChains(pool, 0.9 * this.#intervalMs);
    if (known.size > 0 && [...known.values()].every(({ isFresh }) => isFresh)) return false;
    let rules: RewardRules | undefined;
    const sight = await see(async (network) => {
      rules = await this.#options.rules();
      return rulesIn(rules, network);
    }, this.#closing.signal);
    if (typeof sight === 'string' || !rules) {
      // Nodes are still connected to.
      if (performance.now() - this.#startedAtMs < this.#intervalMs) return true;
      for (const chainId of known.keys()) await this.#stands(chainId, String(sight));
      return false;
    }
    const isPending = (chainId: number, height: number) => known.get(chainId)?.pending.has(height) ?? false;
    const { poolAccounts } = rules;
    const reader = settlementReader({ rules: this.#options.rules, poolAccounts, isPending });
    const payer = await rowOf(pool, PAYER.readers);
    const readers = payer ? [reader, payerReader({ reading: this.#options.payerReading, payer })] : [reader];
    return this.#followAll(sight, known, readers);
  }

  async #followAll(
    { network, chains }: ChainsInSight,
    known: ReadonlyMap<number, FollowedChain>,
    readers: readonly BlockReader[],
  ): Promise<boolean> {
    const well: Well[] = [];
    let isBehind = false;
    // One after the other: rigs of this process wait for none of them for long.
    for (const [id, chain] of chains) {
      if (this.#closing.signal.aborted) return false;
      try {
        const step = new Step({ ...this.#options, id, chain, network, readers });
        const came = await this.#follow(step, chain, known.get(id));
        if (came === 'well') well.push({ id, headHeight: chain.heights[1] });
        else if (came === 'behind') isBehind = true;
        else if (came !== 'moved') await this.#stands(id, came.trouble);
      } catch (error) {
        if (this.#closing.signal.aborted) return false;
        await this.#stands(id, `it cannot be followed now: ${(error as Error).message}`);
      }
    }
    for (const id of known.keys()) if (!chains.has(id)) await this.#stands(id, 'no node has this chain now');
    if (well.length > 0) await this.#areWell(well);
    return isBehind;
  }

  async #follow(step: Step, { heads }: ChainInSight, known: FollowedChain | undefined): Promise<Came> {
    if (!known?.cursor) return step.begin(known);
    const { id, cursor, pending } = known;
    const isLate = [...pending].some((height) => height <= cursor.height);
    const seen = `${cursor.hash} ${heads}`;
    if (!isLate && this.#quiet.get(id) === seen) return 'well';
    const came = await step.goOn(known, cursor, isLate);
    if (came === 'well') this.#quiet.set(id, seen);
    else if (typeof came === 'string') {
      this.#options.onChange?.();
      this.#goesOn(id);
    }
    return came;
  }

  async #areWell(chains: readonly Well[]): Promise<void> {
    await run(this.#options.pool, SQL.areWell, [
      chains.map(({ id }) => id),
      chains.map(({ headHeight }) => String(headHeight)),
    ]);
    for (const { id } of chains) this.#goesOn(id);
  }

  /** Another bridge may see more: it is trouble where a look is missing that should have been. */
  async #stands(chainId: number, trouble: string): Promise<void> {
    await run(this.#options.pool, SQL.stands, [chainId, trouble, 1.2 * this.#intervalMs]);
    if (this.#standing.has(chainId)) return;
    this.#standing.add(chainId);
    this.#options.log.warn({ chainId, trouble }, 'a chain is not followed now');
  }

  #goesOn(chainId: number): void {
    if (this.#standing.delete(chainId)) this.#options.log.info({ chainId }, 'a chain is followed again');
  }
}

function rulesIn(rules: RewardRules, { isForDevelopment, nodes: given }: NetworkInSight) {
  return { depth: depthIn(rules, isForDevelopment), nodes: nodesIn(rules, { isForDevelopment, given }) };
}

/** `moved`: blocks were taken over, and none is to come; `behind`: some are; `well`: there was nothing new. */
type Came = 'well' | 'moved' | 'behind' | { readonly trouble: string };

interface StepOptions extends FollowingOptions {
  readonly id: number;
  readonly chain: ChainInSight;
  readonly network: NetworkInSight;
  readonly readers: readonly BlockReader[];
}

/** One chain in one turn. */
class Step {
  readonly #options: StepOptions;

  constructor(options: StepOptions) {
    this.#options = options;
  }

  /** From below the oldest block of ours that is not settled on, or from the head minus the depth. */
  async begin(known: FollowedChain | undefined): Promise<Came> {
    const { chain, id, network, pool } = this.#options;
    if (!known) await run(pool, SQL.know, [id, network.name, chain.heights[1]]);
    const genesis = await chain.genesis();
    if (typeof genesis === 'string') return { trouble: genesis };
    const oldest = (await rowOf(pool, SQL.oldestPending, [id]))?.height ?? Number.POSITIVE_INFINITY;
    const height = Math.max(genesis.height, Math.min(chain.heights[0] - chain.depth, oldest - 1));
    const first = height === genesis.height ? genesis : await chain.blockAt(height);
    if (typeof first === 'string') return { trouble: first };
    await beginChain(pool, id, genesis, first);
    return 'behind';
  }

  async goOn({ genesis, skipTo }: FollowedChain, cursor: Anchor, isLate: boolean): Promise<Came> {
    const { pool, rules, id, chain, readers } = this.#options;
    const above = await chain.above(cursor, { most: BLOCKS, without: skipTo ?? undefined });
    // First of all: the chain may be another one.
    if (above.trouble !== undefined && above.blocks.length === 0)
      return this.#standStill(cursor, genesis, above.trouble);
    const late = isLate ? await settleLate({ pool, rules, chainId: id, chain, skipTo }) : undefined;
    if (late !== undefined) return { trouble: late };
    if (above.blocks.length > 0) {
      const { blocks, behind } = above;
      const at = { chainId: id, cursor, blocks, behind, headHeight: chain.heights[1] };
      if (!(await advance(pool, at, readers))) return 'behind';
    }
    if (above.trouble !== undefined) return { trouble: above.trouble };
    if (above.behind > 0) return 'behind';
    return above.blocks.length > 0 || isLate ? 'moved' : 'well';
  }

  /** @param said why nothing was found on the cursor. */
  async #standStill(cursor: Anchor, began: string | null, said: string): Promise<Came> {
    const { id, chain, network, pool, log } = this.#options;
    const genesis = await chain.genesis();
    const anew = typeof genesis === 'string' ? undefined : await this.#whyAnew(cursor, began, genesis);
    if (anew === undefined) return { trouble: (await this.#forkOf(cursor)) ?? said };
    if (typeof genesis === 'string' || !network.isForDevelopment) return { trouble: anew };
    await forgetChain(pool, id, cursor, genesis);
    const words = 'it is followed from its beginning, and blocks that were not confirmed are given up';
    log.warn({ chainId: id }, `${anew}: ${words}`);
    return 'behind';
  }

  /** Whether the nodes' chain is another one; those of developers may also have the same first block again. */
  async #whyAnew(cursor: Anchor, began: string | null, genesis: Anchor): Promise<string | undefined> {
    const { id, chain, network } = this.#options;
    if (genesis.hash !== began)
      return `chain ${id} of these nodes begins with block ${genesis.hash}, and what was followed began with ${began}`;
    if (!network.isForDevelopment || !(await chain.isUnknown(cursor))) return undefined;
    return `no node of chain ${id} knows block ${cursor.hash} of height ${cursor.height}, which was followed`;
  }

  async #forkOf(cursor: Anchor): Promise<string | undefined> {
    const { id, chain, pool } = this.#options;
    const kept = await rowsOf(pool, SQL.kept, [id]);
    const fork = await chain.forkFrom(new Map(kept.map(({ height, hash }) => [height, hash])));
    return fork?.last?.hash === cursor.hash ? undefined : fork && forkInWords(id, { cursor, kept, fork });
  }
}
