/** The tables of payouts on chain. */

import type { PayerChainReport } from '../../../bridge/watch/payer-watch.js';
import type { AccountHold, ChainBatch, ChainLine } from '../../../ledger/transactions/orders.js';
import type { Columns } from '../../../operations/columns.js';
import { PAYMENT_STATES } from '../../../operations/enums.js';
import type { Evidence } from '../../../operations/payouts.js';

const iso = (ms: number): string => new Date(ms).toISOString();

export interface BatchRow {
  readonly name: string;
  readonly state: string;
  readonly total: string;
  readonly accounts: number;
  readonly payments: string;
  readonly approvals: string;
  readonly contentHash: string;
  readonly approvalFor: string;
  readonly preparedAt: string;
  readonly preparedBy: string;
  readonly note: string;
  readonly id: string;
}

export function batchRow(batch: ChainBatch): BatchRow {
  const { id, name, total, accounts, approvals, approvalsNeeded, contentHash, approvalFor, note } = batch;
  return {
    ...{ id, name, total, accounts, note, state: stateOf(batch), payments: inWords(batch.payments) },
    approvals: approvalsNeeded === 0 ? '' : `${approvals} of ${approvalsNeeded}`,
    contentHash: contentHash ?? '',
    approvalFor: approvalFor ?? '',
    preparedAt: iso(batch.preparedAtMs),
    preparedBy: batch.preparedBy ?? '',
  };
}

export function stateOf({
  isRejected,
  isClosed,
  approvals,
  approvalsNeeded,
}: Pick<ChainBatch, 'isRejected' | 'isClosed' | 'approvals' | 'approvalsNeeded'>): string {
  if (isRejected) return isClosed ? 'rejected' : 'rejected, the rest followed';
  if (isClosed) return 'settled';
  return approvals < approvalsNeeded ? 'waits for approval' : 'under way';
}

function inWords(payments: ChainBatch['payments']): string {
  const some = PAYMENT_STATES.filter((state) => payments[state] > 0);
  return some.map((state) => `${payments[state]} ${state}`).join(', ');
}

export const BATCHES: Columns<BatchRow> = {
  name: { kind: 'text', importance: 1, heading: 'payout' },
  state: { kind: 'text', importance: 1 },
  total: { kind: 'amount', importance: 1 },
  accounts: { kind: 'count', importance: 2 },
  payments: { kind: 'text', importance: 2 },
  approvals: { kind: 'text', importance: 3 },
  contentHash: { kind: 'name', importance: 3, heading: 'content hash' },
  approvalFor: { kind: 'text', importance: 4, heading: 'why approved' },
  preparedAt: { kind: 'time', importance: 4, heading: 'prepared (UTC)' },
  preparedBy: { kind: 'text', importance: 6, heading: 'by' },
  note: { kind: 'text', importance: 5 },
  id: { kind: 'count', importance: 7 },
};

export type LineRow = Omit<ChainLine, 'changedAtMs' | 'attempt'> & { readonly changedAt: string };

export function lineRow({ changedAtMs, attempt: _, ...line }: ChainLine): LineRow {
  return { ...line, changedAt: iso(changedAtMs) };
}

export const LINES: Columns<LineRow> = {
  id: { kind: 'count', importance: 2, heading: 'payment' },
  payout: { kind: 'text', importance: 4 },
  account: { kind: 'name', importance: 1 },
  part: { kind: 'count', importance: 7 },
  chainId: { kind: 'count', importance: 1, heading: 'chain' },
  amount: { kind: 'amount', importance: 1 },
  state: { kind: 'text', importance: 1 },
  transaction: { kind: 'text', importance: 3 },
  requestKey: { kind: 'name', importance: 3, heading: 'request key' },
  blockHeight: { kind: 'count', importance: 4, heading: 'block' },
  blockHash: { kind: 'name', importance: 6, heading: 'block hash' },
  gasPaid: { kind: 'amount', importance: 5, heading: 'gas' },
  note: { kind: 'text', importance: 3 },
  changedAt: { kind: 'time', importance: 5, heading: 'changed (UTC)' },
};

export interface ChainRow {
  readonly chain: number;
  readonly coins: string;
  readonly waiting: string;
  readonly missing: string;
  readonly lines: number;
  readonly height: number | undefined;
  readonly head: number | undefined;
  readonly trouble: string;
}

export function chainRow(chain: PayerChainReport): ChainRow {
  const { chainId, balance, head, waiting, missing, lines, height, trouble } = chain;
  const coins = balance ?? '';
  return { chain: chainId, coins, waiting, missing, lines, height, head: head?.height, trouble };
}

export const CHAINS: Columns<ChainRow> = {
  chain: { kind: 'count', importance: 1 },
  coins: { kind: 'amount', importance: 1 },
  waiting: { kind: 'amount', importance: 1 },
  missing: { kind: 'amount', importance: 2 },
  lines: { kind: 'count', importance: 3 },
  height: { kind: 'count', importance: 5, heading: 'read to' },
  head: { kind: 'count', importance: 4 },
  trouble: { kind: 'text', importance: 1 },
};

export interface HoldRow {
  readonly account: string;
  readonly chain: number | null;
  readonly until: string;
  readonly note: string;
  readonly by: string;
  readonly at: string;
}

export function holdRow({ account, chainId, untilMs, note, by, atMs }: AccountHold): HoldRow {
  return { account, chain: chainId, until: untilMs === null ? '' : iso(untilMs), note, by, at: iso(atMs) };
}

export const HOLDS: Columns<HoldRow> = {
  account: { kind: 'name', importance: 1 },
  chain: { kind: 'count', importance: 2 },
  until: { kind: 'time', importance: 3, heading: 'until (UTC)' },
  note: { kind: 'text', importance: 1 },
  by: { kind: 'text', importance: 4 },
  at: { kind: 'time', importance: 5, heading: 'since (UTC)' },
};

export const STEPS: Columns<Evidence['events'][number]> = {
  at: { kind: 'time', importance: 1, heading: 'at (UTC)' },
  was: { kind: 'text', importance: 1 },
  now: { kind: 'text', importance: 1 },
  by: { kind: 'text', importance: 3 },
  evidence: { kind: 'text', importance: 2 },
};

export interface ReconciledRow {
  /** `missing`: not in the books; `taken over`: entered now; `foreign`: none of these books; `signed`: it may come still. */
  readonly what: string;
  readonly chainId: number;
  readonly height: number | null;
  readonly account: string;
  readonly amount: string;
  readonly requestKey: string;
}

export const RECONCILED: Columns<ReconciledRow> = {
  what: { kind: 'text', importance: 1 },
  chainId: { kind: 'count', importance: 1, heading: 'chain' },
  height: { kind: 'count', importance: 2 },
  account: { kind: 'name', importance: 1 },
  amount: { kind: 'amount', importance: 1 },
  requestKey: { kind: 'name', importance: 3, heading: 'request key' },
};
