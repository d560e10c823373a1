/**
 * Prepares payouts: what is due goes from the balances on hold, in one transaction. For a chain, and for none, at most one payout is
 * prepared at a time: preparing again gives the same one, so that no order of crashes pays twice.
 */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/amount.js';
import { PAYS_UNSETTLED } from '../blocks/blocks.js';
import { LedgerError } from '../database/errors.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import { post } from '../settlement/posting.js';
import { movedLines } from './moved-lines.js';
import { tellPrepared } from './payout-news.js';
import { type BookedPayout, findPrepared, readPayout } from './payouts.js';

/** Most accounts of one payout; the others are in the next one. */
const MAX_LINES = 10_000;

export interface Preparation {
  /** Balances from here up, of accounts that have no minimum of their own. */
  readonly minimum: Amount;
  /** Where it is to be paid; null: nobody says. */
  readonly chainId?: number | null;
  /** The database's time: blocks that balances come from must have been seen on the chain since then. */
  readonly seenSince: Date;
  /** Who asks for it. */
  readonly by?: string | undefined;
}

/**
 * The payout that is prepared, or a new one of all balances from the minimum up; `undefined` when nothing is due. A new one is
 * refused while a block that balances come from was not seen on the chain lately: it may be about to leave it.
 */
export async function preparePayout(
  pool: pg.Pool,
  { minimum, chainId = null, seenSince, by }: Preparation,
): Promise<BookedPayout | undefined> {
  if (minimum <= 0n) throw new LedgerError('refused', 'the minimum payout is above zero');
  const id = await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const prepared = await findPrepared(client, chainId);
    if (prepared) return prepared.id;
    await refuseUnseen(client, seenSince);
    const made = await makePayout(client, minimum, chainId, by);
    if (made !== undefined) await tellPrepared(client, made, by);
    return made;
  });
  return id === undefined ? undefined : readPayout(pool, id);
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

const DUE = `
  SELECT a.id, b.amount FROM balance b JOIN account a ON a.id = b.account_id
  WHERE b.book = 'balance' AND a.id <> 0 AND b.amount >= coalesce(a.minimum_payout, $1) ORDER BY a.name LIMIT $2`;

async function makePayout(
  client: pg.ClientBase,
  minimum: Amount,
  chainId: number | null,
  by: string | undefined,
): Promise<string | undefined> {
  const { rows: due } = await client.query<{ id: number; amount: string }>(DUE, [
    formatAmount(minimum),
    MAX_LINES,
  ]);
  if (due.length === 0) return undefined;
  const id = await insertPayout(client, { minimum, chainId, by });
  await client.query(
    `INSERT INTO payment (payout_id, account_id, chain_id, amount)
     SELECT $1, l.account_id, $2, l.amount FROM unnest($3::int[], $4::numeric[]) AS l (account_id, amount)`,
    [id, chainId, due.map((row) => row.id), due.map(({ amount }) => amount)],
  );
  const lines = due.flatMap((row) => movedLines(row.id, row.amount, 'balance', 'paying'));
  await post(client, { cause: 'payout prepared', lines });
  return id;
}

/** @param name of one that was prepared in an earlier generation of these books; a new one is made when absent. */
export async function insertPayout(
  client: pg.ClientBase,
  { minimum, chainId, by, name }: Omit<Preparation, 'seenSince'> & { readonly name?: string },
): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `WITH next AS (SELECT nextval(pg_get_serial_sequence('payout', 'id')) AS id)
     INSERT INTO payout (id, name, minimum, chain_id, prepared_by) OVERRIDING SYSTEM VALUE
       SELECT next.id, coalesce($1, generation || '-' || next.id), $2, $3, $4 FROM next, ledger
     RETURNING id`,
    [name ?? null, formatAmount(minimum), chainId ?? null, by ?? null],
  );
  return rows[0]?.id ?? '';
}
