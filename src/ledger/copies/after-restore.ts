/**
 * What a restore owes to who is paid: a dump does not know what was paid since it was written, and balances that were paid would be
 * paid again. So it is restored with the files of what was paid since, or on somebody's word that nothing was.
 */
import type pg from 'pg';
import { formatAmount, parseAmount } from '../../core/money/amount.js';
import { accountIds } from '../accounts/accounts.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf } from '../database/statements.js';
import { markPayments } from '../payments/mark.js';
import { SQL as PAYOUTS } from '../payments/payouts.js';
import { insertPayout } from '../payments/prepare.js';
import { transferPayments } from '../settlement/transfers.js';
import { SQL } from './copies.js';
import type { PaidLine, PaidPayout } from './paid-files.js';

/** `none`: nothing was paid since. */
export type PaidSince = 'none' | readonly PaidPayout[];

/** Within the restore's transaction. Resolves with what people should know. Throws LedgerError `refused`. */
export async function bringUpToDate(client: pg.ClientBase, paid: PaidSince | undefined): Promise<string[]> {
  if (paid === undefined && (await rowOf(client, SQL.hasMoney))?.has)
    throw new LedgerError('refused', UNTOLD);
  const words: string[] = [];
  for (const payout of Array.isArray(paid) ? (paid as readonly PaidPayout[]) : [])
    words.push(...(await enterPaid(client, payout)));
  words.push(...(await belowZero(client)));
  // Only now: what was paid has the names of before.
  await renew(client);
  return words;
}

const UNTOLD =
  'the dump holds what accounts are owed or worked for, and does not know what of that was paid since it was written: give the files of the payouts that ' +
  'were paid since (--after-payments FILE, each as `payout prepare` wrote it), or say that there were none (--none-were-sent).';

async function enterPaid(client: pg.ClientBase, paid: PaidPayout): Promise<string[]> {
  const known = await rowOf(client, SQL.known, [paid.name]);
  if (known) return enterMarked(client, known.id, paid);
  await enterNew(client, paid);
  return [];
}

/** One that was prepared when the dump was written. */
async function enterMarked(
  client: pg.ClientBase,
  id: string,
  { name, lines }: PaidPayout,
): Promise<string[]> {
  const rows = await rowsOf(client, PAYOUTS.linesMeant, [id, null]);
  const booked = new Map(rows.map((row) => [row.account, row]));
  const differs = lines.find(
    ({ account, amount }) => parseAmount(booked.get(account)?.amount ?? '') !== parseAmount(amount),
  );
  if (differs) {
    const words = `payout ${name} pays ${JSON.stringify(differs.account)} ${differs.amount} in its file, and otherwise in the dump`;
    throw new LedgerError('refused', words);
  }
  const accountsOf = (of: readonly PaidLine[], ...states: string[]): string[] =>
    of.map(({ account }) => account).filter((account) => states.includes(booked.get(account)?.state ?? ''));
  const [paid, failed] = [lines.filter((line) => !line.failed), lines.filter((line) => line.failed)];
  for (const [outcome, of, ...states] of [
    ['sent', paid, 'prepared', 'unknown'],
    ['failed', failed, 'prepared', 'unknown', 'sent'],
  ] as const) {
    const accounts = accountsOf(of, ...states);
    if (accounts.length > 0) await markPayments(client, id, { outcome, accounts, note: NOTE });
  }
  return accountsOf(paid, 'failed').map(
    (account) =>
      `the payment of ${JSON.stringify(account)} in payout ${name} had failed when the dump was written, and stays so`,
  );
}

const NOTE = 'after the dump was written';

async function enterNew(client: pg.ClientBase, { name, chainId, lines: all }: PaidPayout): Promise<void> {
  const lines = all.filter(({ failed }) => !failed);
  if (lines.length === 0) return;
  const amounts = lines.map(({ amount }) => parseAmount(amount) ?? 0n);
  const minimum = amounts.reduce((least, amount) => (amount < least ? amount : least), amounts[0] ?? 1n);
  const id = await insertPayout(client, { minimum, chainId, name });
  const ids = await accountIds(
    client,
    lines.map(({ account }) => account),
  );
  const accounts = lines.map(({ account }) => ids.get(account) ?? null);
  const chains = lines.map((line) => line.chainId);
  const values = [id, chains, 'sent', NOTE, accounts, amounts.map(formatAmount), null] as const;
  const payments = await rowsOf(client, PAYOUTS.insertLines, values);
  await transferPayments(
    client,
    payments.map((payment) => payment.id),
    true,
  );
}

async function belowZero(client: pg.ClientBase): Promise<string[]> {
  const rows = await rowsOf(client, SQL.belowZero);
  return rows.map(
    ({ owner, amount }) =>
      `${JSON.stringify(owner)} was paid more than the dump knows of: its balance is ${amount} until it has earned that`,
  );
}

/** The same ledger, that has gone back: its payouts get names that no former one has. */
async function renew(client: pg.ClientBase): Promise<void> {
  while ((await rowOf(client, SQL.renew))?.used);
}
