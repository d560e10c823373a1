/** A data directory with a long chain, written straight to disk: real hashes, one payload for all. */
import { join } from 'node:path';
import { encodeHeader } from '../../src/core/work/header.js';
import { weightOfTarget } from '../../src/core/work/target.js';
import { Block, type BlockHash, blockHashBytes } from '../../src/devnode/consensus/block.js';
import { genesisOf } from '../../src/devnode/consensus/genesis.js';
import { type Network, networkFrom } from '../../src/devnode/consensus/networks.js';
import { BLOCKS_FOLDER } from '../../src/devnode/storage/backups.js';
import { BlockStore, type BranchChange } from '../../src/devnode/storage/block-store.js';

/** What a node must be started with to open such a directory. */
export const LONG_CHAIN_FLAGS = ['--network', 'test-singleton', '--graph', 'network', '--no-proof-of-work'];

const BATCH = 5000;

export function longChainNetwork(): Network {
  return networkFrom({ name: 'test-singleton', proofOfWork: false });
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
