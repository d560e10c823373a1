/** What `ledger` is told: all that `serve` is told, and flags of its own. */
import { REWARD_SETTINGS } from './reward-settings.js';
import { onOff, quantity, type Settings, setting } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

const OWN_FLAGS = {
  limit: quantity('limit', 'count', [1, 1_000_000], {
    default: 100,
    help: 'Most rows that are shown.',
    flagOnly: true,
  }),
  out: setting('out', (v) => v.text, {
    default: '.',
    shape: 'FOLDER',
    help: 'Where `payout prepare` writes its files.',
    flagOnly: true,
  }),
  chain: setting(
    'chain',
    (v) => v.wordOr('none', v.quantity('count', 0, 2 ** 31 - 1), 'is neither none nor the number of a chain'),
    {
      default: 'none',
      shape: 'CHAIN',
      help: 'Where it is to be paid: for each chain, and for none, one payout may be prepared at a time.',
      flagOnly: true,
    },
  ),
  line: setting('line', (v) => v.listOf(v.text), {
    default: [],
    shape: 'ACCOUNT',
    repeatable: true,
    help: 'Only the payment of this account; all of the payout where none is named.',
    flagOnly: true,
  }),
  requestKey: setting('request-key', (v) => v.text, {
    default: '',
    shape: 'KEY',
    help: 'Of the transaction that makes the one payment that is marked.',
    flagOnly: true,
  }),
  note: setting('note', (v) => v.text, {
    default: '',
    shape: 'TEXT',
    help: 'Kept with what is marked, such as why.',
    flagOnly: true,
  }),
  lookAgain: onOff('look-again', {
    default: false,
    help: 'Ask the nodes for every block first, also for those too deep to be followed.',
    flagOnly: true,
  }),
  json: onOff('json', { default: false, help: 'JSON also on a terminal.', flagOnly: true }),
  csv: onOff('csv', { default: false, help: 'CSV, with every column and every digit.', flagOnly: true }),
  wide: onOff('wide', { default: false, help: 'A table with every column, however wide.', flagOnly: true }),
};

const { limit, out, chain, line, requestKey, note, lookAgain, json, csv, wide } = OWN_FLAGS;

/** Of every command of `ledger`. */
export const LEDGER_SETTINGS = { ...BRIDGE_SETTINGS, json, csv, wide } satisfies Settings;
export const LIST_SETTINGS = { ...LEDGER_SETTINGS, limit } satisfies Settings;
export const BLOCKS_SETTINGS = { ...LIST_SETTINGS, lookAgain } satisfies Settings;
export const PREPARE_SETTINGS = { ...LEDGER_SETTINGS, out, chain } satisfies Settings;
export const MARK_SETTINGS = { ...LEDGER_SETTINGS, line, requestKey, note } satisfies Settings;

/** What is agreed with one account: where a flag says nothing, it stays. */
export const ACCOUNT_SETTINGS = {
  ...LEDGER_SETTINGS,
  // Those of everybody, whose flags these are elsewhere.
  'rewards.feeBasisPoints': { ...REWARD_SETTINGS['rewards.feeBasisPoints'], flag: '' },
  'payouts.minimum': { ...REWARD_SETTINGS['payouts.minimum'], flag: '' },
  accountFee: setting(
    'fee',
    (v) =>
      v.wordOr(
        'default',
        v.quantity('basis points', 0, 10_000),
        'is neither default nor a part: write 1% or 0.01, as a bare 1 could be either',
      ),
    {
      default: 'default',
      shape: 'PART',
      help: "The operator's part of what it earns, such as 0.5%; default: as for everybody.",
      flagOnly: true,
    },
  ),
  accountMinimum: setting(
    'minimum-payout',
    (v) => v.wordOr('default', v.payable, 'is neither default nor an amount above zero'),
    {
      default: 'default',
      shape: 'AMOUNT',
      help: 'It is paid from this balance on; default: as everybody.',
      flagOnly: true,
    },
  ),
  accountChain: setting(
    'chain',
    (v) => v.wordOr('any', v.quantity('count', 0, 2 ** 31 - 1), 'is neither any nor the number of a chain'),
    {
      default: 'any',
      shape: 'CHAIN',
      help: 'It is paid there, where payments are made on chain; any: where coins are.',
      flagOnly: true,
    },
  ),
  accountNote: setting('note', (v) => v.text, {
    default: '',
    shape: 'TEXT',
    help: 'Kept with the account.',
    flagOnly: true,
  }),
} satisfies Settings;

/** New rules of reward: what a flag says. */
export const RULES_SETTINGS = {
  ...LEDGER_SETTINGS,
  'rewards.scheme': { ...REWARD_SETTINGS['rewards.scheme'], flag: 'scheme' },
  from: setting('from', (v) => v.momentOr('now'), {
    default: 'now',
    shape: 'TIME',
    help: 'From when on they hold, such as 2026-12-01 or 2026-12-01T06:30 (UTC).',
    flagOnly: true,
  }),
} satisfies Settings;

/** What was paid since a dump was written. */
export const RESTORE_SETTINGS = {
  ...LEDGER_SETTINGS,
  afterPayments: setting('after-payments', (v) => v.listOf(v.text), {
    default: [],
    shape: 'FILE',
    repeatable: true,
    help: 'A payout that was paid since the dump was written, as `payout prepare` wrote it (CSV or JSON): it is entered as paid.',
    flagOnly: true,
  }),
  noneWereSent: onOff('none-were-sent', {
    default: false,
    help: 'Nothing was paid since the dump was written.',
    flagOnly: true,
  }),
} satisfies Settings;

export type RestoreSettings = typeof RESTORE_SETTINGS;
const SPAN = {
  from: setting('from', (v) => v.momentOr('ever'), {
    default: 'ever',
    shape: 'TIME',
    help: 'From when on, such as 2026-12-01 or 2026-12-01T06:30 (UTC).',
    flagOnly: true,
  }),
  to: setting('to', (v) => v.momentOr('now'), {
    default: 'now',
    shape: 'TIME',
    help: 'Until when; what begins then is not in it.',
    flagOnly: true,
  }),
};

export const STATEMENT_SETTINGS = { ...LEDGER_SETTINGS, ...SPAN } satisfies Settings;
export const EXPORT_SETTINGS = {
  ...LEDGER_SETTINGS,
  ...SPAN,
} satisfies Settings;

export type StatementSettings = typeof STATEMENT_SETTINGS;
export type ExportSettings = typeof EXPORT_SETTINGS;
export type RulesSettings = typeof RULES_SETTINGS;
export type AccountSettings = typeof ACCOUNT_SETTINGS;
export type LedgerSettings = typeof LEDGER_SETTINGS;
export type ListSettings = typeof LIST_SETTINGS;
export type BlocksSettings = typeof BLOCKS_SETTINGS;
export type PrepareSettings = typeof PREPARE_SETTINGS;
export type MarkSettings = typeof MARK_SETTINGS;

/** Those that matter here, for the help page. */
export const SHOWN_LEDGER_SETTINGS = {
  dataDir: BRIDGE_SETTINGS.dataDir,
  'ledger.databaseUrl': BRIDGE_SETTINGS['ledger.databaseUrl'],
  'node.urls': BRIDGE_SETTINGS['node.urls'],
  'node.ca': BRIDGE_SETTINGS['node.ca'],
  'node.insecure': BRIDGE_SETTINGS['node.insecure'],
  'node.development': BRIDGE_SETTINGS['node.development'],
  ...REWARD_SETTINGS,
  ...OWN_FLAGS,
};
