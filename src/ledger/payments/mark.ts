/** What became of payments: said for a whole payout, or line by line, and moved in the books in the same transaction. */
import type pg from 'pg';
import type { PaymentOutcome, PaymentState } from '../../operations/enums.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { transferPayments } from '../settlement/transfers.js';
import { tellMarked } from './payout-news.js';
import { type BookedPayout, keyOf, noPayout, readPayout, SQL } from './payouts.js';

/** Whether the amount of a payment has left its account. */
const isMade = (state: PaymentState): boolean => state === 'sent' || state === 'confirmed';

/** From which states. `named`: only where it is said of single payments, since it takes back that they were sent. */
const FROM: Readonly<
  Record<PaymentOutcome, { all: readonly PaymentState[]; named: readonly PaymentState[] }>
> = {
  sent: { all: ['prepared', 'unknown'], named: [] },
  confirmed: { all: ['sent'], named: [] },
  failed: { all: ['prepared', 'unknown'], named: ['sent'] },
  unknown: { all: ['prepared'], named: ['sent'] },
};

export interface Mark {
  readonly outcome: PaymentOutcome;
  /** Accounts whose payments are meant; all of the payout when absent. */
  readonly accounts?: readonly string[] | undefined;
  /** Of the transaction that pays the one payment that is meant. */
  readonly requestKey?: string | undefined;
  readonly note?: string | undefined;
  readonly by?: string | undefined;
}

type MarkedLine = RowOf<typeof SQL.linesMeant>;

/**
 * Payments that are there already stay as they are, and so do those of a whole payout of which something else is known. Throws LedgerError
 * `refused` where nothing of what is asked can be.
 *
 * @param which its number or its name.
 */
export async function markPayout(pool: pg.Pool, which: string, mark: Mark): Promise<BookedPayout> {
  await inTransaction(pool, (client) => markPayments(client, which, mark));
  return readPayout(pool, which);
}

/** The same within the caller's transaction. */
export async function markPayments(client: pg.ClientBase, which: string, mark: Mark): Promise<void> {
  const payout = await rowOf(client, SQL.take, keyOf(which));
  if (!payout) throw noPayout(which);
  if (payout.hash !== null)
    throw new LedgerError(
      'refused',
      `payout ${payout.name} is paid on chain, and blocks say what becomes of it: \`ledger payout settle\` is for what they cannot say`,
    );
  const meant = await linesMeant(client, payout, mark.accounts);
  const changed = linesToChange(payout.name, meant, mark);
  await keepRequestKey(client, meant, mark.requestKey);
  if (changed.length === 0) return;
  await moveLines(client, payout.id, changed, mark);
  await tellMarked(
    client,
    payout.id,
    changed.map(({ id }) => id),
    mark,
  );
}

async function linesMeant(
  client: pg.ClientBase,
  { id, name }: { readonly id: string; readonly name: string },
  accounts: readonly string[] | undefined,
): Promise<MarkedLine[]> {
  const rows = await rowsOf(client, SQL.linesMeant, [id, accounts ?? null]);
  const missing = accounts?.find((account) => !rows.some((row) => row.account === account));
  if (missing === undefined) return rows;
  throw new LedgerError('refused', `payout ${name} does not pay ${JSON.stringify(missing)}`);
}

function linesToChange(
  name: string,
  meant: readonly MarkedLine[],
  { outcome, accounts }: Mark,
): MarkedLine[] {
  const { all, named } = FROM[outcome];
  const allowed = accounts ? [...all, ...named] : all;
  const changed = meant.filter(({ state }) => allowed.includes(state));
  const isThere = ({ state }: MarkedLine): boolean =>
    state === outcome || (outcome === 'sent' && state === 'confirmed');
  const others = meant.filter((line) => !allowed.includes(line.state) && !isThere(line));
  const [other] = others;
  // Of a whole payout, those of which more is known stay; named ones were meant.
  if (!other || (!accounts && (changed.length > 0 || meant.some(isThere)))) return changed;
  const what = accounts ? `the payment of ${other.account} in payout ${name}` : `payout ${name}`;
  throw new LedgerError('refused', `${what} is ${other.state}${whyNot(other.state, outcome)}`);
}

function whyNot(state: PaymentState, outcome: PaymentOutcome): string {
  if (outcome === 'confirmed' && state !== 'failed') return ': it is confirmed once it is sent';
  if (state === 'sent') return ', which is final but for payments that are named one by one';
  return ', which is final';
}

async function keepRequestKey(
  client: pg.ClientBase,
  meant: readonly MarkedLine[],
  requestKey: string | undefined,
): Promise<void> {
  if (requestKey === undefined) return;
  const [line, another] = meant;
  if (!line || another) throw new LedgerError('refused', 'a request key is of one payment: name whose');
  if (line.requestKey === requestKey) return;
  if (line.requestKey !== null)
    throw new LedgerError('refused', `the payment of ${line.account} has the request key ${line.requestKey}`);
  await refuseKnownKey(client, requestKey);
  await run(client, SQL.writeKey, [line.id, requestKey]);
}

/** Throws LedgerError `refused` where a payment has it. */
export async function refuseKnownKey(client: pg.ClientBase, requestKey: string): Promise<void> {
  if ((await rowOf(client, SQL.hasKey, [requestKey]))?.has)
    throw new LedgerError('refused', `the request key ${requestKey} is of another payment`);
}

async function moveLines(
  client: pg.ClientBase,
  id: string,
  changed: readonly MarkedLine[],
  { outcome, accounts, note = '' }: Mark,
): Promise<void> {
  const ids = changed.map((line) => line.id);
  await run(client, SQL.markLines, [ids, outcome, accounts !== undefined, note]);
  if (accounts === undefined) await run(client, SQL.writeNote, [id, note]);
  const moved = changed.filter(({ state }) => isMade(state) !== isMade(outcome)).map((line) => line.id);
  await transferPayments(client, moved, isMade(outcome));
}
