/** What `rig` is told. */
import { LOG_SETTINGS } from '../../config/settings.js';
import { RIG_SETTINGS } from '../../rig/settings.js';
import { quantity, type Settings } from '../../values/setting.js';

export const RIG_COMMAND_SETTINGS = {
  ...RIG_SETTINGS,
  ...LOG_SETTINGS,
  benchmark: quantity('time', [0, '1h'], {
    default: 0,
    basic: true,
    flagOnly: true,
    help: 'Do not mine: measure each kernel for so long on one thread, and print its hash rate.',
  }),
} satisfies Settings;
