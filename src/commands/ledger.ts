/** `stratum-bridge ledger`: the books for the operator. Works beside a running bridge. */

import { type Command, defineCommand } from '../cli/line/command.js';
import { blocks } from '../operations/books/blocks.js';
import { BLOCK_ORDERS, CHAIN_ORDERS } from '../operations/books/chains.js';
import { ENTRY_ORDERS, setAside } from '../operations/books/entries.js';
import { endLog, ledgerLists, setTerms } from '../operations/books/ledger.js';
import { payouts } from '../operations/books/payouts.js';
import { correctBalance } from '../operations/orders/money-orders.js';
import { withDefaults } from '../values/setting.js';
import { listCommand } from './ctl/list-command.js';
import { orderCommands } from './ctl/order-command.js';
import { payout } from './ledger/payout.js';
import {
  ADOPT_SETTINGS,
  LEDGER_SETTINGS,
  LIST_SETTINGS,
  RESTORE_SETTINGS,
  RULES_SETTINGS,
  SPAN_SETTINGS,
  VERIFY_SETTINGS,
} from './ledger/settings.js';
import { LEDGER, QUEUE } from './ledger/way.js';

const verify = defineCommand({
  summary: 'prove that the books balance; exit code 1 if they do not',
  about:
    'Transfers of a day are summed when it is 30 days over. --all compares these sums with a dump of before, which has the transfers one by one.',
  words: '[dump]',
  settings: VERIFY_SETTINGS,
  examples: ['ledger verify --json', 'ledger verify --all october.dump'],
  run: async (asked) => (await import('./ledger/verify.js')).verify(asked),
});

const listLogs = listCommand(ledgerLists.logs, LEDGER.list);

const log: Command = {
  ...listLogs,
  summary: 'logs whose shares blocks may wait for',
  commands: { list: listLogs, ...Object.fromEntries(orderCommands({ endLog }, LEDGER)) },
};

const account: Command = {
  summary: 'the fee and the minimum payout of single accounts, and corrections by hand',
  commands: {
    show: listCommand(ledgerLists.terms, LEDGER.list),
    ...Object.fromEntries(orderCommands({ setTerms, correctBalance }, LEDGER)),
  },
};

const block: Command = {
  summary: 'blocks that pay the pool and that no bridge has named',
  commands: Object.fromEntries(orderCommands(BLOCK_ORDERS, LEDGER)),
};

const listChains = listCommand(ledgerLists.chains, LEDGER.list);

const follow: Command = {
  ...listChains,
  summary: 'how far each chain is followed, and what to do where one stands still',
  commands: { status: listChains, ...Object.fromEntries(orderCommands(CHAIN_ORDERS, LEDGER)) },
};

const showRules = listCommand(ledgerLists.rules, LEDGER.list);

const rules: Command = {
  ...showRules,
  commands: {
    show: showRules,
    set: defineCommand({
      summary: 'make new rules, from now on or from a time on',
      about:
        'What no flag names stays as it is. A block is split by the rules that were in force when it was found. All bridges go ' +
        'by them, at once and without a restart.',
      settings: RULES_SETTINGS,
      examples: [
        'ledger rules set --rewards-fee 0.5%',
        'ledger rules set --rewards-scheme pps --rewards-schedule 0=2.3 --from 2026-12-01',
      ],
      run: async (asked) => (await import('./ledger/rules.js')).set(asked),
    }),
  },
};

/** Whole: what it comes to stands in its last line. */
const statement = listCommand(ledgerLists.statement, {
  ...LEDGER.list,
  settings: withDefaults(LIST_SETTINGS, { limit: 1_000_000 }),
});

const exported: Command = {
  summary: 'the books for other programs',
  commands: {
    journal: defineCommand({
      summary: 'all transfers as CSV',
      settings: SPAN_SETTINGS,
      examples: ['ledger export journal --from 2026-01-01 > journal.csv'],
      run: async (asked) => (await import('./ledger/statements.js')).exportJournal(asked),
    }),
  },
};

const listEntries = listCommand(setAside, QUEUE.list);

const entry: Command = {
  ...listEntries,
  summary: 'entries of shares, and parts of them, that could not be booked',
  commands: { list: listEntries, ...Object.fromEntries(orderCommands(ENTRY_ORDERS, QUEUE)) },
};

const dump = defineCommand({
  summary: 'write the books as one file, while the bridge runs or not',
  words: '<file>',
  settings: LEDGER_SETTINGS,
  examples: ['ledger dump books.dump'],
  run: async (asked) => (await import('./ledger/copies.js')).dump(asked),
});

const restore = defineCommand({
  summary: 'read what `ledger dump` wrote into empty books',
  about:
    'A dump does not know what was paid since it was written. Where accounts have money in it, it is restored with the files of those ' +
    'payouts, or on the word that there were none. The books are proved afterwards; exit code 1 if they do not balance.',
  words: '<file>',
  settings: RESTORE_SETTINGS,
  examples: [
    'ledger restore books.dump --data-dir ./data --none-were-sent',
    'ledger restore books.dump --data-dir ./data --after-payments payout-3f9ea-7.csv',
  ],
  run: async (asked) => (await import('./ledger/copies.js')).restore(asked),
});

const adopt = defineCommand({
  summary: 'move shares aside that were written down for another ledger',
  about:
    'Shares are shipped to the ledger only that they were written down for: a bridge on another one does not start. This moves them aside, and ' +
    'the next start begins anew. What of them was not booked yet is credited to nobody, unless a bridge is started with them on the former ledger.',
  settings: ADOPT_SETTINGS,
  examples: ['ledger adopt --note "the former database is lost"'],
  run: async (asked) => (await import('./ledger/adopt.js')).adopt(asked),
});

export const command: Command = {
  summary: 'show accounts, blocks and payouts, prepare payouts, prove the books',
  about:
    'Finds the books by the settings of the bridge: the same file and variables as `serve`. Only restore makes ' +
    'books where there are none.',
  commands: {
    ...{
      accounts: listCommand(ledgerLists.accounts, LEDGER.list),
      account,
      statement,
      rules,
      blocks: listCommand(blocks, LEDGER.list),
      block,
      follow,
      operator: listCommand(ledgerLists.operator, LEDGER.list),
      payouts: listCommand(payouts, LEDGER.list),
      log,
      verify,
      payout,
      entry,
      dump,
      restore,
      adopt,
    },
    export: exported,
  },
};
