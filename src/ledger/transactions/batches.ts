/** Batches that are paid on chain: what is due, what a plan is made of, and lines that go on hold for it. */
import type pg from 'pg';
import type {
  Bespoken,
  DueAccount,
  LiveTransaction,
  NewBatch,
  PayerChain,
  PayerState,
} from '../../bridge/payouts/payer-books.js';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { lockBlocks } from '../database/transaction.js';
import { tellPrepared } from '../payments/payout-news.js';
import { insertPayout, refuseStanding } from '../payments/prepare.js';
import { movedLines, post } from '../settlement/posting.js';
import { amountOf, bespokenLines, liveTransactions, payerState } from './reads.js';
import { SQL } from './statements.js';

export async function dueOnChain(pool: pg.Pool, minimum: Amount, limit: number): Promise<DueAccount[]> {
  const rows = await rowsOf(pool, SQL.dueOnChain, [formatAmount(minimum), limit]);
  return rows.map(({ account, amount, minimum: own, wishedChain, paidAtMs }) => ({
    account,
    amount: amountOf(amount),
    minimum: amountOf(own),
    wishedChain: wishedChain ?? undefined,
    paidAtMs: paidAtMs ?? undefined,
  }));
}

/** As `PayerSeat.prepare`. Throws LedgerError `refused` while a chain is not followed. */
export async function prepareBatch(
  write: <T>(action: (client: pg.ClientBase) => Promise<T>) => Promise<T>,
  batch: NewBatch,
): Promise<string | undefined> {
  return write(async (client) => {
    await lockBlocks(client);
    await run(client, SQL.lockMoney);
    if (await rowOf(client, SQL.waiting)) return undefined;
    await refuseStanding(client);
    const ids = await idsOfWhoHas(client, batch);
    return ids && makeBatch(client, batch, ids);
  });
}

/** Number by account; `undefined` where one has less than was planned with. */
async function idsOfWhoHas(
  client: pg.ClientBase,
  { lines }: NewBatch,
): Promise<Map<string, number> | undefined> {
  const planned = new Map<string, Amount>();
  for (const { account, amount } of lines) planned.set(account, (planned.get(account) ?? 0n) + amount);
  const rows = await rowsOf(client, SQL.balances, [[...planned.keys()]]);
  const ids = new Map(
    rows
      .filter((row) => amountOf(row.amount) >= (planned.get(row.name) ?? 0n))
      .map((row) => [row.name, row.id]),
  );
  return ids.size === planned.size ? ids : undefined;
}

async function makeBatch(
  client: pg.ClientBase,
  { lines, minimum, contentHash, approvalFor, approvalsNeeded, by }: NewBatch,
  ids: ReadonlyMap<string, number>,
): Promise<string> {
  const id = await insertPayout(client, { minimum, by });
  await run(client, SQL.makeChainBatch, [id, contentHash, approvalFor ?? null, approvalsNeeded]);
  const accounts = lines.map(({ account }) => ids.get(account) ?? 0);
  await run(client, SQL.insertParts, [
    id,
    accounts,
    lines.map(({ part }) => part),
    lines.map(({ chainId }) => chainId),
    lines.map(({ amount }) => formatAmount(amount)),
  ]);
  const moved = lines.flatMap(({ amount }, i) =>
    movedLines(accounts[i] ?? 0, formatAmount(amount), 'balance', 'paying'),
  );
  await post(client, { cause: 'payout prepared', lines: moved });
  return tellPrepared(client, id, by);
}

interface HeldAccount {
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
  readonly bespoken: readonly Bespoken[];
  /** The batch that waits for approval: no other one is made before. */
  readonly unapproved: string | undefined;
}

/** What a plan is made of, without a seat and without nodes: chains as the payer has seen them last. @param limit of accounts. */
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
    live: await liveTransactions(pool, new Map()),
    bespoken: await bespokenLines(pool),
    unapproved: (await rowOf(pool, SQL.waiting))?.name,
  };
}
