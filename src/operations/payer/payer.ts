/** Payments on chain: how they stand, what became of each transaction, and what people order of them. */
import { z } from 'zod';
import { PAYOUT_ID } from '../books/payouts.js';
import { AMOUNT, BODY, COUNT, line, nameOf, TIME } from '../entry/fields.js';
import { listOf, orderOf } from '../entry/operation.js';
import { PAUSE_REASONS } from './pauses.js';
import { PAYER } from './payer-view.js';
import { pauseInWords } from './payer-words.js';

const TAG = 'books';
const NOTE = { note: line(500).describe('why, for who reads the timeline later') };

export const payer = listOf({
  name: 'payer',
  tag: TAG,
  access: 'read',
  path: '/api/v1/ledger/payer',
  summary: 'How payments on chain stand: one row, of all bridges on the ledger',
  faults: [503],
  item: PAYER,
  columns: {
    isPaying: {
      kind: 'text',
      importance: 1,
      heading: 'pays',
      of: ({ isPaying }) => (isPaying ? 'yes' : 'no'),
    },
    pauses: {
      kind: 'text',
      importance: 1,
      heading: 'paused',
      inFull: true,
      of: ({ pauses }) => pauses.map(pauseInWords).join(' '),
    },
    waitsUntil: { kind: 'time', importance: 1, heading: 'waits until (UTC)' },
    cursorAt: { kind: 'time', importance: 2, heading: 'read until (UTC)' },
    lines: { kind: 'count', importance: 1, heading: 'to pay' },
    open: { kind: 'count', importance: 1 },
    sent: { kind: 'count', importance: 3 },
    waiting: { kind: 'count', importance: 2, heading: 'to approve' },
    held: { kind: 'count', importance: 3 },
    waitingWhy: { kind: 'text', importance: 2, heading: 'left out', inFull: true },
    plannedAt: { kind: 'time', importance: 4, heading: 'planned (UTC)' },
    isReady: { kind: 'text', importance: 7, heading: 'ready', of: ({ isReady }) => (isReady ? 'yes' : 'no') },
    isAsked: { kind: 'text', importance: 6, heading: 'asked', of: ({ isAsked }) => (isAsked ? 'yes' : 'no') },
    warning: { kind: 'text', importance: 3, heading: 'danger', inFull: true },
    words: { kind: 'text', importance: 7, of: ({ words }) => words.join('; ') },
    account: { kind: 'name', importance: 5 },
    holder: { kind: 'text', importance: 4 },
    heardAt: { kind: 'time', importance: 6, heading: 'heard (UTC)' },
  },
  command: {
    summary: 'how payments on chain stand: who pays, what it waits for, and why it is paused',
    about:
      'After each start nothing is paid until blocks of every chain are taken over up to a time: what an earlier start has sent is seen then, ' +
      'whatever the ledger has lost. With payouts.mode manual no bridge pays.',
    examples: ['ledger payout status'],
  },
});

export const transactions = {
  ...listOf({
    name: 'transactions',
    tag: TAG,
    access: 'read',
    path: '/api/v1/ledger/transactions',
    summary: 'Transactions that pay on chain, the latest first',
    faults: [503],
    most: 1000,
    more: { payout: PAYOUT_ID.optional().describe('only those of this payout') },
    item: z
      .object({
        line: z.string().describe('of the payment that it makes'),
        payout: z.string(),
        account: z.string(),
        amount: AMOUNT,
        chainId: z.int(),
        attempt: z.int(),
        state: z
          .enum(['open', 'paid', 'failed', 'dead'])
          .describe('dead: no block can have it any more, and it is in none'),
        requestKey: z.string(),
        builtAt: TIME,
        until: TIME.describe('in the time of its chain: a block after one of that time does not have it'),
        isSigned: z.boolean(),
        sentAt: TIME.nullable(),
        height: COUNT.nullable().describe('of the block that has ended it'),
        gas: AMOUNT.nullable().describe('that it cost'),
        why: z.string().describe('what stands in its way'),
      })
      .meta({ id: 'ChainTransaction' }),
    columns: {
      account: { kind: 'name', importance: 1 },
      amount: { kind: 'amount', importance: 1 },
      chainId: { kind: 'count', importance: 2, heading: 'chain' },
      state: { kind: 'text', importance: 1 },
      sentAt: { kind: 'time', importance: 2, heading: 'sent (UTC)' },
      until: { kind: 'time', importance: 3, heading: 'until (UTC)' },
      height: { kind: 'count', importance: 3, heading: 'block' },
      requestKey: { kind: 'name', importance: 2, heading: 'request key' },
      line: { kind: 'count', importance: 3 },
      payout: { kind: 'text', importance: 4 },
      attempt: { kind: 'count', importance: 5 },
      why: { kind: 'text', importance: 2, inFull: true },
      gas: { kind: 'amount', importance: 6 },
      builtAt: { kind: 'time', importance: 6, heading: 'built (UTC)' },
      isSigned: {
        kind: 'text',
        importance: 6,
        heading: 'signed',
        of: ({ isSigned }) => (isSigned ? 'yes' : 'no'),
      },
    },
    command: {
      summary: 'transactions that pay on chain, and what became of each',
      words: '[payout]',
      given: (payout) => ({ payout }),
      examples: ['ledger payout transactions 3f9ea-7'],
    },
  }),
};

