/** `stratum-bridge ledger payout`: payouts by hand, and those that a bridge pays on chain. */

import { type Command, defineCommand } from '../../cli/line/command.js';
import { forKeys } from './payout/declared.js';
import {
  ALLOW_SETTINGS,
  APPROVE_SETTINGS,
  HOLD_SETTINGS,
  MARK_SETTINGS,
  NOTE_SETTINGS,
  PREPARE_SETTINGS,
  RECONCILE_SETTINGS,
  RESUME_SETTINGS,
  SEND_SETTINGS,
  STATUS_SETTINGS,
} from './payout/settings.js';
import { LEDGER_SETTINGS, SPAN_SETTINGS } from './settings.js';

/** Of any mode; `show` and `mark` are for what is paid by hand. */
const byHand = {
  prepare: defineCommand({
    summary: 'make one of what is due',
    about:
      'Makes a payout of all balances from the minimum up, or from that of the account, and writes it as CSV and JSON; the same ' +
      'payout again until it is marked. It asks the nodes for confirmed blocks first. With payouts.mode approve or auto the bridge ' +
      'that pays makes the batch, and this says its name and content hash.',
    settings: PREPARE_SETTINGS,
    examples: ['ledger payout prepare --out ./payouts'],
    run: async (asked) => (await import('./payout/manual.js')).prepare(asked),
  }),
  show: defineCommand({
    summary: 'whom it pays, and what came of it',
    words: '<payout>',
    settings: LEDGER_SETTINGS,
    run: async (asked) => (await import('./payout/manual.js')).show(asked),
  }),
  mark: defineCommand({
    summary: 'say what became of it',
    about:
      'sent: it is paid; confirmed: it was seen; failed: the amounts are back in the balances; unknown: they stay on hold. Of a whole ' +
      'payout, payments stay as they are of which more is known. Confirmed and failed are final. A payment that is sent is taken back by --line alone.',
    words: '<payout> <sent|confirmed|failed|unknown>',
    settings: MARK_SETTINGS,
    examples: [
      'ledger payout mark 3f9ea-7 sent --note "by hand"',
      'ledger payout mark 3f9ea-7 failed --line k:ab12… --note "no such account"',
    ],
    run: async (asked) => (await import('./payout/manual.js')).mark(asked),
  }),
};

const decided = {
  approve: defineCommand({
    summary: 'let the bridge pay a batch that waits for it',
    about:
      'An approval is of a batch and of its content: the hash is over all of its lines, so nobody can change one afterwards. Look at them ' +
      'first with `ledger payout status ID --lines`, which shows the hash too. Where payouts.approvals asks for more people, each gives his own.',
    words: '<payout>',
    settings: APPROVE_SETTINGS,
    examples: ['ledger payout approve 3f9ea-7 --hash 41d0…'],
    run: async (asked) => (await import('./payout/orders.js')).approve(asked),
  }),
  reject: defineCommand({
    summary: 'put the amounts of a batch back into the balances',
    about:
      'Of each payment that cannot be on the chain. Where somebody was asked to sign one, it is followed and not tried again, and its amount ' +
      'comes back once it is proven that it can come no more, after payouts.ttl.',
    words: '<payout>',
    settings: NOTE_SETTINGS,
    examples: ['ledger payout reject 3f9ea-7 --note "the fee was wrong"'],
    run: async (asked) => (await import('./payout/orders.js')).reject(asked),
  }),
  hold: defineCommand({
    summary: 'do not pay an account, on one chain or on all',
    about: 'What is on its way to it goes on. Its balance grows, and is due once it is allowed again.',
    words: '<account>',
    settings: HOLD_SETTINGS,
    examples: ['ledger payout hold k:ab12… --note "asked us to wait" --until 2026-12-01'],
    run: async (asked) => (await import('./payout/orders.js')).hold(asked),
  }),
  allow: defineCommand({
    summary: 'pay it again',
    about:
      'Without --chain all holds of the account end, also those that the payer made when a payment failed.',
    words: '<account>',
    settings: ALLOW_SETTINGS,
    examples: ['ledger payout allow k:ab12… --note "its guard is right again"'],
    run: async (asked) => (await import('./payout/orders.js')).allow(asked),
  }),
  pause: defineCommand({
    summary: 'build, sign and send nothing new',
    about:
      'It is kept in the books, outlives restarts, and holds until somebody resumes. What is on its way is followed, and sent again where nodes forget it.',
    settings: NOTE_SETTINGS,
    examples: ['ledger payout pause --note "I look at the balances first"'],
    run: async (asked) => (await import('./payout/orders.js')).pause(asked),
  }),
  resume: defineCommand({
    summary: 'go on after a pause',
    about:
      'Runs the checks of `ledger verify` that are about money first (all of them where the books were wrong), and lists what fails: then payouts ' +
      'stay paused, unless --anyway says otherwise. ' +
      'Books that were restored want `ledger payout reconcile` first.',
    settings: RESUME_SETTINGS,
    examples: ['ledger payout resume --note "it was my own transfer"'],
    run: async (asked) => (await import('./payout/orders.js')).resume(asked),
  }),
};

