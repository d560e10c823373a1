/** The node's own miner: makes blocks when it is told to, one after another, with real proof of work where that is on. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import type { Block } from '../consensus/block.js';
import type { Chains } from '../consensus/chains.js';
import type { Mining } from '../mining/mining.js';
import type { Miner } from '../mining/payload.js';
import { NonceFinder } from './nonce.js';
import { OrderError } from './order-error.js';

const NO_CHAINS = 'must be a list of chain ids';

export const mineModel = z.strictObject({
  /** By default all that there are now. */
  chains: z.array(z.int(NO_CHAINS), NO_CHAINS).readonly().optional(),
  /** More blocks on each of them, 1 by default. */
  count: z.number('must be a number').optional(),
  /** Neighbours that block one of them are mined, too, as far as needed. They count for nothing. */
  withNeighbours: z.boolean('must be true or false').optional(),
});
export type MineOrder = Readonly<z.output<typeof mineModel>>;

export interface Made {
  /** In the order in which they were made, neighbours included. */
  readonly mined: readonly { readonly chainId: number; readonly height: number; readonly hash: string }[];
  /** Chains that could not get all their blocks, and the neighbours that have to be mined first. */
  readonly blocked: readonly { readonly chainId: number; readonly waitsFor: readonly number[] }[];
}

interface BlockMakerParts {
  readonly chains: Chains;
  readonly mining: Mining;
  /** Who is credited. */
  readonly miner: Miner;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Orders that wait or are under way are given up with it. */
  readonly closing: AbortSignal;
}

/** Blocks of one order, and orders at a time. */
const MOST_BLOCKS = 10_000;
const MOST_ORDERS = 16;

type IsWanted = () => boolean;

export class BlockMaker {
  readonly #parts: BlockMakerParts;
  readonly #finder = new NonceFinder();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(parts: BlockMakerParts) {
    this.#parts = parts;
  }

  /** @param leaving gives the order up. Rejects with {@link OrderError}, or StorageError; what was mined stays. */
  make(order: MineOrder, leaving?: AbortSignal): Promise<Made> {
    const { chains = this.#parts.chains.cut.chainIds, count = 1 } = order;
    const fault = this.#faultIn(chains, count);
    if (fault !== undefined) return Promise.reject(new OrderError('bad-order', fault));
    const wanted: IsWanted = () => !this.#parts.closing.aborted && leaving?.aborted !== true;
    const left = new Map([...new Set(chains)].map((id) => [id, count]));
    return this.#inTurn(() => this.#makeAll(left, order.withNeighbours ?? false, wanted));
  }

  /** One block on any chain that can be extended. */
  makeAny(): Promise<Made> {
    return this.#inTurn(async () => {
      const { chains, mining, random, closing } = this.#parts;
      const open = chains.cut.chainIds.filter((id) => mining.isOpen(id));
      const chainId = open[Math.floor(random() * open.length)];
      const block = chainId === undefined ? undefined : await this.#mineOn(chainId, () => !closing.aborted);
      return { mined: block ? [described(block)] : [], blocked: [] };
    });
  }

  /** Resolves when no order is under way. */
  async idle(): Promise<void> {
    while (this.#waiting > 0) await this.#last;
  }

  #faultIn(chains: readonly number[], count: number): string | undefined {
    const { cut, network } = this.#parts.chains;
    const strange = chains.find((id) => !cut.heads.has(id));
    if (strange !== undefined)
      return `chains names chain ${strange}, which ${network.name} does not have now`;
    if (chains.length === 0) return 'chains must name at least one chain';
    if (!Number.isSafeInteger(count) || count < 1)
      return `count must be a whole number from 1 on, not ${count}`;
    if (count * chains.length <= MOST_BLOCKS) return undefined;
    return `count times chains must be at most ${MOST_BLOCKS} blocks, not ${count * chains.length}`;
  }

  async #inTurn(work: () => Promise<Made>): Promise<Made> {
    if (this.#waiting >= MOST_ORDERS) {
      throw new OrderError('busy', `${MOST_ORDERS} orders to mine are under way: wait for their answers`);
    }
    this.#waiting++;
    const turn = this.#last.then(work).finally(() => this.#waiting--);
    // Its own caller hears of a failure; the next in turn need not.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #makeAll(left: Map<number, number>, withNeighbours: boolean, wanted: IsWanted): Promise<Made> {
    const { chains } = this.#parts;
    const mined: Block[] = [];
    while (left.size > 0) {
      const chainId = this.#nextOf([...left.keys()], withNeighbours);
      if (chainId === undefined) break;
      const block = await this.#mineOn(chainId, wanted);
      if (block === undefined) continue;
      mined.push(block);
      const count = left.get(chainId);
      if (count === 1) left.delete(chainId);
      else if (count !== undefined) left.set(chainId, count - 1);
    }
    const blocked = [...left.keys()].map((chainId) => ({ chainId, waitsFor: chains.cut.waitsFor(chainId) }));
    return { mined: mined.map(described), blocked };
  }

  /** The lowest of those that can be extended; else, if so wanted, what the lowest of them waits for most. */
  #nextOf(chainIds: readonly number[], withNeighbours: boolean): number | undefined {
    const { chains, mining } = this.#parts;
    const heightOf = (id: number): number => chains.head(id)?.height ?? 0;
    const byHeight = [...chainIds].sort((a, b) => heightOf(a) - heightOf(b) || a - b);
    const open = byHeight.find((id) => mining.isOpen(id));
    if (open !== undefined || !withNeighbours) return open;
    const waitsFor = chains.cut.waitsFor(byHeight[0] ?? 0);
    return waitsFor.length === 0 ? undefined : this.#nextOf(waitsFor, true);
  }

  /** `undefined` once the chain waits for others. Somebody else's block on it only means another header. */
  async #mineOn(chainId: number, wanted: IsWanted): Promise<Block | undefined> {
    const { chains, mining, miner } = this.#parts;
    for (;;) {
      await nextTurn();
      if (!wanted()) throw new OrderError('given-up', 'nobody waits for these blocks any more');
      const parent = chains.head(chainId)?.hash;
      const header = mining.ownWork(chainId, miner);
      if (header === undefined) return undefined;
      if (typeof header === 'string')
        throw new OrderError('not-taken', `no block of chain ${chainId} can be made: ${header}`);
      const isVoid = (): boolean => !wanted() || chains.head(chainId)?.hash !== parent;
      const solved = chains.network.proofOfWork ? await this.#finder.solve(header, isVoid) : header;
      if (solved === undefined) continue;
      const answer = mining.solved(solved);
      if (answer.outcome === 'joined') return answer.block;
      if (chains.head(chainId)?.hash === parent && 'reason' in answer) {
        throw new OrderError('not-taken', `the block of chain ${chainId} was not taken: ${answer.reason}`);
      }
    }
  }
}

function described({ chainId, height, hash }: Block): Made['mined'][number] {
  return { chainId, height, hash };
}
