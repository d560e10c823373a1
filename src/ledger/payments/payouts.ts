/**
 * Payouts: batches that the operator pays by hand and then marks.
 *
 *     prepared -> sent      the amounts are gone
 *     prepared -> failed    the amounts are back in the balances
 *     prepared -> unknown   the amounts stay on hold until it is marked sent or failed
 *
 * At most one batch is prepared at a time: preparing again gives the same one, so that no order of crashes pays twice.
 */
import type pg from 'pg';
import { type Amount, formatAmount, parseAmount } from '../../core/amount.js';
import { csvLine, csvText } from '../../core/csv.js';
import { PAYS_UNSETTLED } from '../blocks/blocks.js';
import { LedgerError } from '../database/errors.js';
import { inTransaction, lockBlocks, lockBooks } from '../database/transaction.js';
import { type Line, OPERATOR_ID, post } from '../settlement/posting.js';
import { tellMarked, tellPrepared } from './payout-news.js';

export type BatchState = 'prepared' | 'sent' | 'failed' | 'unknown';
export type BatchOutcome = Exclude<BatchState, 'prepared'>;

export interface Batch {
  readonly id: string;
  readonly state: BatchState;
  readonly preparedAt: string;
  readonly changedAt: string;
  readonly minimum: string;
  readonly note: string;
  readonly total: string;
  /** By account name. */
  readonly lines: readonly { readonly account: string; readonly amount: string }[];
}

/** Most accounts of one batch; the others are in the next one. */
const MAX_LINES = 10_000;

/**
 * The batch that is prepared, or a new one of all balances from `minimum` up; `undefined` when nothing is due. A new one is
 * refused while a block that balances come from was not seen on the chain since `seenSince`, the database's time: it may
 * be about to leave it.
 *
 * @param by who asks for it, for the timeline.
 */
export async function preparePayout(
  pool: pg.Pool,
  minimum: Amount,
  seenSince: Date,
  by?: string,
): Promise<Batch | undefined> {
  if (minimum <= 0n) throw new LedgerError('refused', 'the minimum payout is above zero');
  const id = await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    await lockBooks(client);
    const prepared = await preparedBatch(client);
    if (prepared !== undefined) return prepared;
    await refuseUnseen(client, seenSince);
    const made = await makeBatch(client, minimum);
    if (made !== undefined) await tellPrepared(client, made, by);
    return made;
  });
  return id === undefined ? undefined : readBatch(pool, id);
}

/** The batch that is prepared and not marked yet. */
export async function findPrepared(pool: pg.Pool): Promise<Batch | undefined> {
  const [batch] = await readBatches(pool, "WHERE b.state = 'prepared'", []);
  return batch;
}

/** Blocks that a refusal names. */
const NAMED = 5;

async function refuseUnseen(client: pg.ClientBase, seenSince: Date): Promise<void> {
  const { rows } = await client.query<{ chain_id: number; height: string; count: string }>(
    `SELECT s.chain_id, s.height, count(*) OVER () AS count FROM block b JOIN solution s ON s.id = b.solution_id
     WHERE ${PAYS_UNSETTLED} AND coalesce(b.seen_at, '-infinity') < $1 ORDER BY s.height, s.chain_id LIMIT $2`,
    [seenSince, NAMED],
  );
  const [first] = rows;
  if (!first) return;
  const places = rows.map(({ chain_id, height }) => `chain ${chain_id} height ${height}`).join(', ');
  const more = Number(first.count) > rows.length ? ', …' : '';
  const sentence =
    `nothing is prepared: of the blocks that balances come from, ${first.count} are not seen on the chain now ` +
    `(${places}${more}). Nodes do not answer for them, or have left them in a reorganisation: prepare again when ` +
    'the nodes answer and `ledger blocks` shows what became of these blocks';
  throw new LedgerError('refused', sentence);
}

/** Settles a batch, or puts it on hold. Marking it again with the same outcome changes nothing. Throws LedgerError `refused`. */
export async function markBatch(
  pool: pg.Pool,
  id: string,
  outcome: BatchOutcome,
  note = '',
  by?: string,
): Promise<Batch> {
  await inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ state: BatchState }>(
      'SELECT state FROM batch WHERE id = $1 FOR UPDATE',
      [asId(id)],
    );
    const state = rows[0]?.state;
    if (!state) throw new LedgerError('refused', `there is no batch ${id}`);
    if (state === outcome) return;
    if (state === 'sent' || state === 'failed') {
      throw new LedgerError('refused', `batch ${id} is ${state}, which is final`);
    }
    await client.query('UPDATE batch SET state = $2, note = $3, changed_at = now() WHERE id = $1', [
      id,
      outcome,
      note,
    ]);
    if (outcome !== 'unknown') await settle(client, id, outcome);
    await tellMarked(client, id, outcome, by);
  });
  return readBatch(pool, id);
}