const watched = {
  reconcile: defineCommand({
    summary: 'compare books and chain; exit code 0 where they agree, 3 while something is waited for',
    about:
      'The bridge that pays reads the blocks again: payments of these books that they do not know of, as after a restore, and debits of the ' +
      'paying account that are none of theirs. --apply enters the former, and changes nothing else. What the log beside the key has signed and ' +
      'neither books nor chain know is named, and waited for. Blocks that could not be read are named too. Books that were restored are whole again once no block can take anything any more that was signed before: it says until when that is.',
    settings: RECONCILE_SETTINGS,
    examples: ['ledger payout reconcile', 'ledger payout reconcile --apply'],
    run: async (asked) => (await import('./payout/reconcile.js')).reconcile(asked),
  }),
  status: defineCommand({
    summary: 'how payments on chain stand; exit code 0 settled, 3 under way, 4 paused',
    about:
      'Whether payouts are paused, why, and what to do; the last and the next run; each chain with its coins, what waits for them, and what is ' +
      'wrong with it; batches that are not settled. With the name of a batch, of that one.',
    words: '[payout]',
    settings: STATUS_SETTINGS,
    examples: ['ledger payout status', 'ledger payout status 3f9ea-7 --lines'],
    run: async (asked) => (await import('./payout/status.js')).status(asked),
  }),
  send: defineCommand({
    summary: 'wait until the bridge has paid a batch; exit code 0 settled, 3 under way, 4 paused',
    about:
      'The running bridge builds, signs and sends by itself. This follows it, and says what it waits for. It may be ended and begun again as often ' +
      'as you like. Where no bridge pays (payouts.mode manual, or none runs), it says so.',
    words: '[payout]',
    settings: SEND_SETTINGS,
    examples: ['ledger payout send 3f9ea-7 --wait final --timeout 2h'],
    run: async (asked) => (await import('./payout/send.js')).send(asked),
  }),
  evidence: defineCommand({
    summary: 'all that is known of one payment: its transactions, blocks, and each step with what showed it',
    words: '<payment>',
    settings: LEDGER_SETTINGS,
    examples: ['ledger payout evidence 31', 'ledger payout evidence vKx2…'],
    run: async (asked) => (await import('./payout/status.js')).evidence(asked),
  }),
  statement: defineCommand({
    summary: 'payments on chain as CSV: account, amount, chain, request key, block and gas',
    about:
      'What is in a block deep enough, and what failed there and cost gas. By the time at which that was found.',
    settings: SPAN_SETTINGS,
    examples: ['ledger payout statement --from 2026-11-01 --to 2026-12-01 > november.csv'],
    run: async (asked) => (await import('./payout/statement.js')).statement(asked),
  }),
};

export const payout: Command = {
  summary: 'prepare, show and mark payouts; approve and follow those that are paid on chain',
  commands: { ...byHand, ...decided, ...watched, ...forKeys },
};
