/** What `ctl` is told: where the data directory of the bridge is, and flags of one run. */
import { BRIDGE_SETTINGS } from '../../config/settings.js';
import { flagsOnly, onOff, type Settings, setting } from '../../values/setting.js';
import { text } from '../../values/words.js';
import { FORM_FLAGS, LIST_FLAGS } from '../settings.js';

/** Of every command of `ctl`. */
export const CTL_SETTINGS = { json: FORM_FLAGS.json, dataDir: BRIDGE_SETTINGS.dataDir } satisfies Settings;

export const CTL_LIST_SETTINGS = {
  ...LIST_FLAGS,
  ...FORM_FLAGS,
  dataDir: BRIDGE_SETTINGS.dataDir,
} satisfies Settings;

export const CTL_DRAIN_SETTINGS = {
  ...flagsOnly({
    over: setting(text, {
      default: '10m',
      shape: 'TIME',
      help: 'Rigs are asked to go one after another in this time.',
    }),
    stop: onOff({
      default: false,
      help: 'The bridge stops, with exit code 0, once all rigs have gone or the time is over.',
    }),
    detach: onOff({
      default: false,
      help: 'With --stop: end at once, and not when the bridge has stopped.',
    }),
    status: onOff({ default: false, help: 'Show how far it is.' }),
    cancel: onOff({ default: false, help: 'Cancel it: rigs are let in again.' }),
  }),
  ...CTL_SETTINGS,
} satisfies Settings;

export type CtlSettings = typeof CTL_SETTINGS;
export type CtlListSettings = typeof CTL_LIST_SETTINGS;
export type CtlDrainSettings = typeof CTL_DRAIN_SETTINGS;
