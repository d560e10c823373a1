/** What `serve` is told: the settings of the bridge, and what is said for one run. */
import { BRIDGE_SETTINGS } from '../../config/settings.js';
import { onOff, type Settings } from '../../values/setting.js';

export const SERVE_SETTINGS = {
  ...BRIDGE_SETTINGS,
  replace: onOff({
    default: false,
    basic: true,
    flagOnly: true,
    help: 'Take the place of the bridge that runs with this data directory: it starts its own command once more, from what is installed now. Where none runs, one is started.',
  }),
} satisfies Settings;

export type ServeSettings = typeof SERVE_SETTINGS;
