/** The page of the control port, and what it asks for. It only reads: orders are for programs. */
import type { FastifyInstance } from 'fastify';
import { addPage } from '../../../web/page-files.js';
import type { Block } from '../../consensus/block.js';
import type { Chains } from '../../consensus/chains.js';
import type { Mempool } from '../../mining/mempool.js';
import type { Miner } from '../../mining/payload.js';
import type { Orders } from '../../orders.js';
import type { NodeContext } from '../context.js';
import { queryNumber } from '../params.js';
import type { WatchBlock, WatchState } from './watch-state.js';

/** Beside the room's modules once it is built (`.ci/page.js`). */
const BUILT = new URL('../../page/', import.meta.url);
const MOST_HEIGHTS = 60;
const USUAL_HEIGHTS = 24;
/** Of all chains; a fork may have any number of blocks. */
const MOST_BLOCKS = 3000;

export function watchRoutes(app: FastifyInstance, context: NodeContext, orders: Orders): void {
  const blocks = new BlockWords(context.chains);
  addPage(app, BUILT);
  app.get('/state', async (request) => {
    const heights = Math.min(MOST_HEIGHTS, Math.max(1, queryNumber(request, 'heights') ?? USUAL_HEIGHTS));
    return stateOf(context, orders, blocks, heights);
  });
}

function stateOf(context: NodeContext, orders: Orders, words: BlockWords, heights: number): WatchState {
  const { chains, mempool, peers, requests } = context;
  const { cut, network } = chains;
  const to = Math.max(...[...cut.heads.values()].map(({ height }) => height));
  const from = Math.max(0, to - heights + 1);
  const ids = [...cut.heads.keys()].sort((a, b) => a - b);
  return {
    network: network.name,
    clock: orders.clock,
    height: cut.height,
    ...{ from, to },
    chains: ids.map((chainId) => chainOf(chainId, context, mempool)),
    blocks: words.within(ids, from),
    requests: requests.newest,
    peers: peers.states,
  };
}

function chainOf(
  chainId: number,
  { chains, mining }: NodeContext,
  mempool: Mempool,
): WatchState['chains'][number] {
  return {
    chainId,
    height: chains.head(chainId)?.height ?? 0,
    waitsFor: mining.isOpen(chainId) ? [] : chains.cut.waitsFor(chainId),
    waiting: mempool.waiting(chainId),
  };
}

/** Blocks in the words of the page. What is known of one is kept while it is in sight. */
class BlockWords {
  readonly #chains: Chains;
  #known = new Map<string, Omit<WatchBlock, 'isOnCut'>>();

  constructor(chains: Chains) {
    this.#chains = chains;
  }

  within(chainIds: readonly number[], from: number): WatchBlock[] {
    const { store } = this.#chains;
    const seen = new Map<string, Omit<WatchBlock, 'isOnCut'>>();
    const blocks: WatchBlock[] = [];
    for (const chainId of chainIds) {
      for (const block of store.ascending(chainId, { height: from })) {
        if (blocks.length >= MOST_BLOCKS) break;
        const words = this.#known.get(block.hash) ?? this.#describe(block);
        seen.set(block.hash, words);
        blocks.push({ ...words, isOnCut: store.onBranch(chainId, block.height) === block.hash });
      }
    }
    this.#known = seen;
    return blocks;
  }

  #describe(block: Block): Omit<WatchBlock, 'isOnCut'> {
    const { hash, chainId, height, parent, creationTime, payloadHash } = block;
    const payload = this.#chains.store.payload(chainId, payloadHash);
    const isFirst = this.#chains.isGenesis(block) || payload === undefined;
    return {
      ...{ hash, chainId, height, parent },
      adjacents: block.adjacents.map((adjacent) => Buffer.from(adjacent.hash).toString('base64url')),
      createdMs: Number(creationTime / 1000n),
      transactions: payload?.transactions.length ?? 0,
      account: isFirst
        ? ''
        : (JSON.parse(Buffer.from(payload.minerData, 'base64url').toString()) as Miner).account,
    };
  }
}
