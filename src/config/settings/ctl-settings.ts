/** What `ctl` is told: where the data directory of the bridge is, and flags of one run. */
import { LIST_SETTINGS } from './ledger-settings.js';
import { onOff, quantity, type Settings, setting } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

const { json, csv, wide, limit } = LIST_SETTINGS;
const DAY_MS = 86_400_000;

/** As the API has them; a test compares. */
export const CTL_STATES = ['all', 'online', 'idle', 'offline', 'banned'] as const;
export const CTL_SORTS = [
  ...['hashRate', 'rate1h', 'rate24h', 'name', 'account', 'state', 'agent', 'difficulty'],
  ...['accepted', 'rejected', 'bestShare', 'lastShare', 'sessions', 'connected'],
] as const;
const ORDERS = ['auto', 'asc', 'desc'] as const;

function text(flag: string, shape: string, help: string, byDefault = '') {
  return setting(flag, (v) => v.text, { shape, help, default: byDefault, flagOnly: true });
}

function words<const T extends string>(flag: string, choices: readonly T[], help: string) {
  const rest = { choices, default: choices[0], shape: flag.toUpperCase(), help, flagOnly: true };
  return setting(flag, (v) => v.oneOf(...choices), rest);
}

/** Of every command of `ctl`. */
export const CTL_SETTINGS = { dataDir: BRIDGE_SETTINGS.dataDir, json } satisfies Settings;

export const CTL_LIST_SETTINGS = { ...CTL_SETTINGS, csv, wide, limit } satisfies Settings;

export const CTL_RIGS_SETTINGS = {
  ...CTL_LIST_SETTINGS,
  state: words('state', CTL_STATES, 'Only rigs in this state.'),
  ofAccount: text('account', 'NAME', 'Only rigs of this account.'),
  q: text('q', 'TEXT', 'Only rigs with this in their login or label, in large or small letters.'),
  sort: words('sort', CTL_SORTS, 'By what the list is sorted.'),
  order: words('order', ORDERS, 'asc, desc, or auto: names, agents and states rise, and all else falls.'),
} satisfies Settings;

const reason = (byDefault: string) => text('reason', 'TEXT', 'Told to the rig.', byDefault);

export const CTL_CLOSE_SETTINGS = { ...CTL_SETTINGS, reason: reason('closed by hand') } satisfies Settings;

export const CTL_BAN_SETTINGS = {
  ...CTL_SETTINGS,
  reason: reason('banned by hand'),
  forMs: quantity('for', 'ms', [0, 36_600 * DAY_MS], {
    default: 0,
    help: 'How long; 0: until it is taken back.',
    flagOnly: true,
  }),
  until: text('until', 'TIME', 'When it ends, such as 2026-11-23T00:00:00Z, instead of --for.'),
} satisfies Settings;

export const CTL_DRAIN_SETTINGS = {
  ...CTL_SETTINGS,
  overMs: quantity('over', 'ms', [0, DAY_MS], {
    default: '10m',
    help: 'Rigs are asked to go one after another in this time.',
    flagOnly: true,
  }),
  stop: onOff('stop', {
    default: false,
    help: 'The bridge stops, with exit code 0, once all rigs have gone or the time is over.',
    flagOnly: true,
  }),
  detach: onOff('detach', {
    default: false,
    help: 'With --stop: end at once, and not when the bridge has stopped.',
    flagOnly: true,
  }),
  cancel: onOff('cancel', { default: false, help: 'Cancel it: rigs are let in again.', flagOnly: true }),
  status: onOff('status', { default: false, help: 'Show how far it is.', flagOnly: true }),
} satisfies Settings;

export type CtlSettings = typeof CTL_SETTINGS;
export type CtlListSettings = typeof CTL_LIST_SETTINGS;
export type CtlRigsSettings = typeof CTL_RIGS_SETTINGS;
export type CtlCloseSettings = typeof CTL_CLOSE_SETTINGS;
export type CtlBanSettings = typeof CTL_BAN_SETTINGS;
export type CtlDrainSettings = typeof CTL_DRAIN_SETTINGS;
