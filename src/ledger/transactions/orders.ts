/** What people order of payments on chain: approvals, holds, and to pause or go on. Each tells who did it. */

import type pg from 'pg';
import type { ForeignDebit } from '../../bridge/payouts/payer-books.js';
import type { ReconciledOutcome } from '../../bridge/payouts/reconciled.js';
import { formatAmount } from '../../core/money/amount.js';
import type { PaymentState } from '../../operations/enums.js';
import { knownAccountId } from '../accounts/accounts.js';
import type { AccountWish } from '../accounts/wish.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, rowsOf, run, statementsOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { keyOf, noPayout } from '../payments/payouts.js';
import { movedLines } from '../settlement/posting.js';
import { tellInBooks } from '../timeline.js';
import { acceptDebits, acceptedWords, type PauseEvidence } from './accepted-debits.js';
import { moveOnce } from './findings/moves.js';
import { holdLines } from './hold-lines.js';
import { pausePayer } from './payer-books.js';
import { tellEvents } from './payment-events.js';
import { SQL as PAYER } from './statements.js';

export const SQL = statementsOf<
  'transactions/orders.sql',
  {
    resume: { evidence: PauseEvidence; foreign: readonly ForeignDebit[] };
    reconciliation: { outcome: ReconciledOutcome };
    batches: { payments: Readonly<Record<PaymentState, number>> };
  }
>('transactions/orders.sql');

export type ChainBatch = RowOf<typeof SQL.batches>;
type AccountHold = RowOf<typeof SQL.holds>;

/** Of a batch and of what stands in it: another content hash is refused. Resolves with how many approvals are missing. */
export async function approveBatch(
  pool: pg.Pool,
  which: string,
  contentHash: string,
  by: string,
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const batch = await takeOpen(client, which);
    if (batch.contentHash !== contentHash) {
      const words = `payout ${batch.name} has the content hash ${batch.contentHash}, and not ${contentHash}: look at it again (\`ledger payout status ${batch.name} --lines\`)`;
      throw new LedgerError('refused', words);
    }
    if ((await rowOf(client, SQL.otherLines, [batch.id]))?.hasOther) {
      const words = `payout ${batch.name} has other lines than it was prepared with: somebody has changed them in the database. Reject it, and find out who`;
      throw new LedgerError('refused', words);
    }
    if (batch.approvalsNeeded === 0)
      throw new LedgerError('refused', `payout ${batch.name} waits for nobody's approval`);
    await run(client, SQL.approve, [batch.id, by, contentHash]);
    const { length: given } = await rowsOf(client, SQL.approvals, [batch.id]);
    const says = `payout ${batch.name} is approved by ${by}: ${given} of ${batch.approvalsNeeded}`;
    await tellInBooks(client, 'ordered', { order: 'approve payout', about: batch.name }, by, says);
    return Math.max(0, batch.approvalsNeeded - given);
  });
}

interface Rejected {
  /** Lines whose amounts are back in the balances. */
  readonly returned: number;
  /** Lines that may be on the chain: they are followed, and not tried again; their amounts come back when it is proven that they are not. */
  readonly followed: number;
}

/** Refused where all of it may be on the chain. */
export async function rejectBatch(pool: pg.Pool, which: string, note: string, by: string): Promise<Rejected> {
  return inTransaction(pool, async (client) => {
    await run(client, SQL.lockPayer);
    const batch = await takeOpen(client, which);
    const open = await rowsOf(client, SQL.openLines, [batch.id]);
    if (open.length === 0) {
      const words = `all payments of payout ${batch.name} were sent, or have come to an end: nothing of it can be taken back`;
      throw new LedgerError('refused', words);
    }
    const lines = open.filter(({ isAsked }) => !isAsked);
    await run(client, SQL.dropAll, [batch.id]);
    await run(client, SQL.rejectLines, [lines.map(({ id }) => id), note]);
    await run(client, SQL.reject, [batch.id, note]);
    await tellEvents(
      client,
      lines.map(({ id }) => {
        const evidence = { why: `rejected: ${note}` };
        return { paymentId: id, transactionId: null, was: 'prepared', now: 'failed', evidence };
      }),
      by,
    );
    const moves = lines.map(({ id, accountId, amount }) => ({
      key: `line ${id} rejected`,
      lines: movedLines(accountId, amount, 'paying', 'balance'),
    }));
    if (moves.length > 0) await moveOnce(client, 'payout failed', moves);
    const followed = (await rowOf(client, SQL.followed, [batch.id]))?.lines ?? 0;
    const rest = followed === 0 ? '' : `; ${followed} payments may be on the chain, and are followed`;
    const says = `payout ${batch.name} is rejected by ${by}: ${note}${rest}`;
    await tellInBooks(client, 'ordered', { order: 'reject payout', about: batch.name }, by, says);
    return { returned: lines.length, followed };
  });
}

async function takeOpen(client: pg.ClientBase, which: string): Promise<RowOf<typeof SQL.takeBatch>> {
  const batch = await rowOf(client, SQL.takeBatch, keyOf(which));
  if (!batch) throw noPayout(which);
  if (batch.paidBy === 'manual')
    throw new LedgerError(
      'refused',
      `payout ${batch.name} is paid by hand: \`ledger payout mark\` says what became of it`,
    );
  if (batch.isRejected) throw new LedgerError('refused', `payout ${batch.name} was rejected`);
  if (batch.isClosed) throw new LedgerError('refused', `payout ${batch.name} is settled`);
  return batch;
}

export async function pauseByOrder(pool: pg.Pool, note: string, by: string): Promise<void> {
  await inTransaction(pool, async (client) => {
    await pausePayer(client, { kind: 'operator', says: note, evidence: {}, by });
  });
}

