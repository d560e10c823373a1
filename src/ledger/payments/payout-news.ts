/** What happens to a payout, for the timeline: told in the transaction that does it, as its last statement. */
import type pg from 'pg';
import type { PaymentOutcome } from '../../operations/enums.js';
import { type RowOf, rowOf } from '../database/statements.js';
import { tellInBooks } from '../timeline.js';
import { noPayout, SQL } from './payouts.js';

/** Resolves with the payout's name. */
export async function tellPrepared(
  client: pg.ClientBase,
  id: string,
  by: string | undefined,
): Promise<string> {
  const { minimum, name, accounts, total } = await factsOf(client, id);
  await tellInBooks(client, 'payoutPrepared', { batch: id, name, minimum, accounts, total }, by);
  return name;
}

interface Said {
  readonly outcome: PaymentOutcome;
  readonly note?: string | undefined;
  readonly by?: string | undefined;
}

/** Resolves with the payout's name. @param payments that are marked so now. */
export async function tellMarked(
  client: pg.ClientBase,
  id: string,
  payments: readonly string[],
  { outcome, note = '', by }: Said,
): Promise<string> {
  const { name, accounts, total } = await factsOf(client, id, payments);
  await tellInBooks(client, 'payoutMarked', { batch: id, name, outcome, note, accounts, total }, by);
  return name;
}

async function factsOf(
  client: pg.ClientBase,
  id: string,
  payments?: readonly string[],
): Promise<RowOf<typeof SQL.facts>> {
  const facts = await rowOf(client, SQL.facts, [id, payments ?? null]);
  if (!facts) throw noPayout(id);
  return facts;
}
