/** What `alerts` is told. */

import { ALERT_SETTINGS } from '../../alerts/settings.js';
import { flagsOnly, type Settings, setting } from '../../values/setting.js';
import { text } from '../../values/words.js';

export const ALERT_TEST_SETTINGS = {
  ...flagsOnly({
    target: setting(text, {
      default: '',
      shape: 'NAME',
      help: 'Only this one of alerts.targets. None: all of them.',
    }),
  }),
  'alerts.targets': ALERT_SETTINGS['alerts.targets'],
} satisfies Settings;

export type AlertTestSettings = typeof ALERT_TEST_SETTINGS;