interface Resumed {
  readonly kind: string;
  readonly says: string;
  /** Debits that are none of the books' and pause nothing again. */
  readonly accepted: readonly ForeignDebit[];
}

/**
 * What was paused; `undefined` where nothing was. Accepts the debits that were shown since then.
 *
 * @param looked the pause that was looked at before: checks take minutes, and another reason that has come meanwhile stays. Absent: whatever it is.
 * Throws LedgerError `refused` then.
 */
export async function resumePayer(
  pool: pg.Pool,
  note: string,
  by: string,
  looked?: { readonly says: string; readonly sinceMs: number },
): Promise<Resumed | undefined> {
  return inTransaction(pool, async (client) => {
    const former = await rowOf(client, SQL.resume, [looked?.says ?? null, looked?.sinceMs ?? null]);
    if (!former) {
      const now = await rowOf(client, PAYER.isPaused);
      if (!now?.isPaused) return undefined;
      const words = `payouts stay paused: there is another reason by now than when it was looked at, so look again, and resume then: ${now.says}`;
      throw new LedgerError('refused', words);
    }
    const { kind, says } = former;
    const accepted = await acceptDebits(client, former, by, note);
    const words = `payouts go on (${note})${acceptedWords(accepted)}; they were paused: ${says}`;
    await tellInBooks(client, 'ordered', { order: 'resume payouts', about: note }, by, words);
    return { kind: kind ?? '', says: says ?? '', accepted };
  });
}

interface HoldOrder {
  readonly account: string;
  /** Absent: all chains. */
  readonly chainId: number | undefined;
  readonly note: string;
  readonly by: string;
}

/** Asks the bridge that pays. Resolves with when, by the books' clock. */
export async function orderReconcile(
  pool: pg.Pool,
  sinceHeight: number | undefined,
  applies: boolean,
  by: string,
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const asked = await rowOf(client, SQL.askReconcile, [sinceHeight ?? null, applies]);
    const says = `books and chain are compared${applies ? ', and what is missing is entered' : ''}`;
    await tellInBooks(client, 'ordered', { order: 'reconcile payouts', about: 'payouts' }, by, says);
    return asked?.atMs ?? 0;
  });
}

/** What came of the last comparison since a time; `undefined` while there is none. */
export async function reconciledSince(pool: pg.Pool, atMs: number): Promise<ReconciledOutcome | undefined> {
  const last = await rowOf(pool, SQL.reconciliation);
  return last?.outcome && last.atMs !== null && last.atMs > atMs ? last.outcome : undefined;
}

/** Whether books and chain agree since payouts were paused. */
export async function isReconciled(pool: pg.Pool): Promise<boolean> {
  const last = await rowOf(pool, SQL.reconciliation);
  return last?.isSincePause === true && last.outcome?.isDone === true;
}

/**
 * The account is not paid until then, or until it is allowed: what is prepared for it goes back into its balance. What somebody may have
 * signed goes on.
 */
export async function holdByOrder(
  pool: pg.Pool,
  { account, chainId, note, by }: HoldOrder,
  until: Date | undefined,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const id = await knownAccountId(client, account);
    await run(client, SQL.lockPayer);
    await run(client, PAYER.holdAccount, [id, chainId ?? null, until ?? null, note, by]);
    const lines = await rowsOf(client, SQL.linesOfAccount, [id, chainId ?? null]);
    await holdLines(
      client,
      lines.map((line) => ({ paymentId: line.id, why: `its account is held: ${note}` })),
      true,
    );
    const says = `account ${account} is not paid${until ? ` until ${until.toISOString()}` : ''}: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'hold account', about: account }, by, says);
  });
}

/** False where it was not held there. Without a chain, all holds of the account end. */
export async function allowByOrder(
  pool: pg.Pool,
  { account, chainId, note, by }: HoldOrder,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const id = await knownAccountId(client, account);
    const ended = await run(client, SQL.allow, [id, chainId ?? null, chainId === undefined, by]);
    if (ended === 0) return false;
    const says = `account ${account} is paid again: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'allow account', about: account }, by, says);
    return true;
  });
}

/** Of whoever signed it with the account's own key. False for one that is not newer than the last, by a minute: none comes more often. */
export async function takeWish(
  pool: pg.Pool,
  { account, minimum, chainId, atMs }: AccountWish,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const id = await knownAccountId(client, account);
    const least = minimum === undefined ? null : formatAmount(minimum);
    const taken = await rowOf(client, SQL.wish, [id, least, chainId ?? null, atMs]);
    if (!taken) return false;
    await tellInBooks(client, 'payoutWish', { account, minimum: least, chainId: chainId ?? null });
    return true;
  });
}

/** A batch by number or name. Throws LedgerError `refused`. */
export async function readBatch(pool: pg.Pool, which: string): Promise<ChainBatch> {
  const taken = await inTransaction(pool, (client) => rowOf(client, SQL.takeBatch, keyOf(which)));
  if (!taken) throw noPayout(which);
  const [batch] = await rowsOf(pool, SQL.batches, [1, String(BigInt(taken.id) + 1n), false]);
  if (batch?.id === taken.id) return batch;
  throw new LedgerError(
    'refused',
    `payout ${taken.name} is paid by hand: \`ledger payout show ${taken.name}\` lists it`,
  );
}

export function listBatches(pool: pg.Pool, limit: number, onlyOpen = false): Promise<ChainBatch[]> {
  return rowsOf(pool, SQL.batches, [limit, null, onlyOpen]);
}

export function listHolds(pool: pg.Pool, limit: number): Promise<AccountHold[]> {
  return rowsOf(pool, SQL.holds, [limit]);
}