const PARAMS = z.object({ id: PAYOUT_ID });
const HASH_SAYS = 'the hash of its lines, of 64 hex digits';
const DONE = z.object({ done: z.literal(true) });

const approvePayout = orderOf({
  tag: 'orders',
  access: 'approve',
  summary: 'Approves a payout that is to be paid on chain: exactly the lines that have this hash',
  description:
    'Each person counts once: a token by its name, and all who come by the control socket or the ledger itself as one',
  method: 'POST',
  path: '/api/v1/payouts/:id/approve',
  params: PARAMS,
  body: z.strictObject(
    {
      hash: z
        .string(HASH_SAYS)
        .regex(/^[0-9a-f]{64}$/, HASH_SAYS)
        .describe('of its lines, as they were shown'),
    },
    BODY,
  ),
  output: z.object({ missing: COUNT.describe('people who have to approve it, too') }),
  commands: {
    approve: {
      summary: 'approve one that is to be paid on chain',
      about:
        'The hash is that of its lines (`ledger payouts` has it, `ledger payout show` the lines): what is changed afterwards is not approved. Who ' +
        'comes by a token counts by its name; all on this machine count as one person.',
      words: '<payout>',
      flags: ['hash'],
      examples: ['ledger payout approve 3f9ea-7 --hash 9b2f…'],
      given: (id) => ({ id }),
      said: ({ missing }) => [
        missing === 0
          ? 'it is approved: the bridge that pays goes on with it'
          : `${missing} more have to approve it`,
      ],
    },
  },
});

const rejectPayout = orderOf({
  tag: 'orders',
  access: 'approve',
  summary: 'Rejects a payout that is to be paid on chain: all of it is due again',
  method: 'POST',
  path: '/api/v1/payouts/:id/reject',
  params: PARAMS,
  body: z.strictObject(NOTE, BODY),
  output: z.object({ lines: COUNT.describe('that are due again') }),
  commands: {
    reject: {
      summary: 'reject one that is to be paid on chain: all of it is due again',
      words: '<payout>',
      flags: ['note'],
      examples: ['ledger payout reject 3f9ea-7 --note typo'],
      given: (id) => ({ id }),
      said: ({ lines }) => [`${lines} payments are due again`],
    },
  },
});

const pausePayments = orderOf({
  tag: 'orders',
  access: 'approve',
  summary: 'Pauses payments on chain: what was sent is sent again, and nothing else is built, signed or sent',
  method: 'POST',
  path: `${payer.path}/pause`,
  body: z.strictObject(NOTE, BODY),
  output: DONE,
  commands: {
    pause: {
      summary: 'pause payments on chain',
      about: 'What was sent is sent again; nothing else is built, signed or sent until they are resumed.',
      flags: ['note'],
      examples: ['ledger payout pause --note audit'],
      said: () => ['payments are paused: `ledger payout resume` goes on'],
    },
  },
});

const resumePayments = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Goes on with payments on chain, whatever they were paused for',
  method: 'POST',
  path: `${payer.path}/resume`,
  body: z.strictObject(NOTE, BODY),
  output: z.object({ ended: z.array(z.enum(PAUSE_REASONS)) }),
  commands: {
    resume: {
      summary: 'go on with payments on chain',
      about: 'Look at `ledger payout status` first: it says why they are paused, and what to do about it.',
      flags: ['note'],
      examples: ['ledger payout resume --note checked'],
      said: ({ ended }) => [ended.length === 0 ? 'they were not paused' : 'payments go on'],
    },
  },
});

