/** Moves of money that happen once, and accounts that wait until they are allowed. */
import type pg from 'pg';
import { LedgerError } from '../../database/errors.js';
import { rowsOf, run } from '../../database/statements.js';
import { type Line, post } from '../../settlement/posting.js';
import { SQL } from '../statements.js';

export interface MoneyMove {
  /** The name of it: `tx 31 confirmed 0`. */
  readonly key: string;
  readonly lines: readonly Line[];
}

/** Posts under names, each once for ever. A second time is a defect, and undoes all that came with it. */
export async function moveOnce(
  client: pg.ClientBase,
  cause: string,
  moves: readonly MoneyMove[],
): Promise<void> {
  const rows = await rowsOf(client, SQL.moveOnce, [moves.map(({ key }) => key)]);
  const fresh = new Set(rows.map(({ key }) => key));
  const former = moves.find(({ key }) => !fresh.delete(key));
  if (former) throw new LedgerError('refused', `the books were moved by "${former.key}" before`);
  await post(client, { cause, lines: moves.flatMap(({ lines }) => lines) });
}

export async function holdAccount(
  client: pg.ClientBase,
  accountId: number,
  chainId: number | null,
  why: string,
): Promise<void> {
  await run(client, SQL.holdAccount, [accountId, chainId, null, why, 'the payer']);
}
