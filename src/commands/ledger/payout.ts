/** `stratum-bridge ledger payout`: payouts by hand, and those that a bridge pays on chain. */

import { type Command, defineCommand } from '../../cli/line/command.js';
import { ledgerLists } from '../../operations/books/ledger.js';
import { paidLines } from '../../operations/books/payouts.js';
import { markPayout } from '../../operations/orders/book-orders.js';
import { enterPayment } from '../../operations/orders/money-orders.js';
import { PAYER_ORDERS, payer } from '../../operations/payer/payer.js';
import { listCommand } from '../ctl/list-command.js';
import { orderCommands } from '../ctl/order-command.js';
import { key } from './payout/declared.js';
import { PREPARE_SETTINGS, SEND_SETTINGS } from './payout/settings.js';
import { LEDGER_SETTINGS, LIST_SETTINGS } from './settings.js';
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

const status = defineCommand({
  summary: payer.command?.summary ?? '',
  about: `${payer.command?.about} Exit code 0: all is settled, 3: some is under way, 4: paused.`,
  settings: LIST_SETTINGS,
  examples: ['ledger payout status'],
  run: async (asked) => (await import('./payout/paying.js')).status(asked),
});

const send = defineCommand({
  summary: 'ask the bridge that pays on chain for a payout of what is due, and follow it',
  about:
    'The running bridge plans, builds, signs and sends by itself, at its schedule. This asks it to do so now. Exit code 0: all is settled, 3: some is ' +
    'under way, 4: paused. It may be ended and begun again as often as you like.',
  settings: SEND_SETTINGS,
  examples: ['ledger payout send --wait'],
  run: async (asked) => (await import('./payout/paying.js')).send(asked),
});

const exportUnsigned = defineCommand({
  summary: 'write out transactions that are to be signed elsewhere',
  about: 'As JSON that quicksign tools take, with the lines for people beside it. Nothing is written over.',
  words: '<file>',
  settings: LEDGER_SETTINGS,
  examples: ['ledger payout export unsigned.json'],
  run: async (asked) => (await import('./payout/elsewhere.js')).exportUnsigned(asked),
});

const importSigned = defineCommand({
  summary: 'read in what was signed elsewhere: all of it or nothing',
  about:
    'What a quicksign tool answered, or the file that was written out with signatures filled in. The bridge sends it.',
  words: '<file>',
  settings: LEDGER_SETTINGS,
  examples: ['ledger payout import signed.json'],
  run: async (asked) => (await import('./payout/elsewhere.js')).importSigned(asked),
});

export const payout: Command = {
  summary: 'prepare, show and mark payouts; approve and follow those that are paid on chain',
  commands: {
    prepare,
    show: listCommand(paidLines, LEDGER.list),
    ...Object.fromEntries(orderCommands({ markPayout, enterPayment, ...PAYER_ORDERS }, LEDGER)),
    status,
    send,
    export: exportUnsigned,
    import: importSigned,
    transactions: listCommand(ledgerLists.transactions, LEDGER.list),
    key,
  },
};
