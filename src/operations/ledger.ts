/** What the ledger alone has: sums of accounts, what the operator has, whom blocks wait for, and the rules of reward. */
import { z } from 'zod';
import { AMOUNT, HASHES, TIME } from './entry/fields.js';
import { listOf } from './entry/operation.js';

const TAG = 'books';
const COUNT = z.number().nonnegative();

const bookedAccounts = listOf({
  name: 'accounts',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/accounts',
  summary: 'Shares, work and money of each account, by its name',
  faults: [503],
  // The sums of each are made for the answer.
  most: 100,
  item: z.object({
    account: z.string(),
    rigs: COUNT.describe('that ever had a share booked'),
    shares: COUNT.describe('as far as sums are kept (`ledger.retention.accounts`)'),
    work: HASHES,
    best: COUNT.describe('highest difficulty that a share ever reached'),
    rejected: COUNT.describe('submits that were no shares'),
    rejectedWork: HASHES.describe('what they would have been credited'),
    held: AMOUNT.describe('of blocks that are not confirmed'),
    balance: AMOUNT,
    paying: AMOUNT,
    paid: AMOUNT,
  }),
  columns: {
    account: { kind: 'name', importance: 1 },
    rigs: { kind: 'count', importance: 5 },
    shares: { kind: 'count', importance: 3 },
    work: { kind: 'hashes', importance: 4 },
    best: { kind: 'hashes', importance: 6 },
    rejected: { kind: 'count', importance: 6 },
    rejectedWork: { kind: 'hashes', importance: 7, heading: 'rejected work' },
    held: { kind: 'amount', importance: 4 },
    balance: { kind: 'amount', importance: 1 },
    paying: { kind: 'amount', importance: 3 },
    paid: { kind: 'amount', importance: 2 },
  },
  command: {
    summary: 'shares, work and money of each account',
    examples: ['ledger accounts --config bridge.yaml'],
  },
});

const operator = listOf({
  name: 'operator',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/operator',
  summary: 'What the operator has, in one row: fees and rests, and what pay per share has cost',
  faults: [503],
  item: z.object({ held: AMOUNT, balance: AMOUNT, pps: AMOUNT, rewards: AMOUNT }),
  columns: {
    held: { kind: 'amount', importance: 1 },
    balance: { kind: 'amount', importance: 1 },
    pps: { kind: 'amount', importance: 2 },
    rewards: { kind: 'amount', importance: 2 },
  },
  command: { summary: 'fees and rests' },
});

const bridges = listOf({
  name: 'bridges',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/bridges',
  summary: 'Bridges whose shares blocks may wait for, who is behind first',
  faults: [503],
  item: z.object({
    id: z.string(),
    place: z.string().describe('host and data directory'),
    startedAt: TIME,
    heardAt: TIME,
    watermark: TIME.describe('all that it accepted before is booked'),
    shares: COUNT,
    missing: z.string().describe('entries that did not come'),
    blocks: COUNT.describe('that wait for it'),
  }),
  columns: {
    // Taken over as it is, so never cut.
    id: { kind: 'count', importance: 1 },
    place: { kind: 'text', importance: 2 },
    heardAt: { kind: 'time', importance: 3, heading: 'heard (UTC)' },
    watermark: { kind: 'time', importance: 3, heading: 'all booked until (UTC)' },
    blocks: { kind: 'count', importance: 1, heading: 'blocks wait' },
    shares: { kind: 'count', importance: 4 },
    missing: { kind: 'text', importance: 5 },
    startedAt: { kind: 'time', importance: 6, heading: 'started (UTC)' },
  },
  command: { summary: 'bridges whose shares blocks may wait for, and how many do' },
});

const rules = listOf({
  name: 'rules',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/rules',
  summary: 'The rules of reward, the last version first, in words',
  faults: [503],
  item: z.object({
    version: COUNT,
    holds: z.boolean().describe('it is in force now'),
    validFrom: TIME.nullable().describe('null: of ever'),
    scheme: z.string(),
    fee: z.string(),
    pplnsWindow: z.string(),
    confirmDepth: z.string(),
    schedule: z.string(),
    poolAccounts: z.string(),
    madeAt: TIME,
    madeBy: z.string(),
  }),
  columns: {
    version: { kind: 'count', importance: 1 },
    holds: { kind: 'text', importance: 1, heading: 'in force', of: ({ holds }) => (holds ? 'yes' : 'no') },
    validFrom: { kind: 'time', importance: 1, heading: 'from (UTC)' },
    scheme: { kind: 'text', importance: 1 },
    fee: { kind: 'text', importance: 1 },
    pplnsWindow: { kind: 'text', importance: 2, heading: 'window' },
    confirmDepth: { kind: 'text', importance: 2, heading: 'depth' },
    schedule: { kind: 'text', importance: 4 },
    poolAccounts: { kind: 'text', importance: 4, heading: 'pool accounts' },
    madeAt: { kind: 'time', importance: 5, heading: 'made (UTC)' },
    madeBy: { kind: 'text', importance: 3, heading: 'by' },
  },
  command: { summary: 'the rules of reward, each version with its time, and which hold' },
});

export const ledgerLists = { accounts: bookedAccounts, operator, bridges, rules } as const;
/** An item of each. */
export type LedgerLists = {
  readonly [Name in keyof typeof ledgerLists]: z.output<(typeof ledgerLists)[Name]['item']>;
};
