/** What `ctl` is told: where the data directory of the bridge is, and flags of one run. */
import { LIST_SETTINGS } from './ledger-settings.js';
import { onOff, type Settings, setting } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

const { json, csv, wide, limit } = LIST_SETTINGS;

function text(flag: string, shape: string, help: string, byDefault = '') {
  return setting(flag, (v) => v.text, { shape, help, default: byDefault, flagOnly: true });
}

/** Of every command of `ctl`. */
export const CTL_SETTINGS = { dataDir: BRIDGE_SETTINGS.dataDir, json } satisfies Settings;

export const CTL_LIST_SETTINGS = { ...CTL_SETTINGS, csv, wide, limit } satisfies Settings;

export const CTL_DRAIN_SETTINGS = {
  ...CTL_SETTINGS,
  over: text('over', 'TIME', 'Rigs are asked to go one after another in this time.', '10m'),
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
export type CtlDrainSettings = typeof CTL_DRAIN_SETTINGS;
