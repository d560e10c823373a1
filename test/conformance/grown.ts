/** A ledger that has everything a test may ask for: three heights on every chain, an orphan, a transaction in a block. */
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { toBase64Url } from '../../src/core/bytes/bytes.js';
import { ask, askWork, MINER, mineOne, postSolved, solve } from '../devnode/helpers.js';
import type { NodeHere } from '../devnode/process.js';
import { newTransaction, type Transaction } from '../helpers/books/transactions.js';

export interface Grown {
  /** Block hash of an orphan of chain 0 at height 2. */
  readonly orphan: string;
  /** A transaction that is in chain 0's block of height 3. */
  readonly transaction: Transaction;
}

const HEIGHTS = 3;
/** Mines the orphan. */
export const LATE_MINER = { account: 'late', predicate: 'keys-any', 'public-keys': ['bb', 'cc'] };

/** Mines on chains 0 to `chains - 1` of a new node. */
export async function grow(node: NodeHere, chains: number): Promise<Grown> {
  const transaction = newTransaction('grown');
  let orphan = '';
  for (let height = 1; height <= HEIGHTS; height++) {
    const late = height === 2 ? (await askWork(node, 0, LATE_MINER)).bytes.subarray(36) : undefined;
    if (height === HEIGHTS) {
      const insert = { method: 'PUT', json: [transaction.text] } as const;
      await ask(`${node.peerUrl}/chain/0/mempool/insert`, insert);
    }
    for (let chain = 0; chain < chains; chain++) await mineOne(node, chain, MINER);
    if (late) orphan = await postLate(node, late);
  }
  return { orphan, transaction };
}

async function postLate(node: NodeHere, header: Uint8Array): Promise<string> {
  const solved = solve(header);
  await postSolved(node, solved);
  return toBase64Url(blockHashOf(solved));
}
