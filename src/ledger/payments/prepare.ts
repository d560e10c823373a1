/**
 * Prepares payouts: their payments claim what is due, in one transaction. For a chain, and for none, at most one payout is
 * prepared at a time: preparing again gives the same one, so that no order of crashes pays twice.
 */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { SQL as CHAINS } from '../chains/cursor.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf, run } from '../database/statements.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import { rulesNow } from '../rules/rules.js';
import { tellPrepared } from './payout-news.js';
import { type BookedPayout, findPrepared, readPayout, SQL } from './payouts.js';

/** Most accounts of one payout; the others are in the next one. */
const MAX_LINES = 10_000;

interface Preparation {
  /** Balances from here up, of accounts that have no minimum of their own. */
  readonly minimum: Amount;
  /** Where it is to be paid; null: nobody says. */
  readonly chainId?: number | null;
  /** Who asks for it. */
  readonly by?: string | undefined;
}

/**
 * The payout that is prepared, or a new one of all balances from the minimum up; `undefined` when nothing is due. Refused while a chain is
 * not followed: blocks that balances come from may be about to leave it.
 */
export async function preparePayout(
  pool: pg.Pool,
  { minimum, chainId = null, by }: Preparation,
): Promise<BookedPayout | undefined> {
  if (minimum <= 0n) throw new LedgerError('refused', 'the minimum payout is above zero');
  const id = await inTransaction(pool, async (client) => {
    await lockBlocks(client);
    const prepared = await findPrepared(client, chainId);
    if (!prepared) await refuseBeside(client);
    await refuseStanding(client);
    if (prepared) {
      await refuseUnfit(client, prepared);
      return prepared.id;
    }
    const made = await makePayout(client, minimum, chainId, by);
    if (made !== undefined) await tellPrepared(client, made, by);
    return made;
  });
  return id === undefined ? undefined : readPayout(pool, id);
}

/** Throws LedgerError `refused` where a bridge pays on chain: what is due is paid once. One that ended without leaving pays no more where rules say so. */
async function refuseBeside(client: pg.ClientBase): Promise<void> {
  const now = await rowOf(client, SQL.holder);
  if (!now?.holder) return;
  if (now.isSilent && (await rulesNow(client)).payoutMode === 'manual') return;
  throw new LedgerError(
    'refused',
    `the bridge at ${now.holder} pays on chain: \`ledger payout send\` asks it for a payout. To pay by hand: \`ledger rules set --payouts-mode manual\`, and again half a minute later`,
  );
}

/** Throws LedgerError `refused` while it is not known of a chain what stands on it. */
async function refuseStanding(client: pg.ClientBase): Promise<void> {
  const chains = await rowsOf(client, CHAINS.shown);
  const chain = chains.find(({ trouble }) => trouble !== '') ?? chains.find(({ behind }) => behind > 0);
  if (!chain) return;
  const { chainId, trouble, behind } = chain;
  const why = trouble === '' ? `is ${behind} blocks behind` : `stands still: ${trouble}`;
  const sentence = `nothing is prepared: chain ${chainId} ${why}. Prepare again when \`ledger follow status\` shows that no chain stands still or is behind`;
  throw new LedgerError('refused', sentence);
}

/** Throws LedgerError `refused` where of what is still to be paid something is not due any more. */
async function refuseUnfit(client: pg.ClientBase, { id, name }: BookedPayout): Promise<void> {
  const line = await rowOf(client, SQL.unfit, [id]);
  if (!line) return;
  const why = line.isHeld ? 'is on hold' : 'has no longer what it is to be paid, as blocks were taken back';
  throw new LedgerError(
    'refused',
    `account ${line.account} ${why}: \`ledger payout mark ${name} failed --line ${line.account}\` takes it out of the payout, if it was not paid`,
  );
}

async function makePayout(
  client: pg.ClientBase,
  minimum: Amount,
  chainId: number | null,
  by: string | undefined,
): Promise<string | undefined> {
  const due = await rowsOf(client, SQL.due, [formatAmount(minimum), chainId, MAX_LINES]);
  if (due.length === 0) return undefined;
  const id = await insertPayout(client, { minimum, chainId, by });
  const [accounts, amounts] = [due.map((row) => row.id), due.map(({ amount }) => amount)];
  const chains = due.map((row) => row.chainId);
  await run(client, SQL.insertLines, [id, chains, 'prepared', '', accounts, amounts, null]);
  return id;
}

/** @param name of one that was prepared in an earlier generation of these books; a new one is made when absent. */
export async function insertPayout(
  client: pg.ClientBase,
  { minimum, chainId, by, name }: Preparation & { readonly name?: string },
): Promise<string> {
  const payout = await rowOf(client, SQL.insertPayout, [name, formatAmount(minimum), chainId, by]);
  return payout?.id ?? '';
}
