/** What `stratum-bridge ledger` shows. Amounts and work are decimal strings, hashes lower-case hex. */
import type pg from 'pg';
import type { SolutionState } from '../bridge/ports.js';
import { toHex } from '../core/bytes.js';
import type { BlockState } from './blocks/blocks.js';
import { ONLINE } from './recording/kinds.js';
import { UNPAID } from './settlement/reward-rules.js';

export interface AccountReport {
  readonly account: string;
  readonly rigs: number;
  /** As far as sums are kept (`ledger.retention.accounts`). */
  readonly shares: number;
  readonly work: string;
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

/** Zero in the form of every amount. */
const ZERO = '0.000000000000';

/** By name, from the one after `after` on. */
export async function listAccounts(pool: pg.Pool, limit: number, after = ''): Promise<AccountReport[]> {
  const { rows } = await pool.query<
    Omit<AccountReport, 'shares' | 'rejected'> & { shares: string; rejected: string }
  >(
    `WITH named AS (
       SELECT name AS account FROM account WHERE name > $2 AND EXISTS (SELECT FROM rig WHERE rig.account_id = account.id)
       UNION SELECT a.name FROM money m JOIN account a ON a.id = m.account_id WHERE a.name > $2 ORDER BY 1 LIMIT $1
     )
     SELECT n.account, (SELECT count(*)::int FROM rig WHERE account_id = a.id) AS rigs, s.*, m.*
     FROM named n LEFT JOIN account a ON a.key = account_key(n.account)
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(submits) FILTER (WHERE kind = 0), 0)::text AS shares,
              coalesce(sum(work) FILTER (WHERE kind = 0), 0)::text AS work,
              coalesce(sum(submits) FILTER (WHERE kind > 0), 0)::text AS rejected,
              coalesce(sum(work) FILTER (WHERE kind > 0), 0)::text AS "rejectedWork"
       FROM account_minute WHERE account_id = a.id AND kind < ${ONLINE}) s
     CROSS JOIN LATERAL (
       SELECT ${['held', 'balance', 'paying', 'paid'].map(sumOfBook).join(', ')} FROM money
       WHERE account_id = a.id) m
     ORDER BY n.account`,
    [limit, after],
  );
  return rows.map((row) => ({ ...row, shares: Number(row.shares), rejected: Number(row.rejected) }));
}

function sumOfBook(book: string): string {
  return `coalesce(sum(amount) FILTER (WHERE book = '${book}'), 0)::numeric(38, 12)::text AS ${book}`;
}

/** What the operator has: fees and rests, and what pay per share has cost. */
export async function operatorReport(
  pool: pg.Pool,
): Promise<Record<'held' | 'balance' | 'pps' | 'rewards', string>> {
  const { rows } = await pool.query<{ book: string; amount: string }>(
    'SELECT book, amount FROM money WHERE account_id = 0',
  );
  const amountOf = (book: string): string => rows.find((row) => row.book === book)?.amount ?? ZERO;
  return {
    held: amountOf('held'),
    balance: amountOf('balance'),
    pps: amountOf('pps'),
    rewards: amountOf('rewards'),
  };
}

/** Solutions, the latest first, with what became of each. */
export async function listBlocks(pool: pg.Pool, limit: number): Promise<BlockReport[]> {
  const { rows } = await pool.query<BlockReportRow>(
    `SELECT s.id, s.chain_id, s.height, b.hash, s.account, s.rig, s.node, s.found_at, s.state, s.detail,
            b.state AS block_state, b.depth, b.reward + b.fees AS reward, b.reward_source, b.scheme
     FROM solution s LEFT JOIN block b ON b.solution_id = s.id ORDER BY s.id DESC LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({
    solutionId: row.id,
    chainId: row.chain_id,
    height: Number(row.height),
    hash: row.hash ? toHex(row.hash) : '',
    account: row.account,
    rig: row.rig,
    node: row.node,
    foundAt: row.found_at.toISOString(),
    solution: row.state,
    detail: row.detail,
    ...(row.block_state === null ? {} : { block: blockOf(row, row.block_state) }),
  }));
}

interface BlockReportRow {
  id: string;
  chain_id: number;
  height: string;
  hash: Buffer | null;
  account: string;
  rig: string;
  node: string;
  found_at: Date;
  state: SolutionState;
  detail: string;
  block_state: BlockState | null;
  depth: number | null;
  reward: string | null;
  reward_source: string | null;
  scheme: string | null;
}

function blockOf(row: BlockReportRow, state: BlockState): NonNullable<BlockReport['block']> {
  return {
    state,
    depth: row.depth ?? 0,
    ...(row.reward === null ? {} : { reward: row.reward }),
    ...(row.reward_source === null ? {} : { rewardSource: row.reward_source }),
    ...(row.scheme === null ? {} : { scheme: row.scheme }),
    ...(row.reward === null && (state === 'onChain' || state === 'confirmed') ? { unpaid: UNPAID } : {}),
  };
}
