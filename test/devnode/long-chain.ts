/** Data directories with long chains, written straight to disk: real hashes and, of one chain alone, one payload for all. */
import { join } from 'node:path';
import { encodeHeader } from '../../src/core/work/header.js';
import { weightOfTarget } from '../../src/core/work/target.js';
import { coinbaseOf } from '../../src/devnode/coin/coinbase.js';
import { Block, type BlockHash, blockHashBytes } from '../../src/devnode/consensus/block.js';
import { nextEpoch } from '../../src/devnode/consensus/difficulty.js';
import { genesisOf } from '../../src/devnode/consensus/genesis.js';
import { type Network, networkFrom } from '../../src/devnode/consensus/networks.js';
import { makePayload } from '../../src/devnode/mining/payload.js';
import { BLOCKS_FOLDER } from '../../src/devnode/storage/backups.js';
import { BlockStore, type BranchChange } from '../../src/devnode/storage/block-store.js';

/** What a node must be started with to open such a directory. */
export const LONG_CHAIN_FLAGS = ['--network', 'test-singleton', '--graph', 'network', '--no-proof-of-work'];

const BATCH = 5000;

export function longChainNetwork(): Network {
  return networkFrom('test-singleton', { proofOfWork: false });
}

/** Returns the hash of the head, which has this height. */
export async function writeLongChain(dataDir: string, height: number): Promise<BlockHash> {
  const store = new BlockStore(join(dataDir, BLOCKS_FOLDER));
  const head = fillChain(store, longChainNetwork(), height);
  await store.close();
  return head;
}

export function fillChain(store: BlockStore, network: Network, count: number): BlockHash {
  const { block: genesis, payload } = genesisOf(network, 0);
  store.addBlock(genesis, payload);
  store.setCut(new Map([[0, genesis.hash]]), [{ chainId: 0, height: 0, hash: genesis.hash }]);
  let parent = genesis;
  while (parent.height < count) {
    const changes: BranchChange[] = [];
    store.atomically(() => {
      for (let i = 0; i < BATCH && parent.height < count; i++) {
        parent = childOf(parent);
        store.addBlock(parent, undefined);
        changes.push({ chainId: 0, height: parent.height, hash: parent.hash });
      }
      store.setCut(new Map([[0, parent.hash]]), changes);
    });
  }
  return parent.hash;
}

function childOf(parent: Block): Block {
  const { fields } = parent;
  return Block.fromHeader(
    encodeHeader({
      ...fields,
      parent: blockHashBytes(parent.hash),
      creationTime: fields.creationTime + 1_000_000n,
      height: fields.height + 1,
      weight: fields.weight + weightOfTarget(fields.target),
    }),
  );
}

const MINER = { account: 'NoMiner', predicate: '<', 'public-keys': [] };

/** All chains of a network up to a height, one block of each after another, as far apart as they should be; each has a payload of its own. */
export function fillChains(store: BlockStore, network: Network, height: number): void {
  const { graph } = network.graphs[0];
  let heads = new Map<number, Block>();
  for (const id of graph.chains) {
    const { block, payload } = genesisOf(network, id);
    store.addBlock(block, payload);
    heads.set(id, block);
  }
  const setCut = (): void =>
    store.setCut(
      new Map([...heads].map(([id, { hash }]) => [id, hash])),
      [...heads.values()].map(({ chainId, height: at, hash }) => ({ chainId, height: at, hash })),
    );
  setCut();
  for (let at = 1; at <= height; at++) {
    store.atomically(() => {
      const parents = heads;
      heads = new Map(graph.chains.map((id) => [id, addNext(store, network, parents, id)]));
      setCut();
    });
  }
}

function addNext(
  store: BlockStore,
  network: Network,
  parents: ReadonlyMap<number, Block>,
  chainId: number,
): Block {
  const blockOf = (id: number): Block => parents.get(id) ?? genesisOf(network, id).block;
  const parent = blockOf(chainId);
  const { fields } = parent;
  const parentHash = blockHashBytes(parent.hash);
  const adjacents = fields.adjacents.map((adjacent) => blockOf(adjacent.chainId));
  const height = fields.height + 1;
  const place = { chainId, miner: MINER.account, parentTime: fields.creationTime };
  const coinbase = coinbaseOf(network.coinbase, place);
  const payload = makePayload({ parent: parentHash, height, miner: MINER, transactions: [], coinbase });
  const epoch = nextEpoch(network.difficulty, parent, adjacents, 0);
  const block = Block.fromHeader(
    encodeHeader({
      ...{ ...fields, ...epoch, parent: parentHash, height },
      adjacents: adjacents.map((each) => ({ chainId: each.chainId, hash: blockHashBytes(each.hash) })),
      creationTime: fields.creationTime + network.difficulty.blockDelayMicros,
      payloadHash: blockHashBytes(payload.payloadHash),
      weight: fields.weight + weightOfTarget(epoch.target),
    }),
  );
  store.addBlock(block, payload);
  return block;
}
