/** The first block of each chain (protocol notes A.6): it follows from the network alone. */
import { genesisParent } from '../../core/work/genesis-parent.js';
import { encodeHeader, HASH_BYTES } from '../../core/work/header.js';
import type { Write } from '../coin/accounts.js';
import { grantsOf } from '../coin/grants.js';
import { makePayload, type Payload } from '../mining/payload.js';
import { Block, blockHashBytes } from './block.js';
import { genesisHeightOf, graphAt, type Network } from './networks.js';

/** @param payloadHash 43 characters. */
export function genesisBlock(network: Network, chainId: number, payloadHash: string): Block {
  const height = genesisHeightOf(network, chainId);
  if (height === undefined) throw new RangeError(`${network.name} has no chain ${chainId}`);
  const adjacents = graphAt(network, height)
    .adjacentsOf(chainId)
    .map((id) => ({ chainId: id, hash: genesisParent(network.versionCode, id) }));
  return Block.fromHeader(
    encodeHeader({
      flags: 0n,
      creationTime: network.genesisTime,
      parent: genesisParent(network.versionCode, chainId),
      adjacents,
      target: network.genesisTarget(chainId),
      payloadHash: blockHashBytes(payloadHash),
      chainId,
      weight: 0n,
      height,
      versionCode: network.versionCode,
      epochStart: network.genesisTime,
      nonce: 0n,
    }),
  );
}

/** The genesis block with its payload, which is absent where only its hash is known, and what it gives to accounts. */
export function genesisOf(
  network: Network,
  chainId: number,
): { block: Block; payload?: Payload; writes: readonly Write[] } {
  const known = network.genesisPayloadHash(chainId);
  if (known !== undefined) return { block: genesisBlock(network, chainId, known), writes: [] };
  const grants = grantsOf(network.initialBalances, chainId);
  const payload = makePayload({
    parent: genesisParent(network.versionCode, chainId).subarray(0, HASH_BYTES),
    height: genesisHeightOf(network, chainId) ?? 0,
    miner: { account: 'NoMiner', predicate: '<', 'public-keys': [] },
    transactions: grants.transactions,
    coinbase: undefined,
  });
  return { block: genesisBlock(network, chainId, payload.payloadHash), payload, writes: grants.writes };
}
