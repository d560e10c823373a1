/** What people order of payments on chain. */
import type pg from 'pg';
import { accountIds, knownAccountId } from '../accounts/accounts.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { refuseKnownKey } from '../payments/mark.js';
import { keyOf, noPayout, SQL as PAYOUTS } from '../payments/payouts.js';
import { transferPayments } from '../settlement/transfers.js';
import { tellInBooks } from '../timeline.js';
import { pauseFor, SQL } from './transactions.js';

interface Ordered {
  readonly note: string;
  readonly by: string;
}

async function tell(
  client: pg.ClientBase,
  order: string,
  about: string,
  { note, by }: Ordered,
): Promise<void> {
  await tellInBooks(
    client,
    'ordered',
    { order, about },
    by,
    `${order} ${about}${note === '' ? '' : `: ${note}`}`,
  );
}

/** Resolves with how many are missing. Throws LedgerError `refused`. @param hash of the lines as they were shown. */
export async function approvePayout(
  pool: pg.Pool,
  which: string,
  { hash, by }: { readonly hash: string; readonly by: string },
): Promise<number> {
  return inTransaction(pool, async (client) => {
    const payout = await takeOnChain(client, which);
    const { name, approvals, approvedBy } = payout;
    if (payout.hash !== payout.hashNow)
      throw new LedgerError('refused', `lines of payout ${name} were changed since it was made: reject it`);
    if (payout.hash !== hash)
      throw new LedgerError(
        'refused',
        `payout ${name} has other lines than those: its hash is ${payout.hash}`,
      );
    if (!payout.isOpen) throw new LedgerError('refused', `nothing of payout ${name} is to be paid any more`);
    if (approvedBy.includes(by))
      throw new LedgerError('refused', `${by} has approved payout ${name} already: somebody else has to`);
    await run(client, SQL.approve, [payout.id, by]);
    await tell(client, 'payout approve', name, { note: '', by });
    return Math.max(0, approvals - approvedBy.length - 1);
  });
}

/** Resolves with how many lines are due again. Throws LedgerError `refused` once a line of it has a transaction. */
export async function rejectPayout(pool: pg.Pool, which: string, ordered: Ordered): Promise<number> {
  return inTransaction(pool, async (client) => {
    await run(client, SQL.roleNow);
    const { id, name, isBuilt } = await takeOnChain(client, which);
    if (isBuilt)
      throw new LedgerError(
        'refused',
        `payout ${name} is being paid: \`ledger payout pause\` stops what was not sent yet`,
      );
    const rejected = await rowsOf(client, SQL.reject, [id, `rejected by ${ordered.by}: ${ordered.note}`]);
    await tell(client, 'payout reject', name, ordered);
    return rejected.length;
  });
}

async function takeOnChain(client: pg.ClientBase, which: string) {
  const known = await rowOf(client, PAYOUTS.take, keyOf(which));
  const payout = known && (await rowOf(client, SQL.prepared, [known.id]));
  if (!payout) throw noPayout(which);
  if (payout.hash === null)
    throw new LedgerError('refused', `payout ${payout.name} is paid by hand: \`ledger payout mark\``);
  return payout;
}

export async function pausePayments(pool: pg.Pool, { note, by }: Ordered): Promise<void> {
  await inTransaction(pool, (client) => pauseFor(client, 'ordered', `${note} (${by})`));
}

/** Resolves with what was paused for. */
export async function resumePayments(pool: pg.Pool, ordered: Ordered) {
  return inTransaction(pool, async (client) => {
    const ended = (await rowsOf(client, SQL.resume)).map(({ reason }) => reason);
    await tell(client, 'payout resume', ended.join(', ') || 'nothing was paused', ordered);
    return ended;
  });
}

/** An account that has yet to come is made. What of it is not signed and sent yet waits for the end of its time. */
export async function holdAccount(pool: pg.Pool, account: string, ordered: Ordered): Promise<void> {
  await inTransaction(pool, async (client) => {
    await run(client, SQL.roleNow);
    const id = (await accountIds(client, [account])).get(account);
    await run(client, SQL.hold, [id, `${ordered.note} (${ordered.by})`]);
    await tell(client, 'payout hold', account, ordered);
  });
}

/** Resolves with who is paid again. @param account all that are held where it is absent. */
export async function allowAccounts(
  pool: pg.Pool,
  account: string | undefined,
  ordered: Ordered,
): Promise<string[]> {
  return inTransaction(pool, async (client) => {
    let allowed = [account ?? ''];
    if (account !== undefined) await run(client, SQL.hold, [await knownAccountId(client, account), null]);
    else allowed = (await rowsOf(client, SQL.allowAll)).map(({ name }) => name);
    await tell(client, 'payout allow', account ?? `${allowed.length} accounts`, ordered);
    return allowed;
  });
}

/** Coins are paid from another account from now on. Throws LedgerError `refused` while a transaction is open. */
export async function rebindPayer(pool: pg.Pool, account: string, ordered: Ordered): Promise<void> {
  await inTransaction(pool, async (client) => {
    if ((await run(client, SQL.rebind, [account])) === 0)
      throw new LedgerError(
        'refused',
        'transactions are open, which the former key has signed: wait until they have ended (`ledger payout transactions`), or settle them',
      );
    await tell(client, 'payout rebind', account, ordered);
  });
}

/**
 * What no block can say any more, or what a person knows better. Not paid is only said of what can be in no block any more: then it is due again.
 *
 * @param requestKey of the command that paid it; `undefined`: it was not paid. Throws LedgerError `refused`.
 */
export async function settleLine(
  pool: pg.Pool,
  lineId: string,
  { requestKey, ...ordered }: Ordered & { readonly requestKey: string | undefined },
): Promise<void> {
  await inTransaction(pool, async (client) => {
    await run(client, SQL.roleNow);
    const line = await rowOf(client, SQL.lineToSettle, [lineId]);
    if (!line)
      throw new LedgerError(
        'refused',
        `there is no line ${lineId}: \`ledger payout transactions\` lists them`,
      );
    if (line.state !== 'prepared' && line.state !== 'unknown')
      throw new LedgerError('refused', `line ${lineId} is ${line.state} already`);
    const paid = requestKey === undefined ? undefined : await transactionOf(client, lineId, requestKey);
    if (line.openId !== null && line.openId !== paid?.id)
      await run(client, SQL.settle, [line.openId, 'dead']);
    if (paid) await run(client, SQL.settle, [paid.id, 'paid']);
    if (requestKey === undefined)
      await run(client, SQL.isFailed, [lineId, `not paid, says ${ordered.by}: ${ordered.note}`]);
    else {
      await run(client, SQL.isPaid, [lineId, requestKey]);
      await transferPayments(client, [lineId], true);
    }
    await tell(
      client,
      'payout settle',
      `line ${lineId} ${requestKey === undefined ? 'not paid' : 'paid'}`,
      ordered,
    );
  });
}

/** `undefined`: what is none of this ledger. Throws LedgerError `refused` where it is of another payment. */
async function transactionOf(client: pg.ClientBase, lineId: string, requestKey: string) {
  const known = await rowOf(client, SQL.known, [requestKey]);
  if (!known) await refuseKnownKey(client, requestKey);
  else if (known.lineId !== lineId)
    throw new LedgerError('refused', `the request key ${requestKey} is of another payment`);
  return known;
}

/** For who pays: a payout beside the schedule. */
export async function askForPayout(pool: pg.Pool): Promise<void> {
  await run(pool, SQL.ask);
}
