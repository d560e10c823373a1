/** The tables of `ledger`: what their columns hold, and which matter most where a window is narrow. */

import type { AccountTerms } from '../../ledger/accounts/accounts.js';
import type { BookedPayment, BookedPayout } from '../../ledger/payments/payouts.js';
import type { WaitedFor } from '../../ledger/recording/producers.js';
import type { AccountReport, BlockReport, operatorReport } from '../../ledger/reports.js';
import type { RulesVersion } from '../../ledger/rules/rules.js';
import type { StatementLine } from '../../ledger/statements/statement.js';
import type { Column, Columns } from '../../operations/columns.js';

const name = (importance: number, heading?: string): Column => column('name', importance, heading);
const text = (importance: number, heading?: string): Column => column('text', importance, heading);
const count = (importance: number, heading?: string): Column => column('count', importance, heading);
const amount = (importance: number, heading?: string): Column => column('amount', importance, heading);
const hashes = (importance: number, heading?: string): Column => column('hashes', importance, heading);
const time = (importance: number, heading: string): Column => column('time', importance, `${heading} (UTC)`);

function column(kind: Column['kind'], importance: number, heading?: string): Column {
  return { kind, importance, ...(heading === undefined ? {} : { heading }) };
}

export const ACCOUNTS: Columns<AccountReport> = {
  account: name(1),
  rigs: count(5),
  shares: count(3),
  work: hashes(4),
  best: hashes(6),
  rejected: count(6),
  rejectedWork: hashes(7, 'rejected work'),
  held: amount(4),
  balance: amount(1),
  paying: amount(3),
  paid: amount(2),
};

export const TERMS: Columns<AccountTerms> = {
  account: name(1),
  feeBasisPoints: count(1, 'fee (basis points)'),
  feeSince: time(3, 'since'),
  minimumPayout: amount(1, 'minimum payout'),
  wishedChain: count(2, 'wished chain'),
  note: text(2),
};

export const STATEMENT: Columns<StatementLine> = {
  at: time(1, 'from'),
  what: text(1),
  change: amount(1),
  balance: amount(1),
  paid: amount(2),
  payouts: text(3),
};

export const RULES: Columns<RulesRow> = {
  version: count(1),
  holds: text(1),
  validFrom: time(1, 'from'),
  scheme: text(1),
  fee: text(1),
  pplnsWindow: text(2, 'window'),
  confirmDepth: text(2, 'depth'),
  schedule: text(4),
  poolAccounts: text(4, 'pool accounts'),
  madeAt: time(5, 'made'),
  madeBy: text(3, 'by'),
};

export type RulesRow = Record<
  'scheme' | 'fee' | 'pplnsWindow' | 'confirmDepth' | 'schedule' | 'poolAccounts',
  string
> &
  Pick<RulesVersion, 'version' | 'holds' | 'validFrom' | 'madeAt' | 'madeBy'>;

export type BlockRow = Omit<BlockReport, 'block'> & NonNullable<BlockReport['block']>;

export const BLOCKS: Columns<Partial<BlockRow>> = {
  solutionId: count(7, 'id'),
  foundAt: time(3, 'found'),
  chainId: count(1, 'chain'),
  height: count(1),
  solution: text(4),
  state: text(1, 'block'),
  depth: count(4),
  reward: amount(2),
  account: name(5),
  rig: name(5),
  unpaid: text(6),
  hash: name(7),
  node: name(8),
  scheme: text(9),
  rewardSource: text(9, 'reward from'),
  detail: text(9),
};

/** Times as text. */
export type BridgeRow = Omit<WaitedFor, 'startedAt' | 'heardAt' | 'watermark'> &
  Record<'startedAt' | 'heardAt' | 'watermark', string>;

export const BRIDGES: Columns<BridgeRow> = {
  id: text(1),
  place: text(2),
  heardAt: time(3, 'heard'),
  watermark: time(3, 'all booked until'),
  blocks: count(1, 'blocks wait'),
  shares: count(4),
  missing: text(5),
  startedAt: time(6, 'started'),
};

export const OPERATOR: Columns<Awaited<ReturnType<typeof operatorReport>>> = {
  held: amount(1),
  balance: amount(1),
  pps: amount(2),
  rewards: amount(2),
};

/** payments: how many are in each state, in words. */
export type PayoutRow = Omit<BookedPayout, 'lines'> & {
  readonly accounts: number;
  readonly payments: string;
};

export const PAYOUTS: Columns<PayoutRow> = {
  name: text(1, 'payout'),
  state: text(1),
  total: amount(1),
  accounts: count(2),
  preparedAt: time(3, 'prepared'),
  changedAt: time(5, 'changed'),
  minimum: amount(6),
  note: text(4),
  payments: text(4),
  chainId: count(6, 'chain'),
  id: count(7),
};

export const PREPARED: Columns<PayoutRow & { readonly files: readonly string[] }> = {
  ...PAYOUTS,
  files: text(1),
};

export const PAYMENTS: Columns<BookedPayment> = {
  account: name(1),
  amount: amount(1),
  state: text(1),
  requestKey: name(2, 'request key'),
  changedAt: time(3, 'changed'),
  note: text(4),
};

export interface ProofRow {
  readonly name: string;
  readonly holds: boolean;
  readonly says: string;
  readonly broken: string;
  readonly noted: string;
}

export const PROOFS: Columns<ProofRow> = {
  name: text(1),
  holds: text(1),
  broken: text(2),
  noted: text(3),
  says: text(4),
};

export interface SetAsideRow {
  readonly id: string;
  readonly account: string;
  readonly rig: string;
  readonly shares: number;
  readonly work: string;
  readonly rejections: number;
  readonly since: string;
  readonly error: string;
}

export const SET_ASIDE: Columns<SetAsideRow> = {
  id: name(1),
  since: time(4, 'since'),
  account: name(3),
  rig: name(5),
  shares: count(2),
  work: hashes(5),
  rejections: count(6),
  error: text(1),
};

export interface OutcomeRow {
  readonly id: string;
  readonly shares: number;
  readonly outcome: string;
}

export const OUTCOMES: Columns<OutcomeRow> = { id: name(1), shares: count(2), outcome: text(1) };

export const FILE: Columns<{ readonly file: string }> = { file: text(1) };

export const RESTORED: Columns<{ readonly file: string; readonly proved: boolean }> = {
  file: text(1),
  proved: text(1, 'balances'),
};
