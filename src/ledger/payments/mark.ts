/** What became of payments: said for a whole payout, or line by line, and moved in the books in the same transaction. */
import type pg from 'pg';
import { LedgerError } from '../database/errors.js';
import { inTransaction } from '../database/transaction.js';
import { type Book, post } from '../settlement/posting.js';
import { movedLines } from './moved-lines.js';
import { tellMarked } from './payout-news.js';
import {
  type BookedPayout,
  keyOf,
  noPayout,
  type PaymentOutcome,
  type PaymentState,
  readPayout,
} from './payouts.js';

/** Where the amount of a payment is. */
const BOOKS: Readonly<Record<PaymentState, Book>> = {
  prepared: 'paying',
  unknown: 'paying',
  sent: 'paid',
  confirmed: 'paid',
  failed: 'balance',
};

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

interface MarkedLine {
  readonly id: string;
  readonly account_id: number;
  readonly account: string;
  readonly amount: string;
  readonly state: PaymentState;
  readonly request_key: string | null;
}

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
  const { rows } = await client.query<{ id: string; name: string }>(
    `SELECT id, name FROM payout WHERE ${keyOf(which)} = $1 FOR UPDATE`,
    [which],
  );
  const [payout] = rows;
  if (!payout) throw noPayout(which);
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
  const { rows } = await client.query<MarkedLine>(
    `SELECT l.id, l.account_id, a.name AS account, l.amount, l.state, l.request_key FROM payment l JOIN account a ON a.id = l.account_id
     WHERE l.payout_id = $1 AND ($2::text[] IS NULL OR a.name = ANY ($2)) ORDER BY l.id FOR UPDATE OF l`,
    [id, accounts ?? null],
  );
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
  if (line.request_key === requestKey) return;
  if (line.request_key !== null)
    throw new LedgerError(
      'refused',
      `the payment of ${line.account} has the request key ${line.request_key}`,
    );
  const { rows } = await client.query('SELECT FROM payment WHERE request_key = $1', [requestKey]);
  if (rows.length > 0)
    throw new LedgerError('refused', `the request key ${requestKey} is of another payment`);
  await client.query('UPDATE payment SET request_key = $2 WHERE id = $1', [line.id, requestKey]);
}

async function moveLines(
  client: pg.ClientBase,
  id: string,
  changed: readonly MarkedLine[],
  { outcome, accounts, note = '' }: Mark,
): Promise<void> {
  const ids = changed.map((line) => line.id);
  await client.query(
    `UPDATE payment SET state = $2, changed_at = now(), note = CASE WHEN $3 THEN $4 ELSE note END WHERE id = ANY ($1)`,
    [ids, outcome, accounts !== undefined, note],
  );
  if (accounts === undefined) await client.query('UPDATE payout SET note = $2 WHERE id = $1', [id, note]);
  const to = BOOKS[outcome];
  const lines = changed.flatMap((line) => movedLines(line.account_id, line.amount, BOOKS[line.state], to));
  if (lines.length > 0) await post(client, { cause: `payout ${outcome}`, lines });
}
