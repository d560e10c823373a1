/** What people order of payouts: to make one, to say what became of it, to approve it, to hold an account, to pause and go on. */
import { z } from 'zod';
import { BLOCK_ORDERS, CHAIN_ORDERS } from '../chains.js';
import { BODY, GIVEN_TIME, givenChain, line, nameOf, OF_ACCOUNT } from '../entry/fields.js';
import { type Handlers, orderOf } from '../entry/operation.js';
import { PAYMENT_OUTCOMES } from '../enums.js';
import { endBridge, setTerms } from '../ledger.js';
import { HOLD, PAYER, PAYOUT, PAYOUT_ID, type Payout } from '../payouts.js';

const TAG = 'orders';
const PARAMS = z.object({ id: PAYOUT_ID });
const MOVED = { payout: PAYOUT.optional().describe('as it stands now') };
const PAYER_NOW = { payer: PAYER.optional().describe('as it stands now') };
const OF_PAYOUT = z.object({ payout: PAYOUT });
const NOTE = { note: line(500).describe('why, for who reads the timeline later') };
const REASON = z.strictObject(NOTE, BODY);

const preparePayout = orderOf({
  tag: TAG,
  access: 'approve',
  summary: 'Prepares a payout of all balances from the minimum up, or gives the one that is prepared',
  description:
    'As `stratum-bridge ledger payout prepare`. Refused while a chain is not followed to its head. Nothing is sent: pay it, and say so',
  method: 'POST',
  path: '/api/v1/payouts',
  takesLong: true,
  output: z.object({
    payout: PAYOUT.nullable().describe('null when nothing is due, or the bridge that pays was asked'),
    isAsked: z
      .boolean()
      .describe('the bridge that pays on chain makes one with its next round: /api/v1/payouts/payer tells'),
  }),
});

const LINE_SAYS = 'the names of accounts that it pays';
const OUTCOMES_SAY =
  'sent: it is paid; confirmed: it was seen; failed: the amounts are back in the balances; unknown: they stay on hold. Of a whole payout, payments with a later state are left alone. Confirmed and failed are final.';

const markPayout = orderOf({
  tag: TAG,
  access: 'admin',
  summary: 'Says what became of a payout that is paid by hand, or of single payments of it',
  description: `${OUTCOMES_SAY} The same again changes nothing`,
  method: 'POST',
  path: '/api/v1/payouts/:id/mark',
  params: PARAMS,
  body: z.strictObject(
    {
      outcome: z.enum(PAYMENT_OUTCOMES, `one of ${PAYMENT_OUTCOMES.join(', ')}`),
      line: z
        .array(z.string(LINE_SAYS), LINE_SAYS)
        .optional()
        .describe(
          'only the payments of these accounts; all of the payout where none is named. What was sent is taken back by its line alone',
        ),
      requestKey: z
        .string('a request key')
        .optional()
        .describe('of the transaction that makes the one payment that is marked'),
      note: z
        .string('a text')
        .max(500, 'a text of at most 500 characters')
        .default('')
        .describe('kept with it, such as a transaction; whom the payout pays may read it'),
    },
    BODY,
  ),
  output: OF_PAYOUT,
  refusal: MOVED,
  commands: {
    mark: {
      summary: 'say what became of it: sent, confirmed, failed or unknown',
      about: `${OUTCOMES_SAY} A payment that is sent is taken back by --line alone.`,
      words: '<payout> <outcome>',
      flags: ['line', 'requestKey', 'note'],
      examples: [
        'ledger payout mark 3f9ea-7 sent --note "by hand"',
        'ledger payout mark 3f9ea-7 failed --line k:ab12… --note "no such account"',
      ],
      given: (id, outcome) => ({ id, outcome }),
      said: ({ payout }) => [`payout ${payout.name} is ${payout.state}: ${payments(payout)}`],
    },
  },
});

/** `3 sent, 1 failed`. */
function payments({ payments }: Payout): string {
  const counts = Object.entries(payments).filter(([, count]) => count > 0);
  return `${counts.map(([state, count]) => `${count} ${state}`).join(', ')} of its payments`;
}

