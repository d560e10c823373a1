/** Accounts by number, and what is agreed with single ones: their fee, and from which balance on they are paid. */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/amount.js';
import { LedgerError } from '../database/errors.js';
import { inTransaction } from '../database/transaction.js';
import { tellInBooks } from '../timeline.js';

/** The number of the operator in money, and of everybody together in sums. */
export const NOBODY_ID = 0;

/** Numbers by name; who has none gets one. The operator's name is empty. */
export async function accountIds(
  client: pg.ClientBase | pg.Pool,
  names: readonly string[],
): Promise<Map<string, number>> {
  await client.query('SELECT know_accounts($1)', [names]);
  const { rows } = await client.query<{ name: string; id: number }>(
    `SELECT a.name, a.id FROM account a
     WHERE a.key = ANY (SELECT sha256(convert_to(u, 'UTF8')) FROM unnest($1::text[]) AS u)`,
    [names],
  );
  return new Map(rows.map(({ name, id }) => [name, id]));
}

export interface AccountTerms {
  readonly account: string;
  /** Hundredths of a percent; null: as for everybody. */
  readonly feeBasisPoints: number | null;
  /** Since when; null where there never was one. */
  readonly feeSince: string | null;
  /** null: as for everybody. */
  readonly minimumPayout: string | null;
  readonly note: string;
}

/** Throws LedgerError `refused` for a name that the books do not have. */
export async function accountTerms(pool: pg.Pool, name: string): Promise<AccountTerms> {
  const { rows } = await pool.query<{
    fee: number | null;
    since: Date | null;
    minimum: string | null;
    note: string;
  }>(
    `SELECT f.basis_points AS fee, f.valid_from AS since, minimum_payout AS minimum, note
     FROM account LEFT JOIN LATERAL (
       SELECT * FROM account_fee WHERE account_id = id AND valid_from <= now() ORDER BY valid_from DESC LIMIT 1) f ON true
     WHERE key = sha256(convert_to($1, 'UTF8')) AND id <> ${NOBODY_ID}`,
    [name],
  );
  const [row] = rows;
  if (!row) throw new LedgerError('refused', `the books have no account ${JSON.stringify(name)}`);
  const { fee, since, minimum, note } = row;
  return {
    account: name,
    feeBasisPoints: fee,
    feeSince: since?.toISOString() ?? null,
    minimumPayout: minimum,
    note,
  };
}

/** What is absent stays; `default`: as for everybody. */
export interface TermsChange {
  readonly fee?: number | 'default';
  readonly minimumPayout?: Amount | 'default';
  readonly note?: string;
}

/** From now on; an account that has yet to come is made. With a line in the timeline. */
export async function setAccountTerms(
  pool: pg.Pool,
  name: string,
  change: TermsChange,
  by: string,
): Promise<AccountTerms> {
  const { fee, minimumPayout, note } = change;
  await inTransaction(pool, async (client) => {
    const id = (await accountIds(client, [name])).get(name);
    if (fee !== undefined) {
      await client.query(
        `INSERT INTO account_fee (account_id, valid_from, basis_points) VALUES ($1, now(), $2)`,
        [id, fee === 'default' ? null : fee],
      );
    }
    if (minimumPayout !== undefined) {
      const own = minimumPayout === 'default' ? null : formatAmount(minimumPayout);
      await client.query('UPDATE account SET minimum_payout = $2 WHERE id = $1', [id, own]);
    }
    if (note !== undefined) await client.query('UPDATE account SET note = $2 WHERE id = $1', [id, note]);
    const says = `account ${name}: ${changeInWords(change)}`;
    await tellInBooks(client, 'ordered', says, { order: 'account', about: name }, by);
  });
  return accountTerms(pool, name);
}

function changeInWords({ fee, minimumPayout, note }: TermsChange): string {
  const asAll = 'as for everybody';
  const words = [
    ...(fee === undefined ? [] : [`fee ${fee === 'default' ? asAll : `${fee / 100} %`}`]),
    ...(minimumPayout === undefined
      ? []
      : [`minimum payout ${minimumPayout === 'default' ? asAll : formatAmount(minimumPayout)}`]),
    ...(note === undefined ? [] : ['a note']),
  ];
  return `${words.join(', ')}, from now on`;
}

/** Own fees that hold at a time, by account. Who is not named here has the fee of everybody. */
export async function feesAt(client: pg.ClientBase | pg.Pool, at: Date): Promise<Map<string, number>> {
  const { rows } = await client.query<{ name: string; points: number }>(
    `SELECT name, points FROM (
       SELECT DISTINCT ON (account_id) account_id, basis_points AS points FROM account_fee
       WHERE valid_from <= $1 ORDER BY account_id, valid_from DESC) f
     JOIN account ON id = account_id WHERE points IS NOT NULL`,
    [at],
  );
  return new Map(rows.map(({ name, points }) => [name, points]));
}
