/** `stratum-bridge ledger payout`: payouts, which somebody pays by hand, and keys to sign with. */

import { type Command, defineCommand } from '../../cli/line/command.js';
import { markPayout } from '../../operations/orders/book-orders.js';
import { enterPayment } from '../../operations/orders/money-orders.js';
import { paidLines } from '../../operations/payouts.js';
import { listCommand } from '../ctl/list-command.js';
import { orderCommands } from '../ctl/order-command.js';
import { key } from './payout/declared.js';
import { PREPARE_SETTINGS } from './payout/settings.js';
import { LEDGER } from './way.js';

const prepare = defineCommand({
  summary: 'make one of what is due',
  about:
    'Makes a payout of all balances from the minimum up, or from that of the account, and writes it as CSV and JSON; the same ' +
    'payout again until it is marked. Nothing is sent: pay what the files list, and say so.',
  settings: PREPARE_SETTINGS,
  examples: ['ledger payout prepare --out ./payouts'],
  run: async (asked) => (await import('./payout/prepare.js')).prepare(asked),
});

export const payout: Command = {
  summary: 'prepare, show, mark and enter payouts',
  commands: {
    prepare,
    show: listCommand(paidLines, LEDGER.list),
    ...Object.fromEntries(orderCommands({ markPayout, enterPayment }, LEDGER)),
    key,
  },
};
