/** What people order of payouts: to make one, and to say what became of it; and how an account wishes to be paid. */
import { z } from 'zod';
import { BLOCK_ORDERS, CHAIN_ORDERS } from '../books/chains.js';
import { endLog, setTerms } from '../books/ledger.js';
import { PAYOUT, PAYOUT_ID, type Payout } from '../books/payouts.js';
import { BODY, nameOf } from '../entry/fields.js';
import { type Handlers, orderOf } from '../entry/operation.js';
import { PAYMENT_OUTCOMES } from '../enums.js';
import { PAYER_ORDERS } from '../payer/payer.js';
import { correctBalance, enterPayment } from './money-orders.js';

const TAG = 'orders';
const PARAMS = z.object({ id: PAYOUT_ID });
const MOVED = { payout: PAYOUT.optional().describe('as it stands now') };
const OF_PAYOUT = z.object({ payout: PAYOUT });

const preparePayout = orderOf({
  tag: TAG,
  access: 'approve',
  summary: 'Prepares a payout of all balances from the minimum up, or gives the one that is prepared',
  description:
    'As `stratum-bridge ledger payout prepare`. Refused while a chain is not followed to its head. Nothing is sent: pay it, and say so',
  method: 'POST',
  path: '/api/v1/payouts',
  takesLong: true,
  output: z.object({ payout: PAYOUT.nullable().describe('null when nothing is due') }),
});

const LINE_SAYS = 'the names of accounts that it pays';
const OUTCOMES_SAY =
  'sent: it is paid; confirmed: it was seen; failed: the amounts are due again; unknown: they are neither due nor paid. Of a whole payout, payments with a later state are left alone. Confirmed and failed are final.';

export const markPayout = orderOf({
  tag: TAG,
  access: 'admin',
  summary: 'Says what became of a payout, or of single payments of it',
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

const WISH_SAYS = 'a text of at most 1000 characters';
const SIGNATURE_SAYS = 'an Ed25519 signature of 128 hex digits';

const wish = orderOf({
  tag: TAG,
  access: 'anonymous',
  summary:
    'Says from which balance on and on which chain an account wishes to be paid, and to whom it passes parts on',
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
          'as it was signed, to the byte: {"account":"k:…","pool":"3f9a…","minimum":"5","chain":3,"beneficiaries":"k:…=12.5%","time":"2026-11-22T15:26:37Z"}; null for a minimum as everybody has, for any chain, and for nobody. pool is the key that signs the roots of this pool',
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

/** Those that the ledger carries out by itself. */
export const LEDGER_ORDERS = {
  ...{ markPayout, enterPayment, correctBalance, setTerms, endLog },
  ...CHAIN_ORDERS,
  ...BLOCK_ORDERS,
  ...PAYER_ORDERS,
};
/** And those that take nodes or settings of a bridge. */
export const BOOK_ORDERS = { ...LEDGER_ORDERS, preparePayout, wish };
export type LedgerOrderHandlers = Handlers<typeof LEDGER_ORDERS>;
export type BookOrderHandlers = Handlers<typeof BOOK_ORDERS>;
