/**
 * Prepares payouts: what is due goes from the balances on hold, in one transaction. For a chain, and for none, at most one payout is
 * prepared at a time: preparing again gives the same one, so that no order of crashes pays twice.
 */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { SQL as BLOCKS } from '../blocks/blocks.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import { movedLines, post } from '../settlement/posting.js';
import { tellPrepared } from './payout-news.js';
import { type BookedPayout, findPrepared, readPayout, SQL } from './payouts.js';

/** Most accounts of one payout; the others are in the next one. */
const MAX_LINES = 10_000;

interface Preparation {
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

/** Throws LedgerError `refused` while a block that balances come from is in doubt. */
export async function refuseUnseen(client: pg.ClientBase, seenSince: Date): Promise<void> {
  const rows = await rowsOf(client, BLOCKS.unseen, [seenSince, NAMED]);
  const [first] = rows;
  if (!first) return;
  const places = rows.map(({ chainId, height }) => `chain ${chainId} height ${height}`).join(', ');
  const more = Number(first.count) > rows.length ? ', …' : '';
  const sentence =
    `nothing is prepared: of the blocks that balances come from, ${first.count} are not seen on the chain now ` +
    `(${places}${more}). Nodes do not answer for them, or have left them in a reorganisation: prepare again when ` +
    'the nodes answer and `ledger blocks` shows what became of these blocks';
  throw new LedgerError('refused', sentence);
}

async function makePayout(
  client: pg.ClientBase,
  minimum: Amount,
  chainId: number | null,
  by: string | undefined,
): Promise<string | undefined> {
  const due = await rowsOf(client, SQL.due, [formatAmount(minimum), MAX_LINES]);
  if (due.length === 0) return undefined;
  const id = await insertPayout(client, { minimum, chainId, by });
  const [accounts, amounts] = [due.map((row) => row.id), due.map(({ amount }) => amount)];
  await run(client, SQL.insertLines, [id, chainId, 'prepared', '', accounts, amounts]);
  const lines = due.flatMap((row) => movedLines(row.id, row.amount, 'balance', 'paying'));
  await post(client, { cause: 'payout prepared', lines });
  return id;
}

/** @param name of one that was prepared in an earlier generation of these books; a new one is made when absent. */
export async function insertPayout(
  client: pg.ClientBase,
  { minimum, chainId, by, name }: Omit<Preparation, 'seenSince'> & { readonly name?: string },
): Promise<string> {
  const payout = await rowOf(client, SQL.insertPayout, [name, formatAmount(minimum), chainId, by]);
  return payout?.id ?? '';
}