const approvePayout = orderOf({
  tag: TAG,
  access: 'approve',
  summary: 'Lets the bridge pay a payout that waits for it',
  method: 'POST',
  path: '/api/v1/payouts/:id/approve',
  params: PARAMS,
  body: z.strictObject(
    {
      hash: z
        .string('the content hash of the payout')
        .regex(/^[0-9a-f]{64}$/i, 'the content hash of the payout: 64 hex digits')
        .toLowerCase()
        .describe(
          'content hash of what was looked at, as `ledger payout status` shows it: another content is not approved by it',
        ),
    },
    BODY,
  ),
  output: OF_PAYOUT.extend({ missing: z.int().describe('approvals that are wanted still') }),
  refusal: MOVED,
  commands: {
    approve: {
      summary: 'let the bridge pay a batch that waits for it',
      about:
        'An approval is of a batch and of its content: the hash is over all of its lines, so nobody can change one afterwards. Look at them ' +
        'first with `ledger payout status ID --lines`, which shows the hash too. Where payouts.approvals asks for more people, each gives his own.',
      words: '<payout>',
      flags: ['hash'],
      examples: ['ledger payout approve 3f9ea-7 --hash 41d0…'],
      given: (id) => ({ id }),
      said: ({ payout: { name, total, accounts }, missing }) => [
        `payout ${name} of ${total} to ${accounts} accounts is approved`,
        missing > 0
          ? `${missing} more ${missing === 1 ? 'has' : 'have'} to approve it`
          : 'the bridge pays it',
      ],
    },
  },
});

const rejectPayout = orderOf({
  tag: TAG,
  access: 'approve',
  summary:
    'Puts the amounts of a payout back into the balances, but of what may be on the chain: that is followed',
  method: 'POST',
  path: '/api/v1/payouts/:id/reject',
  params: PARAMS,
  body: REASON,
  output: OF_PAYOUT.extend({
    followed: z
      .int()
      .describe('payments that may be on the chain: they come back where it is proven that they are not'),
  }),
  refusal: MOVED,
  commands: {
    reject: {
      summary: 'put the amounts of a batch back into the balances',
      about:
        'Of each payment that cannot be on the chain. Where somebody was asked to sign one, it is followed and not tried again, and its amount ' +
        'comes back once it is proven that it can come no more, after payouts.ttl.',
      words: '<payout>',
      flags: ['note'],
      examples: ['ledger payout reject 3f9ea-7 --note "the fee was wrong"'],
      given: (id) => ({ id }),
      said: ({ payout, followed }) => [
        `payout ${payout.name} is rejected: its amounts are back in the balances`,
        ...(followed > 0
          ? [
              `${followed} payments may be on the chain: they are followed and not tried again, and come back where it is proven that they are not`,
            ]
          : []),
      ],
    },
  },
});

const pausePayer = orderOf({
  tag: TAG,
  access: 'approve',
  summary: 'Builds, signs and sends nothing new on chain; what is on its way is followed',
  method: 'POST',
  path: '/api/v1/payouts/payer/pause',
  body: REASON,
  output: PAYER,
  commands: {
    pause: {
      summary: 'build, sign and send nothing new',
      about:
        'It is kept in the books, outlives restarts, and holds until somebody resumes. What is on its way is followed, and sent again where nodes forget it.',
      flags: ['note'],
      examples: ['ledger payout pause --note "I look at the balances first"'],
      said: ({ paused }) => [
        `payouts are paused: ${paused?.says}`,
        'what is on its way is followed; `ledger payout resume` goes on',
      ],
    },
  },
});

const resumePayer = orderOf({
  tag: TAG,
  access: 'admin',
  summary: 'Goes on after a pause, where the checks of money hold',
  method: 'POST',
  path: '/api/v1/payouts/payer/resume',
  takesLong: true,
  body: z.strictObject(
    {
      ...NOTE,
      anyway: z
        .boolean('true or false')
        .default(false)
        .describe('go on although checks of money fail, or restored books were not compared with the chain'),
    },
    BODY,
  ),
  output: z
    .object({
      payer: PAYER,
      former: z.string().nullable().describe('why payouts were paused; null: they were not'),
      accepted: z.array(z.string()).describe('debits of the paying account that are not asked about again'),
      failing: z.array(z.string()).describe('checks that fail, and were told to be gone past'),
    })
    .meta({ id: 'Resumed' }),
  refusal: PAYER_NOW,
  commands: {
    resume: {
      summary: 'go on after a pause',
      about:
        'Runs the checks of `ledger verify` that are about money first (all of them where the books were wrong), and lists what fails: then payouts ' +
        'stay paused, unless --anyway says otherwise. ' +
        'Books that were restored want `ledger payout reconcile` first.',
      flags: ['note', 'anyway'],
      examples: ['ledger payout resume --note "it was my own transfer"'],
      said: ({ former, accepted, failing }) =>
        former === null
          ? ['payouts are not paused']
          : [
              `payouts go on; they were paused: ${former}`,
              ...failing.map((check) => `they go on although this check fails: ${check}`),
              ...accepted.map((debit) => `accepted, and not asked about again: ${debit}`),
            ],
    },
  },
});

