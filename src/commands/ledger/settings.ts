/** What `ledger` is told: where the books are, what a command reads besides, and flags of one run. */
import { BRIDGE_SETTINGS } from '../../config/settings.js';
import { RULE_SETTINGS } from '../../ledger/settings.js';
import { listOf } from '../../values/lists-and-maps.js';
import { numberOf } from '../../values/numbers.js';
import { flagsOnly, onOff, type Settings, setting } from '../../values/setting.js';
import { momentOr, text, wordOr } from '../../values/words.js';
import { FORM_FLAGS, LIST_FLAGS } from '../settings.js';

/** Of every command of `ledger`. */
export const BOOKS_SETTINGS = {
  json: FORM_FLAGS.json,
  dataDir: BRIDGE_SETTINGS.dataDir,
  'ledger.databaseUrl': BRIDGE_SETTINGS['ledger.databaseUrl'],
} satisfies Settings;

/** Of those that show rows. */
export const LEDGER_SETTINGS = { ...FORM_FLAGS, ...BOOKS_SETTINGS } satisfies Settings;

export const LIST_SETTINGS = { ...LIST_FLAGS, ...LEDGER_SETTINGS } satisfies Settings;

/** Of what was set aside: in the ledger, and in the queue. */
export const QUEUE_SETTINGS = {
  ...LIST_SETTINGS,
  'queue.redisUrl': BRIDGE_SETTINGS['queue.redisUrl'],
} satisfies Settings;

/** @param word what stands for no chain. */
export const chainFlag = <const W extends string>(word: W, help: string) =>
  setting(wordOr(word, numberOf('count', 0, 2 ** 31 - 1), `is neither ${word} nor the number of a chain`), {
    ...{ default: word, shape: 'CHAIN', help },
  });

/** New rules: what a flag says. */
export const RULES_SETTINGS = {
  ...flagsOnly({
    from: setting(momentOr('now'), {
      default: 'now',
      shape: 'TIME',
      help: 'From when on they hold, such as 2026-12-01 or 2026-12-01T06:30 (UTC).',
    }),
  }),
  ...RULE_SETTINGS,
  ...LEDGER_SETTINGS,
} satisfies Settings;

/** How much is proved. */
export const VERIFY_SETTINGS = {
  ...flagsOnly({
    all: onOff({
      default: false,
      help: 'Compare closed days with the dump that is named, too: one that was written before they were closed.',
    }),
  }),
  ...LEDGER_SETTINGS,
} satisfies Settings;

/** What was paid since a dump was written. */
export const RESTORE_SETTINGS = {
  ...flagsOnly({
    afterPayments: setting(listOf(text), {
      default: [],
      shape: 'FILE',
      repeatable: true,
      help: 'A payout that was paid since the dump was written, as `payout prepare` wrote it (CSV or JSON): it is entered as paid.',
    }),
    noneWereSent: onOff({ default: false, help: 'Nothing was paid since the dump was written.' }),
  }),
  ...LEDGER_SETTINGS,
} satisfies Settings;

export const SPAN_SETTINGS = {
  ...flagsOnly({
    from: setting(momentOr('ever'), {
      default: 'ever',
      shape: 'TIME',
      help: 'From when on, such as 2026-12-01 or 2026-12-01T06:30 (UTC).',
    }),
    to: setting(momentOr('now'), {
      default: 'now',
      shape: 'TIME',
      help: 'Until when; what begins then is not in it.',
    }),
  }),
  ...LEDGER_SETTINGS,
} satisfies Settings;

/** Of `adopt`. */
export const ADOPT_SETTINGS = {
  ...flagsOnly({
    note: setting(text, { default: '', shape: 'TEXT', help: 'Why, for who reads the timeline later.' }),
  }),
  ...LEDGER_SETTINGS,
} satisfies Settings;

/** The same of an order. */
export const QUEUE_ORDER_SETTINGS = {
  ...BOOKS_SETTINGS,
  'queue.redisUrl': BRIDGE_SETTINGS['queue.redisUrl'],
} satisfies Settings;

export type BooksSettings = typeof BOOKS_SETTINGS;
export type LedgerSettings = typeof LEDGER_SETTINGS;
export type ListSettings = typeof LIST_SETTINGS;
export type RulesSettings = typeof RULES_SETTINGS;
export type VerifySettings = typeof VERIFY_SETTINGS;
export type RestoreSettings = typeof RESTORE_SETTINGS;
export type AdoptSettings = typeof ADOPT_SETTINGS;
export type SpanSettings = typeof SPAN_SETTINGS;
