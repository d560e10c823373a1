/** Works as a node would hand them out, for tests that need no node. */
import { encodeHeader, HASH_BYTES, type Header } from '../../../src/core/work/header.js';
import { type Difficulty, targetOf } from '../../../src/core/work/target.js';
import { decodeWork, encodeWork, type Work } from '../../../src/core/work/work.js';

export interface WorkOptions {
  chainId?: number;
  height?: number;
  /** First byte of the parent's hash. */
  parent?: number;
  /** First byte of the hash of the neighbour on chain 1. */
  adjacent?: number;
  /** First byte of the payload's hash. */
  payload?: number;
  difficulty?: Difficulty;
  creationTime?: bigint;
  /** Of the network; by default that of development. */
  versionCode?: number;
  /** Fork number and votes. */
  flags?: bigint;
}

export function makeWork(options: WorkOptions): Work {
  const {
    chainId = 3,
    height = 7,
    parent = 1,
    adjacent = 1,
    payload = 1,
    difficulty = 1n,
    creationTime = 1_700_000_000_000_000n,
    versionCode = 2,
    flags = 0n,
  } = options;
  const blockTarget = targetOf(difficulty);
  const header = encodeHeader({
    flags,
    creationTime,
    parent: hashStartingWith(parent),
    adjacents: [1, 2, 5].map((id) => ({ chainId: id, hash: hashStartingWith(id === 1 ? adjacent : id) })),
    target: blockTarget,
    payloadHash: hashStartingWith(payload),
    chainId,
    weight: 1n,
    height,
    versionCode,
    epochStart: 1_700_000_000_000_000n,
    nonce: 0n,
  }) as Header;
  return decodeWork(encodeWork({ chainId, blockTarget, header }));
}

function hashStartingWith(byte: number): Uint8Array {
  const hash = new Uint8Array(HASH_BYTES);
  hash[0] = byte;
  return hash;
}
