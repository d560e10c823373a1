/** Lists of the ledger alone, as `src/operations` declares them. */
import type { Listing, Slice } from '../../bridge/watch/rig-watch.js';
import type { LedgerLists } from '../../operations/ledger.js';
import { type Ask, statementsOf } from '../database/statements.js';
import { SQL as PRODUCERS } from '../recording/producers.js';
import { listRules } from '../rules/rules.js';

export const SQL = statementsOf('watch/lists.sql');

type Lists = {
  readonly [K in keyof LedgerLists]: (ask: Ask, slice: Slice) => Promise<Listing<LedgerLists[K]>>;
};

const LISTS: Lists = {
  accounts: async (ask, { offset, limit }) => {
    const rows = await ask(SQL.accounts, [limit, offset]);
    return { total: rows[0]?.total ?? 0, items: rows.map(({ total: _, ...account }) => account) };
  },
  operator: async (ask, slice) => partOf(await ask(SQL.operator), slice),
  bridges: async (ask, slice) => partOf(await ask(PRODUCERS.waitedFor), slice),
  rules: async (ask, slice) => partOf(await listRules(ask), slice),
};

export function listed<K extends keyof LedgerLists>(
  ask: Ask,
  name: K,
  slice: Slice,
): Promise<Listing<LedgerLists[K]>> {
  return LISTS[name](ask, slice);
}

/** Of what is never long. */
function partOf<T>(rows: readonly T[], { offset, limit }: Slice): Listing<T> {
  return { total: rows.length, items: rows.slice(offset, offset + limit) };
}
