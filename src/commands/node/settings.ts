/** What `node` is told. */
import { LOG_SETTINGS } from '../../config/settings.js';
import { DEVNODE_SETTINGS } from '../../devnode/settings.js';
import type { Settings } from '../../values/setting.js';

export const NODE_SETTINGS = { ...DEVNODE_SETTINGS, ...LOG_SETTINGS } satisfies Settings;