export async function readBatch(pool: pg.Pool, id: string): Promise<Batch> {
  const [batch] = await readBatches(pool, 'WHERE b.id = $1', [asId(id)]);
  if (!batch) throw new LedgerError('refused', `there is no batch ${id}`);
  return batch;
}

/** The latest first. */
export function listBatches(pool: pg.Pool, limit: number): Promise<Batch[]> {
  return readBatches(pool, 'ORDER BY b.id DESC LIMIT $1', [limit]);
}

/** `batch,account,amount`, one line each, quoted as RFC 4180 asks. */
export function batchAsCsv(batch: Batch): string {
  const rows = batch.lines.map(({ account, amount }) => [batch.id, csvText(account), amount]);
  return [['batch', 'account', 'amount'], ...rows].map(csvLine).join('');
}

export function batchAsJson(batch: Batch): string {
  return `${JSON.stringify(batch, undefined, 2)}\n`;
}

function asId(id: string): string {
  if (!/^\d{1,18}$/.test(id))
    throw new LedgerError('refused', `a batch has a number, not ${JSON.stringify(id)}`);
  return id;
}

async function preparedBatch(client: pg.ClientBase): Promise<string | undefined> {
  const { rows } = await client.query<{ id: string }>("SELECT id FROM batch WHERE state = 'prepared'");
  return rows[0]?.id;
}

async function makeBatch(client: pg.ClientBase, minimum: Amount): Promise<string | undefined> {
  const { rows } = await client.query<{ owner: string; amount: string }>(
    `SELECT a.name AS owner, b.amount FROM balance b JOIN account a ON a.id = b.account_id
     WHERE b.book = 'balance' AND a.id <> $1 AND b.amount >= $2 ORDER BY a.name LIMIT $3`,
    [OPERATOR_ID, formatAmount(minimum), MAX_LINES],
  );
  if (rows.length === 0) return undefined;
  const inserted = await client.query<{ id: string }>(
    'INSERT INTO batch (minimum) VALUES ($1) RETURNING id',
    [formatAmount(minimum)],
  );
  const id = inserted.rows[0]?.id ?? '';
  await client.query(
    `INSERT INTO batch_line (batch_id, account, amount)
     SELECT $1, l.account, l.amount FROM unnest($2::text[], $3::numeric[]) AS l (account, amount)`,
    [id, rows.map((row) => row.owner), rows.map((row) => row.amount)],
  );
  await post(client, { cause: 'payout prepared', lines: await movedLines(client, id, 'balance', 'paying') });
  return id;
}

async function settle(client: pg.ClientBase, id: string, outcome: 'sent' | 'failed'): Promise<void> {
  const lines = await movedLines(client, id, 'paying', outcome === 'sent' ? 'paid' : 'balance');
  await post(client, { cause: `payout ${outcome}`, lines });
}

async function movedLines(
  client: pg.ClientBase,
  id: string,
  from: Line['book'],
  to: Line['book'],
): Promise<Line[]> {
  const { rows } = await client.query<{ account_id: number; amount: string }>(
    `SELECT a.id AS account_id, l.amount FROM batch_line l JOIN account a ON a.key = sha256(convert_to(l.account, 'UTF8'))
     WHERE l.batch_id = $1`,
    [id],
  );
  return rows.flatMap(({ account_id: accountId, amount }) => {
    const value = parseAmount(amount) ?? 0n;
    return [
      { accountId, book: from, amount: -value },
      { accountId, book: to, amount: value },
    ];
  });
}

async function readBatches(pool: pg.Pool, tail: string, values: unknown[]): Promise<Batch[]> {
  const { rows } = await pool.query<{
    id: string;
    state: BatchState;
    prepared_at: Date;
    changed_at: Date;
    minimum: string;
    note: string;
    total: string;
    lines: Batch['lines'];
  }>(
    `SELECT b.*, t.total, t.lines FROM batch b CROSS JOIN LATERAL (
       SELECT sum(amount)::text AS total,
              json_agg(json_build_object('account', account, 'amount', amount::text) ORDER BY account) AS lines
       FROM batch_line WHERE batch_id = b.id
     ) t ${tail}`,
    values,
  );
  return rows.map((row) => ({
    id: row.id,
    state: row.state,
    preparedAt: row.prepared_at.toISOString(),
    changedAt: row.changed_at.toISOString(),
    minimum: row.minimum,
    note: row.note,
    total: row.total,
    lines: row.lines,
  }));
}
