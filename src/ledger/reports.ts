/** What `stratum-bridge ledger` shows. Amounts and work are decimal strings, hashes lower-case hex. */
import type pg from 'pg';
import type { SolutionState } from '../bridge/ports.js';
import type { BlockState } from './blocks/blocks.js';
import { type RowOf, rowOf, rowsOf, statementsOf } from './database/statements.js';
import { PAYS_ANOTHER, UNPAID } from './settlement/reward-rules.js';

export interface AccountReport {
  readonly account: string;
  readonly rigs: number;
  /** As far as sums are kept (`ledger.retention.accounts`). */
  readonly shares: number;
  readonly work: string;
  /** The highest difficulty that a hash of its shares ever met. */
  readonly best: number;
  /** Submits that were no shares, and what they would have been credited. */
  readonly rejected: number;
  readonly rejectedWork: string;
  readonly held: string;
  readonly balance: string;
  readonly paying: string;
  readonly paid: string;
}

export interface BlockReport {
  readonly solutionId: string;
  readonly chainId: number;
  readonly height: number;
  /** As computed from the header. */
  readonly hash: string;
  readonly account: string;
  readonly rig: string;
  readonly node: string;
  readonly foundAt: string;
  /** What the node said to it. */
  readonly solution: SolutionState;
  readonly detail: string;
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

export const SQL = statementsOf('reports.sql');

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
  return rows.map(({ foundAt, state, depth, reward, rewardSource, scheme, waitsFor, ...solution }) => ({
    ...{ ...solution, foundAt: foundAt.toISOString() },
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
