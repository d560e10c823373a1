/** Every setting that files and variables may hold: one of them serves all commands. */
import { DEVNODE_SETTINGS } from './devnode-settings.js';
import { RIG_SETTINGS } from './rig-settings.js';
import { onlyLasting } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

export const EVERY_SETTING = onlyLasting({ ...BRIDGE_SETTINGS, ...RIG_SETTINGS, ...DEVNODE_SETTINGS });
