/** What `config` is told: flags of the bridge, and from file and variables also what `rig` and `node` take. */
import { BRIDGE_SETTINGS, EVERY_SETTING } from '../../config/settings.js';
import { flagsOnly, onOff, type Settings } from '../../values/setting.js';

/** Those whose flags `rig` and `node` take. */
const FLAGLESS: Settings = Object.fromEntries(
  Object.entries(EVERY_SETTING).map(([key, setting]) => [key, { ...setting, noFlag: true }]),
);

/** What `config check` looks at. */
export const CHECKED_SETTINGS = { ...FLAGLESS, ...BRIDGE_SETTINGS };

export const CONFIG_SETTINGS = {
  ...CHECKED_SETTINGS,
  ...flagsOnly({
    defaults: onOff({
      default: false,
      help: 'Print a YAML file of all defaults, each with its help.',
    }),
    minimal: onOff({
      default: false,
      help: 'Print a YAML file of what differs from the defaults, without secrets.',
    }),
    json: onOff({ default: false, help: 'JSON also on a terminal.' }),
  }),
};
