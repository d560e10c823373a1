/** What the payer goes by, as the operator has set it. */
import type { Amount } from '../../core/money/amount.js';
import type { Payer } from '../command/accounts.js';
import type { Limits } from '../plan/limits.js';

export interface PayerTerms {
  /** `approve`: each batch waits for somebody. `auto`: only what is above a limit, and the first batches. */
  readonly mode: 'approve' | 'auto';
  readonly networkId: string;
  readonly from: Payer;
  /** D: blocks on top of one that is believed. */
  readonly depth: number;
  readonly ttlS: number;
  readonly gasLimit: number;
  /** Of one unit, at first; up to `maxGasPrice` where nodes ask for more. */
  readonly gasPrice: Amount;
  readonly maxGasPrice: Amount;
  /** Coins that stay on each chain. */
  readonly reserve: Amount;
  readonly minimum: Amount;
  readonly limits: Limits;
  readonly approvals: number;
  /** Batches that somebody approves in any mode. */
  readonly firstApprovals: number;
  /** A line that no chain has coins enough for is split. */
  readonly split: boolean;
  /** Nodes that must answer alike before anything new is sent. */
  readonly nodes: number;
  /** For people: host and data directory. */
  readonly place: string;
}

/** F: blocks on top of one that is followed no more. */
export function finalDepth({ depth }: Pick<PayerTerms, 'depth'>): number {
  return 2 * depth;
}

/** The most that a transaction of a line can take from its chain. */
export function costOf(line: {
  readonly amount: Amount;
  readonly gasLimit: number;
  readonly gasPrice: Amount;
}): Amount {
  return line.amount + BigInt(line.gasLimit) * line.gasPrice;
}
