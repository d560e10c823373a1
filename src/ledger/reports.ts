/** What `stratum-bridge ledger` shows. Amounts and work are decimal strings, hashes lower-case hex. */
import type pg from 'pg';
import type { BlockState } from './blocks/blocks.js';
import { type RowOf, rowOf, rowsOf, statementsOf } from './database/statements.js';
import { PAYS_ANOTHER, UNPAID } from './settlement/reward-rules.js';

export const SQL = statementsOf('reports.sql');

export type AccountReport = RowOf<typeof SQL.accounts>;

export interface BlockReport extends Omit<RowOf<typeof SQL.blocks>, 'state' | keyof Told> {
  /** Absent while no node can have taken it. */
  readonly block?: {
    readonly state: BlockState;
    readonly depth: number;
    readonly reward?: string;
    readonly rewardSource?: string;
    readonly scheme?: string;
    /** Why a block on the chain is credited to nobody yet, and what to do. */
    readonly unpaid?: string;
  };
}

/** By name, from the one after `after` on. */
export function listAccounts(pool: pg.Pool, limit: number, after = ''): Promise<AccountReport[]> {
  return rowsOf(pool, SQL.accounts, [limit, after]);
}

/** What the operator has: fees and rests, and what pay per share has cost. */
export async function operatorReport(pool: pg.Pool): Promise<RowOf<typeof SQL.operator>> {
  const report = await rowOf(pool, SQL.operator);
  if (!report) throw new RangeError('a sum of all rows is a row');
  return report;
}

/** Solutions, the latest first, with what became of each. */
export async function listBlocks(pool: pg.Pool, limit: number): Promise<BlockReport[]> {
  const rows = await rowsOf(pool, SQL.blocks, [limit]);
  return rows.map(({ state, depth, reward, rewardSource, scheme, waitsFor, ...solution }) => ({
    ...solution,
    ...(state === null ? {} : { block: blockOf(state, { depth, reward, rewardSource, scheme, waitsFor }) }),
  }));
}

type Told = Pick<RowOf<typeof SQL.blocks>, 'depth' | 'reward' | 'rewardSource' | 'scheme' | 'waitsFor'>;

function blockOf(
  state: BlockState,
  { depth, reward, rewardSource, scheme, waitsFor }: Told,
): NonNullable<BlockReport['block']> {
  const isOn = state === 'onChain' || state === 'confirmed';
  const unpaid =
    reward === null
      ? rewardSource === 'another'
        ? PAYS_ANOTHER
        : UNPAID
      : waitsFor === null
        ? undefined
        : `${WAITS} ${waitsFor}: ${BRIDGES_TELL}`;
  return {
    ...{ state, depth: depth ?? 0 },
    ...(reward === null ? {} : { reward }),
    ...(rewardSource === null ? {} : { rewardSource }),
    ...(scheme === null ? {} : { scheme }),
    ...(isOn && unpaid !== undefined ? { unpaid } : {}),
  };
}

const WAITS = 'it waits for the shares of';
const BRIDGES_TELL = '`ledger bridges` tells more, `ledger bridges end` waits for it no longer';
