/** What `ledger payout` is told besides what every command of `ledger` is. */
import { BLOCKS_SETTINGS, LEDGER_SETTINGS, MARK_SETTINGS, STATEMENT_SETTINGS } from '../ledger-settings.js';
import { choice, onOff, quantity, type Settings, setting } from '../setting.js';

const flagOnly = true;
const MINUTE_MS = 60_000;

const note = { ...MARK_SETTINGS.note, help: 'Why, for who reads the timeline later; it is needed.' };

export const APPROVE_SETTINGS = {
  ...LEDGER_SETTINGS,
  hash: setting((v) => v.text, {
    default: '',
    shape: 'HASH',
    help: 'Content hash of what is approved, as `payout status` shows it: another content is not approved by it.',
    flagOnly,
  }),
} satisfies Settings;

/** Of an order that says why. */
export const NOTE_SETTINGS = { ...LEDGER_SETTINGS, note } satisfies Settings;

export const RESUME_SETTINGS = {
  ...NOTE_SETTINGS,
  anyway: onOff({
    default: false,
    help: 'Go on although checks fail, or restored books were not compared with the chain.',
    flagOnly,
  }),
} satisfies Settings;

export const HOLD_SETTINGS = {
  ...NOTE_SETTINGS,
  chain: setting(
    (v) => v.wordOr('all', v.quantity('count', 0, 2 ** 31 - 1), 'is neither all nor the number of a chain'),
    { default: 'all', shape: 'CHAIN', help: 'Only there.', flagOnly },
  ),
  until: setting((v) => v.momentOr('allowed'), {
    default: 'allowed',
    shape: 'TIME',
    help: 'When it ends by itself, such as 2026-12-01 or 2026-12-01T06:30 (UTC); allowed: when `payout allow` ends it.',
    flagOnly,
  }),
} satisfies Settings;

export const STATUS_SETTINGS = {
  ...LEDGER_SETTINGS,
  limit: BLOCKS_SETTINGS.limit,
  lines: onOff({
    default: false,
    help: 'Each line too: whom it pays, where, and what became of it.',
    flagOnly,
  }),
} satisfies Settings;

export const SEND_SETTINGS = {
  ...LEDGER_SETTINGS,
  wait: choice(['confirmed', 'final'], {
    default: 'confirmed',
    shape: 'STATE',
    help: 'confirmed: until the books say that it is paid. final: until no usual reorganisation can take it back.',
    flagOnly,
  }),
  timeout: quantity('time', [1_000, 7 * 1440 * MINUTE_MS], {
    default: '30m',
    shape: 'TIME',
    help: 'How long it is waited for. What is on its way goes on afterwards.',
    flagOnly,
  }),
} satisfies Settings;

export const RECONCILE_SETTINGS = {
  ...LEDGER_SETTINGS,
  since: setting(
    (v) => v.wordOr('compared', v.quantity('count', 0, 2 ** 53 - 1), 'is neither compared nor a height'),
    {
      default: 'compared',
      shape: 'HEIGHT',
      help: 'From what height on, on every chain; compared: from where books and chain are known to agree.',
      flagOnly,
    },
  ),
  apply: onOff({
    default: false,
    help: 'Enter payments that the chain has and the books do not know of. Without it they are only listed.',
    flagOnly,
  }),
} satisfies Settings;

export const PAID_SETTINGS = STATEMENT_SETTINGS;

export type ApproveSettings = typeof APPROVE_SETTINGS;
export type NoteSettings = typeof NOTE_SETTINGS;
export type ResumeSettings = typeof RESUME_SETTINGS;
export type HoldSettings = typeof HOLD_SETTINGS;
export type StatusSettings = typeof STATUS_SETTINGS;
export type ReconcileSettings = typeof RECONCILE_SETTINGS;
export type SendSettings = typeof SEND_SETTINGS;
