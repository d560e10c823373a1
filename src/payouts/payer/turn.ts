/** What a turn of the payer is made with. */
import type { PayerRole, PayerRules } from '../../bridge/payouts/payer-books.js';
import type { Payer } from '../../chain/transfers/accounts.js';
import type { Amount } from '../../core/money/amount.js';
import type { Log } from '../../core/names/log.js';
import type { Signer } from '../signer/signer.js';
import type { PayerNodes } from './nodes.js';

/** What this bridge brings along. */
export interface PayerTerms {
  readonly networkId: string;
  readonly from: Payer;
  /** Host and data directory of the bridge. */
  readonly place: string;
  readonly ttlS: number;
  readonly gasLimit: number;
  readonly gasPrice: Amount;
  readonly maxGasPrice: Amount;
}

/** What is remembered between turns, and may be forgotten: all else is in the ledger. */
export interface Memory {
  /** Chain -> what its nodes ask for a unit of gas, where that is more than is usual. */
  readonly prices: Map<number, Amount>;
  /** Transaction -> when it was sent last. */
  readonly sentAtMs: Map<string, number>;
  /** Line -> when a dry run refused it. */
  readonly refusedAtMs: Map<string, number>;
  /** Transaction -> when the signer was asked for it last. */
  readonly askedAtMs: Map<string, number>;
  /** Request keys that the signer knows to be dead. */
  readonly toldDead: Set<string>;
}

export interface Turn {
  readonly role: PayerRole;
  readonly terms: PayerTerms;
  readonly rules: PayerRules;
  readonly nodes: PayerNodes;
  readonly signer: Signer | undefined;
  readonly memory: Memory;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export const MICROS = 1_000_000n;
/**
 * Dry runs of a turn, and signatures, and what it sends: half a minute by nodes that take a second for each. Others wait no longer for a word
 * of who pays.
 */
export const MOST_A_TURN = 200;

/** That a transaction on this chain may cost. */
export function gasOn({ terms, memory }: Pick<Turn, 'terms' | 'memory'>, chainId: number): Amount {
  return BigInt(terms.gasLimit) * (memory.prices.get(chainId) ?? terms.gasPrice);
}

/** As many as a turn takes, those first whose last turn is longest ago: none waits for ever behind others. */
export function longestAgo<T extends { readonly id: string }>(
  all: readonly T[],
  lastMs: ReadonlyMap<string, number>,
): T[] {
  const last = ({ id }: T): number => lastMs.get(id) ?? 0;
  return all.toSorted((a, b) => last(a) - last(b)).slice(0, MOST_A_TURN);
}