const holdAccount = orderOf({
  tag: 'orders',
  access: 'approve',
  summary: 'Holds an account: it is not paid until it is allowed',
  method: 'POST',
  path: '/api/v1/accounts/:account/hold',
  params: z.object({ account: nameOf('account').min(1, 'the name of an account') }),
  body: z.strictObject(NOTE, BODY),
  output: z.object({ account: z.string() }),
  commands: {
    hold: {
      summary: 'hold an account: it is not paid until it is allowed',
      words: '<account>',
      flags: ['note'],
      examples: ['ledger payout hold k:ab12… --note disputed'],
      given: (account) => ({ account }),
      said: ({ account }) => [`${account} is held`],
    },
  },
});

const allowAccounts = orderOf({
  tag: 'orders',
  access: 'approve',
  summary: 'Pays an account again that was held, or all that are',
  method: 'POST',
  path: '/api/v1/accounts/allow',
  body: z.strictObject(
    {
      account: z.string('the name of an account').min(1, 'the name of an account').optional(),
      all: z.boolean('true or false').default(false).describe('all that are held'),
      ...NOTE,
    },
    BODY,
  ),
  output: z.object({ allowed: z.array(z.string()) }),
  commands: {
    allow: {
      summary: 'pay an account again that was held, or --all that are',
      words: '[account]',
      flags: ['all', 'note'],
      examples: ['ledger payout allow k:ab12… --note settled', 'ledger payout allow --all --note settled'],
      given: (account) => ({ account }),
      said: ({ allowed }) => [allowed.length === 0 ? 'nobody was held' : `paid again: ${allowed.join(', ')}`],
    },
  },
});

const rebindPayer = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Pays from another account from now on, such as that of a new key',
  description:
    'Refused while a transaction is open. The bridge takes the role anew, and waits as after a start',
  method: 'POST',
  path: `${payer.path}/rebind`,
  body: z.strictObject(
    {
      to: z.string('the name of an account').min(3, 'the name of an account').describe('that pays'),
      ...NOTE,
    },
    BODY,
  ),
  output: DONE,
  commands: {
    rebind: {
      summary: 'pay from another account from now on, such as that of a new key',
      about:
        'For a key that was stolen or lost. No transaction may be open. Give the bridge the new key (payouts.key), and move the coins.',
      flags: ['to', 'note'],
      examples: ['ledger payout rebind --to k:cd34… --note stolen'],
      said: () => ['the ledger pays from there now: start the bridge with the key of that account'],
    },
  },
});

const settleLine = orderOf({
  tag: 'orders',
  access: 'admin',
  summary: 'Says by hand what became of a payment on chain: that a transaction paid it, or that none did',
  description:
    'For what no block can say any more. Not paid: only say so of what can be in no block any more: it is due again then',
  method: 'POST',
  path: '/api/v1/ledger/lines/:line/settle',
  params: z.object({ line: z.string().regex(/^\d{1,19}$/, 'the number of a line') }),
  body: z
    .strictObject(
      {
        paid: z
          .string('a request key')
          .max(100, 'a request key')
          .optional()
          .describe('request key of the transaction that paid it'),
        notPaid: z.boolean('true or false').default(false).describe('none did, and none can any more'),
        ...NOTE,
      },
      BODY,
    )
    .refine(({ paid, notPaid }) => (paid === undefined) === notPaid, {
      message: 'one of paid, with a request key, and notPaid',
    }),
  output: DONE,
  commands: {
    settle: {
      summary: 'say by hand what became of a payment: --paid KEY, or --not-paid',
      about:
        'For what no block can say any more: `ledger payout transactions` names the line. Say that it was not paid only once no block can have it any more.',
      words: '<line>',
      flags: ['paid', 'notPaid', 'note'],
      examples: ['ledger payout settle 31 --not-paid --note checked'],
      given: (id) => ({ line: id }),
      said: () => ['it is settled'],
    },
  },
});

const askForPayout = orderOf({
  tag: 'orders',
  access: 'approve',
  summary: 'Asks the bridge that pays on chain for a payout of what is due, beside its schedule',
  method: 'POST',
  path: `${payer.path}/ask`,
  output: DONE,
});

export const PAYER_ORDERS = {
  ...{ approvePayout, rejectPayout, pausePayments, resumePayments },
  ...{ holdAccount, allowAccounts, rebindPayer, settleLine, askForPayout },
};
