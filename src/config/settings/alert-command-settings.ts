/** What `alerts` is told: all that `serve` is told, and flags of its own. */

import { LIST_SETTINGS } from './ledger-settings.js';
import { setting } from './setting.js';
import { BRIDGE_SETTINGS } from './settings.js';

export const ALERT_TEST_SETTINGS = {
  ...BRIDGE_SETTINGS,
  target: setting((v) => v.text, {
    default: '',
    shape: 'NAME',
    help: 'Only this one of alerts.targets. None: all of them.',
    flagOnly: true,
  }),
};

export const ALERT_LIST_SETTINGS = LIST_SETTINGS;

export type AlertTestSettings = typeof ALERT_TEST_SETTINGS;
