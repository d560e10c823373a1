/** What people book by hand: a correction, and a payment that the ledger does not know. */
import { z } from 'zod';
import { type Amount, parseAmount } from '../../core/money/amount.js';
import { AMOUNT, BODY, givenChain, line, nameOf, OF_ACCOUNT } from '../entry/fields.js';
import { orderOf } from '../entry/operation.js';

const NOTE = { note: line(500).describe('why, for bookkeepers') };
const ACCOUNT = z.object({ account: nameOf('account').min(1, 'the name of an account') });
const AMOUNT_SAYS = 'an amount with up to 12 decimals, other than zero';
const PAID_SAYS = 'an amount above zero with up to 12 decimals';

function amountFor(says: string, isFit: (amount: Amount) => boolean) {
  return z.string(says).transform((given, context): Amount => {
    const amount = parseAmount(given);
    if (amount !== undefined && isFit(amount)) return amount;
    context.addIssue(says);
    return z.NEVER;
  });
}

const AFTERWARDS = z.object({
  account: z.string(),
  due: AMOUNT.describe('afterwards'),
});

export const correctBalance = orderOf({
  tag: 'orders',
  access: 'admin',
  summary:
    'Transfers an amount from the operator to an account by hand, or from it where the amount is below zero',
  method: 'POST',
  path: '/api/v1/accounts/:account/corrections',
  params: ACCOUNT,
  body: z.strictObject(
    {
      amount: amountFor(AMOUNT_SAYS, (amount) => amount !== 0n).describe(
        'such as 1.5, or -1.5: the account has so much less',
      ),
      ...NOTE,
    },
    BODY,
  ),
  output: AFTERWARDS,
  commands: {
    correct: {
      summary: 'transfer an amount to it from the operator, or from it where the amount is below zero',
      about:
        'For what the rules do not cover. The ledger keeps who did so, and why; the statement of the account shows it.',
      words: '<account> <amount>',
      flags: ['note'],
      examples: ['ledger account correct k:ab12… 1.5 --note "shares of the outage"'],
      given: (account, amount) => ({ account, amount }),
      said: ({ account, due }) => [`${account} has ${due} due now`],
    },
  },
});

export const enterPayment = orderOf({
  tag: 'orders',
  access: 'admin',
  summary:
    'Enters a payment that was made and that the ledger does not know, such as one that was made twice',
  description:
    'It comes off what is due, which may be below zero then: the account earns that before it is paid again',
  method: 'POST',
  path: '/api/v1/payouts/entered',
  body: z.strictObject(
    {
      ...OF_ACCOUNT,
      amount: amountFor(PAID_SAYS, (amount) => amount > 0n),
      chain: givenChain().optional().describe('that it was paid on'),
      requestKey: z
        .string('a request key')
        .max(100, 'a request key')
        .optional()
        .describe('of the transaction that paid it'),
      ...NOTE,
    },
    BODY,
  ),
  output: AFTERWARDS.extend({ payout: z.string().describe('name of the payout that it is entered as') }),
  commands: {
    enter: {
      summary: 'enter a payment that was made and that the ledger does not know',
      about:
        'Such as one that was made twice. It comes off what is due: where that is below zero then, it is earned before more is paid.',
      words: '<account> <amount>',
      flags: ['chain', 'requestKey', 'note'],
      examples: ['ledger payout enter k:ab12… 12.5 --chain 0 --request-key u4W… --note "paid twice"'],
      given: (account, amount) => ({ account, amount }),
      said: ({ account, due, payout }) => [
        `it is entered as payout ${payout}: ${account} has ${due} due now`,
      ],
    },
  },
});
