/** What a plan is made of, without a seat and without nodes: as the books have it, and as the payer has seen its chains last. */
import type pg from 'pg';
import type {
  DueAccount,
  LiveTransaction,
  PayerChain,
  PayerState,
} from '../../bridge/payouts/payer-books.js';
import { type Amount, formatAmount } from '../../core/amount.js';
import { rowOf, rowsOf } from '../database/statements.js';
import { dueOnChain } from './batches.js';
import { amountOf, liveTransactions, payerState } from './reads.js';
import { SQL } from './statements.js';

export interface HeldAccount {
  readonly account: string;
  readonly amount: Amount;
  /** null: on all. */
  readonly chainId: number | null;
  readonly note: string;
  readonly untilMs: number | null;
}

export interface Outlook {
  readonly state: PayerState;
  readonly chains: readonly {
    readonly chainId: number;
    readonly account: PayerChain;
    readonly trouble: string;
    /** By the books' clock. */
    readonly lookedAtMs: number;
  }[];
  readonly due: readonly DueAccount[];
  /** Who would be due, and is held. */
  readonly held: readonly HeldAccount[];
  readonly live: readonly LiveTransaction[];
  /** Lines of batches that have no transaction yet. */
  readonly bespoken: readonly { readonly chainId: number; readonly amount: Amount }[];
  /** The batch that waits for approval: no other one is made before. */
  readonly unapproved: string | undefined;
}

/** @param limit of accounts. */
export async function payoutOutlook(pool: pg.Pool, minimum: Amount, limit: number): Promise<Outlook> {
  const state = await payerState(pool);
  const seen = new Map((await rowsOf(pool, SQL.chains)).map((row) => [row.chainId, row]));
  const held = await rowsOf(pool, SQL.heldDue, [formatAmount(minimum), limit]);
  return {
    state,
    chains: state.chains.map((account) => {
      const { trouble = '', lookedAtMs = 0 } = seen.get(account.chainId) ?? {};
      return { chainId: account.chainId, account, trouble, lookedAtMs };
    }),
    due: await dueOnChain(pool, minimum, limit),
    held: held.map((one) => ({ ...one, amount: amountOf(one.amount) })),
    live: await liveTransactions(pool),
    bespoken: (await rowsOf(pool, SQL.bespoken)).map(({ chainId, amount }) => ({
      chainId,
      amount: amountOf(amount),
    })),
    unapproved: (await rowOf(pool, SQL.waiting))?.name,
  };
}
