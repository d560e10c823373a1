/** `stratum-bridge ledger payout`: payouts by hand, and those that a bridge pays on chain. */

import { type Command, defineCommand } from '../../cli/line/command.js';
import { PAYOUT_ORDERS } from '../../operations/orders/book-orders.js';
import { paidLines } from '../../operations/payouts.js';
import { listCommand } from '../ctl/list-command.js';
import { orderCommands } from '../ctl/order-command.js';
import { forKeys } from './payout/declared.js';
import { PREPARE_SETTINGS, RECONCILE_SETTINGS, SEND_SETTINGS, STATUS_SETTINGS } from './payout/settings.js';
import { LEDGER_SETTINGS, SPAN_SETTINGS } from './settings.js';
import { LEDGER } from './way.js';

const prepare = {
  prepare: defineCommand({
    summary: 'make one of what is due',
    about:
      'Makes a payout of all balances from the minimum up, or from that of the account, and writes it as CSV and JSON; the same ' +
      'payout again until it is marked. It asks the nodes for confirmed blocks first. With payouts.mode approve or auto the bridge ' +
      'that pays makes the batch, and this says its name and content hash.',
    settings: PREPARE_SETTINGS,
    examples: ['ledger payout prepare --out ./payouts'],
    run: async (asked) => (await import('./payout/prepare.js')).prepare(asked),
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
  commands: {
    ...prepare,
    show: listCommand(paidLines, LEDGER.list),
    ...Object.fromEntries(orderCommands(PAYOUT_ORDERS, LEDGER)),
    ...watched,
    ...forKeys,
  },
};
