/** Accounts by number, and what is agreed with single ones: their fee, and from which balance on they are paid. */
import type pg from 'pg';
import { type Amount, formatAmount } from '../../core/money/amount.js';
import { type Beneficiary, beneficiariesText } from '../../core/money/beneficiaries.js';
import type { AccountTerms } from '../../operations/books/ledger.js';
import { LedgerError } from '../database/errors.js';
import { rowOf, rowsOf, run, statementsOf } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { tellInBooks } from '../timeline.js';
import type { AccountWish } from './wish.js';

export const SQL = statementsOf('accounts/accounts.sql');

/** The number of the operator in money, and of everybody together in sums. */
export const NOBODY_ID = 0;

/** Numbers by name; who has none gets one. The operator's name is empty. */
export async function accountIds(
  client: pg.ClientBase | pg.Pool,
  names: readonly string[],
): Promise<Map<string, number>> {
  await run(client, SQL.know, [names]);
  const rows = await rowsOf(client, SQL.idsOf, [names]);
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** Of one that is in the books; throws LedgerError `refused` for another: a slip of the keyboard makes no account. */
export async function knownAccountId(client: pg.ClientBase | pg.Pool, name: string): Promise<number> {
  const row = name === '' ? undefined : await rowOf(client, SQL.idsOf, [[name]]);
  return (row ?? noAccount(name)).id;
}

function noAccount(name: string): never {
  throw new LedgerError('refused', `the books have no account ${JSON.stringify(name)}`);
}

/** Throws LedgerError `refused` for a name that the books do not have. */
export async function accountTerms(pool: pg.Pool, name: string): Promise<AccountTerms> {
  const { total: _, ...terms } = (await rowOf(pool, SQL.terms, [name, 1, 0])) ?? noAccount(name);
  return terms;
}

/** What is absent stays; `default`: as for everybody. */
export interface TermsChange {
  readonly fee?: number | 'default' | undefined;
  readonly minimumPayout?: Amount | 'default' | undefined;
  readonly wishedChain?: number | 'any' | undefined;
  readonly beneficiaries?: readonly Beneficiary[] | undefined;
  readonly note?: string | undefined;
}

/** From now on; an account that has yet to come is made. With a line in the timeline. */
export async function setAccountTerms(
  pool: pg.Pool,
  name: string,
  change: TermsChange,
  by: string,
): Promise<AccountTerms> {
  const { fee, minimumPayout, wishedChain, beneficiaries, note } = change;
  await inTransaction(pool, async (client) => {
    const id = (await accountIds(client, [name])).get(name);
    if (fee !== undefined) await run(client, SQL.agreeFee, [id, fee === 'default' ? null : fee]);
    if (minimumPayout !== undefined) {
      const own = minimumPayout === 'default' ? null : formatAmount(minimumPayout);
      await run(client, SQL.agreeMinimum, [id, own]);
    }
    if (wishedChain !== undefined)
      await run(client, SQL.agreeChain, [id, wishedChain === 'any' ? null : wishedChain]);
    if (beneficiaries !== undefined) await divide(client, id, beneficiaries);
    if (note !== undefined) await run(client, SQL.writeNote, [id, note]);
    const says = `account ${name}: ${changeInWords(change)}`;
    await tellInBooks(client, 'ordered', { order: 'account', about: name }, by, says);
  });
  return accountTerms(pool, name);
}

/** From now on. What does not change is not written again. */
async function divide(
  client: pg.ClientBase,
  id: number | undefined,
  named: readonly Beneficiary[],
): Promise<void> {
  const now = await rowsOf(client, SQL.dividesNow, [id]);
  if (beneficiariesText(now) === beneficiariesText(named)) return;
  const ids = await accountIds(
    client,
    named.map(({ account }) => account),
  );
  await run(client, SQL.divide, [
    id,
    named.map(({ account }) => ids.get(account) ?? null),
    named.map(({ basisPoints }) => basisPoints),
  ]);
}

function changeInWords({ fee, minimumPayout, wishedChain, beneficiaries, note }: TermsChange): string {
  const asAll = 'as for everybody';
  const words = [
    ...(fee === undefined ? [] : [`fee ${fee === 'default' ? asAll : `${fee / 100} %`}`]),
    ...(minimumPayout === undefined
      ? []
      : [`minimum payout ${minimumPayout === 'default' ? asAll : formatAmount(minimumPayout)}`]),
    ...(wishedChain === undefined
      ? []
      : [wishedChain === 'any' ? 'paid on any chain' : `paid on chain ${wishedChain}`]),
    ...(beneficiaries === undefined ? [] : [`passes on ${beneficiariesText(beneficiaries) || 'nothing'}`]),
    ...(note === undefined ? [] : ['a note']),
  ];
  return `${words.join(', ')}, from now on`;
}

/** Of whoever signed it with the account's own key. False for one that is not newer than the last, by a minute: none comes more often. */
export async function takeWish(
  pool: pg.Pool,
  { account, minimum, chainId, beneficiaries, atMs }: AccountWish,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const id = await knownAccountId(client, account);
    const least = minimum === undefined ? null : formatAmount(minimum);
    const taken = await rowOf(client, SQL.wish, [id, least, chainId ?? null, atMs]);
    if (!taken) return false;
    await divide(client, id, beneficiaries);
    await tellInBooks(client, 'payoutWish', {
      ...{ account, minimum: least, chainId: chainId ?? null },
      beneficiaries: beneficiariesText(beneficiaries),
    });
    return true;
  });
}
