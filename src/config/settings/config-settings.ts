/** What `config` is told: flags of the bridge, and from file and variables also what `rig` and `node` take. */
import { EVERY_SETTING } from './every.js';
import { type ConfigOf, onOff, type Settings } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

/** Those that name other settings for `rig` and `node`. */
const FLAGLESS: Settings = Object.fromEntries(
  Object.entries(EVERY_SETTING)
    .filter(([key]) => !Object.hasOwn(BRIDGE_SETTINGS, key))
    .map(([key, setting]) => [key, { ...setting, noFlag: true }]),
);

/** What `config check` looks at. */
export const CHECKED_SETTINGS = { ...FLAGLESS, ...BRIDGE_SETTINGS };

export const CONFIG_SETTINGS = {
  ...CHECKED_SETTINGS,
  defaults: onOff({
    default: false,
    flagOnly: true,
    help: 'Print a YAML file of all defaults, each with its help.',
  }),
  minimal: onOff({
    default: false,
    flagOnly: true,
    help: 'Print a YAML file of what differs from the defaults, without secrets.',
  }),
  json: onOff({ default: false, flagOnly: true, help: 'JSON also on a terminal.' }),
};

export type CheckedConfig = ConfigOf<typeof CHECKED_SETTINGS>;
