/** What `ctl` is told: where the data directory of the bridge is, and flags of one run. */
import { LIST_SETTINGS } from './ledger-settings.js';
import { onOff, quantity, type Settings, setting } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

const { json, csv, wide, limit } = LIST_SETTINGS;
const DAY_MS = 86_400_000;

function text(shape: string, help: string, byDefault = '') {
  return setting((v) => v.text, { shape, help, default: byDefault, flagOnly: true });
}

/** Of every command of `ctl`. */
export const CTL_SETTINGS = { dataDir: BRIDGE_SETTINGS.dataDir, json } satisfies Settings;

export const CTL_LIST_SETTINGS = { ...CTL_SETTINGS, csv, wide, limit } satisfies Settings;

const reason = (byDefault: string) => text('TEXT', 'Told to the rig.', byDefault);

export const CTL_CLOSE_SETTINGS = { ...CTL_SETTINGS, reason: reason('closed by hand') } satisfies Settings;

export const CTL_BAN_SETTINGS = {
  ...CTL_SETTINGS,
  reason: reason('banned by hand'),
  for: quantity('time', [0, 36_600 * DAY_MS], {
    default: 0,
    help: 'How long; 0: until it is taken back.',
    flagOnly: true,
  }),
  until: text('TIME', 'When it ends, such as 2026-11-23T00:00:00Z, instead of --for.'),
} satisfies Settings;

export const CTL_DRAIN_SETTINGS = {
  ...CTL_SETTINGS,
  over: quantity('time', [0, DAY_MS], {
    default: '10m',
    help: 'Rigs are asked to go one after another in this time.',
    flagOnly: true,
  }),
  stop: onOff({
    default: false,
    help: 'The bridge stops, with exit code 0, once all rigs have gone or the time is over.',
    flagOnly: true,
  }),
  detach: onOff({
    default: false,
    help: 'With --stop: end at once, and not when the bridge has stopped.',
    flagOnly: true,
  }),
  cancel: onOff({ default: false, help: 'Cancel it: rigs are let in again.', flagOnly: true }),
  status: onOff({ default: false, help: 'Show how far it is.', flagOnly: true }),
} satisfies Settings;

export type CtlSettings = typeof CTL_SETTINGS;
export type CtlListSettings = typeof CTL_LIST_SETTINGS;
export type CtlCloseSettings = typeof CTL_CLOSE_SETTINGS;
export type CtlBanSettings = typeof CTL_BAN_SETTINGS;
export type CtlDrainSettings = typeof CTL_DRAIN_SETTINGS;