const CHAIN = givenChain().optional().describe('only there; on all chains where it is left out');
const HOLDS = z.object({ account: z.string(), holds: z.array(HOLD).describe('of this account') });

const holdAccount = orderOf({
  tag: TAG,
  access: 'admin',
  summary: 'Does not pay an account, on one chain or on all; what is on its way to it goes on',
  method: 'POST',
  path: '/api/v1/payouts/payer/hold',
  body: z.strictObject(
    {
      ...OF_ACCOUNT,
      chain: CHAIN,
      ...NOTE,
      until: GIVEN_TIME.optional().describe('when it ends by itself; without it, when it is allowed'),
    },
    BODY,
  ),
  output: HOLDS,
  commands: {
    hold: {
      summary: 'do not pay an account, on one chain or on all',
      about: 'What is on its way to it goes on. Its balance grows, and is due once it is allowed again.',
      words: '<account>',
      flags: ['chain', 'note', 'until'],
      examples: ['ledger payout hold k:ab12… --note "asked us to wait" --until 2026-12-01'],
      given: (account) => ({ account }),
      said: ({ account, holds }) =>
        holds.map(
          ({ chainId, until, note }) =>
            `${account} is not paid ${chainId === null ? 'on any chain' : `on chain ${chainId}`} ${until === null ? 'until it is allowed' : `until ${until}`}: ${note}`,
        ),
    },
  },
});

const allowAccount = orderOf({
  tag: TAG,
  access: 'admin',
  summary: 'Pays an account again',
  method: 'POST',
  path: '/api/v1/payouts/payer/allow',
  body: z.strictObject({ ...OF_ACCOUNT, chain: CHAIN, ...NOTE }, BODY),
  output: HOLDS,
  commands: {
    allow: {
      summary: 'pay it again',
      about:
        'Without --chain all holds of the account end, also those that the payer made when a payment failed.',
      words: '<account>',
      flags: ['chain', 'note'],
      examples: ['ledger payout allow k:ab12… --note "its guard is right again"'],
      given: (account) => ({ account }),
      said: ({ account, holds }) => [
        `${account} is paid again`,
        ...holds.map(
          ({ chainId }) =>
            `it is held still${chainId === null ? '' : ` on chain ${chainId}`}: \`ledger payout status\` lists it`,
        ),
      ],
    },
  },
});

const WISH_SAYS = 'a text of at most 1000 characters';
const SIGNATURE_SAYS = 'an Ed25519 signature of 128 hex digits';

const wish = orderOf({
  tag: TAG,
  access: 'anonymous',
  summary: 'Says from which balance on, and on which chain, an account wishes to be paid',
  description:
    'For the owner of a k: account, who signs the text with its key (`stratum-bridge keygen wish` does). The time in it is later than that of the last wish, by a minute',
  method: 'POST',
  path: '/api/v1/accounts/:account/wish',
  params: z.object({ account: nameOf('account').min(1, 'the name of an account') }),
  body: z.strictObject(
    {
      wish: z
        .string(WISH_SAYS)
        .max(1_000, WISH_SAYS)
        .describe(
          'as it was signed, to the byte: {"account":"k:…","minimum":"5","chain":3,"time":"2026-11-22T15:26:37Z"}; null for a minimum as everybody has, and for any chain',
        ),
      signature: z
        .string(SIGNATURE_SAYS)
        .regex(/^[0-9a-f]{128}$/i, SIGNATURE_SAYS)
        .describe('of that text in UTF-8, by the key of the account'),
    },
    BODY,
  ),
  output: z.object({ wished: z.literal(true) }),
});

/** Commands of `ledger payout`. */
export const PAYOUT_ORDERS = {
  markPayout,
  approvePayout,
  rejectPayout,
  pausePayer,
  resumePayer,
  holdAccount,
  allowAccount,
};

/** Those that the ledger carries out by itself. */
export const LEDGER_ORDERS = { ...PAYOUT_ORDERS, ...CHAIN_ORDERS, ...BLOCK_ORDERS, setTerms, endBridge };
/** And those that take nodes or settings of a bridge. */
export const BOOK_ORDERS = { ...LEDGER_ORDERS, preparePayout, wish };
export type LedgerOrderHandlers = Handlers<typeof LEDGER_ORDERS>;
export type BookOrderHandlers = Handlers<typeof BOOK_ORDERS>;
