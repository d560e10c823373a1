/** Blocks that pay us and that no log has named: a person says whose one is, or that it is nobody's. */
import type pg from 'pg';
import { accountIds } from '../accounts/accounts.js';
import { LedgerError } from '../database/errors.js';
import { type RowOf, rowOf, run } from '../database/statements.js';
import { inTransaction, lockBlocks } from '../database/transaction.js';
import type { RulesSource } from '../rules/bridge-rules.js';
import { incomeIn } from '../settlement/pricing.js';
import { tellInBooks } from '../timeline.js';
import { confirmWith, SQL } from './blocks.js';

interface ClaimOrder {
  readonly id: string;
  readonly note: string;
  readonly by: string;
}

/** It is split as if this account had found it now. A log that names it later changes nothing. Throws LedgerError `refused`. */
export async function claimBlock(
  pool: pg.Pool,
  { id, note, by }: ClaimOrder,
  account: string,
  rules: RulesSource,
): Promise<void> {
  await inTransaction(pool, async (client) => {
    const { receiver, coinbase, fees, ...place } = await claimable(client, id);
    await accountIds(client, [account]);
    await run(client, SQL.claim, [id, account]);
    await confirmWith(client, { id, ...place }, incomeIn(receiver, coinbase, fees), rules);
    const says = `block ${id} is claimed for ${account}: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'block claim', about: `block ${id}` }, by, says);
  });
}

/** Throws LedgerError `refused`. */
export async function disownBlock(pool: pg.Pool, { id, note, by }: ClaimOrder): Promise<void> {
  await inTransaction(pool, async (client) => {
    await claimable(client, id);
    await run(client, SQL.disown, [id]);
    const says = `block ${id} is disowned, and nobody gets it: ${note}`;
    await tellInBooks(client, 'ordered', { order: 'block disown', about: `block ${id}` }, by, says);
  });
}

async function claimable(
  client: pg.ClientBase,
  id: string,
): Promise<Omit<RowOf<typeof SQL.claimable>, 'state'>> {
  await lockBlocks(client);
  const row = await rowOf(client, SQL.claimable, [id]);
  if (!row) throw new LedgerError('refused', `there is no block ${id}`);
  const { state, ...block } = row;
  if (state === 'unclaimed' || state === 'disowned') return block;
  throw new LedgerError(
    'refused',
    `block ${id} is ${state}: only one that is unclaimed or disowned can be claimed or disowned`,
  );
}
