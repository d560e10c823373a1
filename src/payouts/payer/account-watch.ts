/**
 * The payer's account on one chain: what came and went in checked blocks, up to the depth, and whether the balance there is that. A
 * debit that no transaction of the books made is somebody else with the key.
 */
import {
  debitName,
  type ForeignDebit,
  type Pause,
  type PayerChain,
} from '../../bridge/payouts/payer-books.js';
import { formatAmount } from '../../core/money/amount.js';
import { storable } from '../../core/names/names.js';
import type { ChainSight, CheckedBlock } from '../evidence/sight.js';

interface Advanced {
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

/** A contract takes names of 256 characters, of any kind. */
const LONGEST_NAME = 256;

/** As a block has it: its words and amount are made into what is told only where somebody is told. */
interface Debit {
  readonly height: number;
  readonly hash: string;
  readonly to: string;
  readonly units: bigint;
  readonly requestKey: string | undefined;
}

/** In blocks from a height on. */
export function debitsFrom({ blocks }: ChainSight, fromHeight: number): Debit[] {
  return blocks
    .filter((block) => block.height >= fromHeight)
    .flatMap(({ height, hash, debits }) =>
      debits.map(({ to, amount: units, requestKey }) => ({ height, hash, to, units, requestKey })),
    );
}

/** Those that are not expected, block by block; of each the largest first. @param expected names of debits. */
export function unexpected(
  sight: ChainSight,
  fromHeight: number,
  expected: ReadonlySet<string>,
): ForeignDebit[] {
  return debitsFrom(sight, fromHeight)
    .filter((debit) => !expected.has(debitName(debit)))
    .sort((a, b) => a.height - b.height || (a.units < b.units ? 1 : a.units > b.units ? -1 : 0))
    .map(({ to, units, ...debit }) => ({
      ...{ ...debit, chainId: sight.chainId, account: storable(to, LONGEST_NAME) },
      amount: formatAmount(units),
    }));
}

/** Of each that is neither of the books nor accepted, of many the first. @param expected names of debits. */
export function foreignDebits(
  sight: ChainSight,
  fromHeight: number,
  expected: ReadonlySet<string>,
): readonly Pause[] {
  const foreign = new Map<string, ForeignDebit>();
  // The largest of a command stands for its gas, too.
  for (const debit of unexpected(sight, fromHeight, expected))
    if (!foreign.has(debitName(debit))) foreign.set(debitName(debit), debit);
  return [...foreign.values()].slice(0, MOST_TOLD).map((debit) => {
    const { amount, chainId, height, account } = debit;
    const says = `${amount} left the paying account on chain ${chainId} at height ${height}, to ${account}, by a transaction that is not in these books, or was shown to be dead in them`;
    return { kind: 'foreign-debit', says, evidence: { ...debit } };
  });
}

/** Reasons of one look: `ledger payout reconcile` lists all. */
const MOST_TOLD = 20;
