/**
 * The payer's account on one chain: what came and went in checked blocks, up to the depth, and whether the balance there is that. A
 * debit that no transaction of the books made is somebody else with the key.
 */
import type { Pause, PayerChain } from '../../bridge/payouts/payer-books.js';
import { formatAmount } from '../../core/money/amount.js';
import type { ChainSight, CheckedBlock } from '../evidence/sight.js';

export interface Advanced {
  /** As far as was read now; the former one where nothing came. */
  readonly chain: PayerChain;
  readonly pause: Pause | undefined;
}

/** Blocks that are deep enough and were not read yet; pause where they do not follow on what was read. */
export function advance(former: PayerChain, sight: ChainSight, depth: number): Advanced {
  const { chainId } = former;
  const deepest = (sight.head?.height ?? 0) - depth;
  const blocks = sight.blocks.filter(({ height }) => height > former.read.height && height <= deepest);
  const [first] = blocks;
  if (!first) return { chain: former, pause: undefined };
  if (first.height !== former.read.height + 1) return { chain: former, pause: undefined };
  if (first.parent !== former.read.hash) {
    const says = `chain ${chainId} has another block at height ${former.read.height} than the one that was read with ${depth} blocks on top`;
    const evidence = { chainId, read: former.read, found: first.parent };
    return { chain: former, pause: { kind: 'left-deep', says, evidence } };
  }
  return { chain: blocks.reduce(readBlock, former), pause: undefined };
}

function readBlock(chain: PayerChain, { height, hash, credits, debits }: CheckedBlock): PayerChain {
  const [came, went] = [sumOf(credits), sumOf(debits)];
  return {
    chainId: chain.chainId,
    read: { height, hash },
    balance: chain.balance + came - went,
    credits: chain.credits + came,
    debits: chain.debits + went,
  };
}

function sumOf(transfers: readonly { readonly amount: bigint }[]): bigint {
  return transfers.reduce((sum, { amount }) => sum + amount, 0n);
}

/** Request keys of debits in blocks from a height on; `undefined` stands for one that no command made. */
export function debitKeys(sight: ChainSight, fromHeight: number): ReadonlySet<string | undefined> {
  const blocks = sight.blocks.filter(({ height }) => height >= fromHeight);
  return new Set(blocks.flatMap(({ debits }) => debits.map(({ requestKey }) => requestKey)));
}

/** @param known request keys of the books' transactions. */
export function foreignDebit(
  sight: ChainSight,
  fromHeight: number,
  known: ReadonlySet<string>,
): Pause | undefined {
  for (const { height, hash, debits } of sight.blocks) {
    if (height < fromHeight) continue;
    const [foreign] = debits
      .filter(({ requestKey }) => requestKey === undefined || !known.has(requestKey))
      .sort((a, b) => (a.amount < b.amount ? 1 : -1));
    if (!foreign) continue;
    const { to, amount, requestKey } = foreign;
    const says = `${formatAmount(amount)} left the paying account on chain ${sight.chainId} at height ${height}, to ${to}, by a transaction that is not in these books`;
    const evidence = { chainId: sight.chainId, height, hash, to, amount: formatAmount(amount), requestKey };
    return { kind: 'foreign-debit', says, evidence };
  }
  return undefined;
}
