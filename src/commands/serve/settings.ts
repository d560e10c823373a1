/** What `serve` is told: the settings of the bridge, and what is said for one run. */
import { BRIDGE_SETTINGS } from '../../config/settings.js';
import { onOff, type Settings } from '../../values/setting.js';

export const SERVE_SETTINGS = {
  ...BRIDGE_SETTINGS,
  replace: onOff({
    default: false,
    basic: true,
    flagOnly: true,
    help: 'Replace the bridges that run with this data directory and have a primary (processes), one after the other, by what is installed and set now. Where none runs, one is started.',
  }),
} satisfies Settings;

export type ServeSettings = typeof SERVE_SETTINGS;
