/** What `ledger payout` is told besides what every command of `ledger` is. */
import { BRIDGE_SETTINGS } from '../../../config/settings.js';
import { REWARD_SETTINGS } from '../../../ledger/settings.js';
import { listOf } from '../../../values/lists-and-maps.js';
import { numberOf } from '../../../values/numbers.js';
import { choice, flagsOnly, onOff, quantity, type Settings, setting } from '../../../values/setting.js';
import { momentOr, text, wordOr } from '../../../values/words.js';
import { chainFlag, LEDGER_SETTINGS, LIST_SETTINGS, NODE_SETTINGS, VERIFY_SETTINGS } from '../settings.js';

export const PREPARE_SETTINGS = {
  ...flagsOnly({
    out: setting(text, { default: '.', shape: 'FOLDER', help: 'Where it writes its files.' }),
    chain: chainFlag(
      'none',
      'Where it is to be paid: for each chain, and for none, one payout may be prepared at a time.',
    ),
  }),
  ...REWARD_SETTINGS,
  'miner.account': BRIDGE_SETTINGS['miner.account'],
  'payouts.mode': BRIDGE_SETTINGS['payouts.mode'],
  ...LEDGER_SETTINGS,
  ...NODE_SETTINGS,
} satisfies Settings;

export const MARK_SETTINGS = {
  ...flagsOnly({
    line: setting(listOf(text), {
      default: [],
      shape: 'ACCOUNT',
      repeatable: true,
      help: 'Only the payment of this account; all of the payout where none is named.',
    }),
    requestKey: setting(text, {
      default: '',
      shape: 'KEY',
      help: 'Of the transaction that makes the one payment that is marked.',
    }),
    note: setting(text, { default: '', shape: 'TEXT', help: 'Kept with what is marked, such as why.' }),
  }),
  ...LEDGER_SETTINGS,
} satisfies Settings;

export const APPROVE_SETTINGS = {
  ...flagsOnly({
    hash: setting(text, {
      default: '',
      shape: 'HASH',
      help: 'Content hash of what is approved, as `payout status` shows it: another content is not approved by it.',
    }),
  }),
  ...LEDGER_SETTINGS,
} satisfies Settings;

/** Of an order that says why. */
export const NOTE_SETTINGS = {
  ...flagsOnly({
    note: setting(text, {
      default: '',
      shape: 'TEXT',
      help: 'Why, for who reads the timeline later; it is needed.',
    }),
  }),
  ...LEDGER_SETTINGS,
} satisfies Settings;

export const RESUME_SETTINGS = {
  ...flagsOnly({
    anyway: onOff({
      default: false,
      help: 'Go on although checks fail, or restored books were not compared with the chain.',
    }),
  }),
  ...NOTE_SETTINGS,
} satisfies Settings;

export const ALLOW_SETTINGS = {
  ...flagsOnly({ chain: chainFlag('all', 'Only there.') }),
  ...NOTE_SETTINGS,
} satisfies Settings;

export const HOLD_SETTINGS = {
  ...flagsOnly({
    until: setting(momentOr('allowed'), {
      default: 'allowed',
      shape: 'TIME',
      help: 'When it ends by itself, such as 2026-12-01 or 2026-12-01T06:30 (UTC); allowed: when `payout allow` ends it.',
    }),
  }),
  ...ALLOW_SETTINGS,
} satisfies Settings;

export const STATUS_SETTINGS = {
  ...flagsOnly({
    lines: onOff({
      default: false,
      help: 'Each line too: whom it pays, where, and what became of it.',
    }),
  }),
  ...LIST_SETTINGS,
} satisfies Settings;

export const SEND_SETTINGS = {
  ...flagsOnly({
    wait: choice(['confirmed', 'final'], {
      default: 'confirmed',
      shape: 'STATE',
      help: 'confirmed: until the books say that it is paid. final: until no usual reorganisation can take it back.',
    }),
    timeout: quantity('time', ['1s', '7d'], {
      default: '30m',
      help: 'How long it is waited for. What is on its way goes on afterwards.',
    }),
  }),
  ...VERIFY_SETTINGS,
} satisfies Settings;

export const RECONCILE_SETTINGS = {
  ...flagsOnly({
    since: setting(
      wordOr('compared', numberOf('count', 0, 2 ** 53 - 1), 'is neither compared nor a height'),
      {
        default: 'compared',
        shape: 'HEIGHT',
        help: 'From what height on, on every chain; compared: from where books and chain are known to agree.',
      },
    ),
    apply: onOff({
      default: false,
      help: 'Enter payments that the chain has and the books do not know of. Without it they are only listed.',
    }),
  }),
  ...VERIFY_SETTINGS,
} satisfies Settings;

export type PrepareSettings = typeof PREPARE_SETTINGS;
export type MarkSettings = typeof MARK_SETTINGS;
export type ApproveSettings = typeof APPROVE_SETTINGS;
export type NoteSettings = typeof NOTE_SETTINGS;
export type ResumeSettings = typeof RESUME_SETTINGS;
export type AllowSettings = typeof ALLOW_SETTINGS;
export type HoldSettings = typeof HOLD_SETTINGS;
export type StatusSettings = typeof STATUS_SETTINGS;
export type ReconcileSettings = typeof RECONCILE_SETTINGS;
export type SendSettings = typeof SEND_SETTINGS;
