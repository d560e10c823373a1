/** What `ledger` is told: all that `serve` is told, and flags of its own. */
import { REWARD_SETTINGS } from '../config/reward-settings.js';
import { setting } from '../config/setting.js';
import { BRIDGE_SETTINGS, type ConfigOf } from '../config/settings.js';
import * as value from '../config/values.js';

const OWN_FLAGS = {
  limit: {
    ...setting('limit', value.integer(1, 1_000_000), {
      default: 100,
      shape: 'N',
      help: 'Most rows that are shown.',
    }),
    flagOnly: true,
  },
  out: {
    ...setting('out', value.text, {
      default: '.',
      shape: 'FOLDER',
      help: 'Where `payout prepare` writes its files.',
    }),
    flagOnly: true,
  },
  note: {
    ...setting('note', value.text, {
      default: '',
      shape: 'TEXT',
      help: 'Kept with a marked batch, such as a transaction id.',
    }),
    flagOnly: true,
  },
  lookAgain: {
    ...setting('look-again', value.switchedOn, {
      default: false,
      shape: '',
      help: 'For `blocks`: ask the nodes for every block first, also for those too deep to be followed.',
    }),
    isSwitch: true,
    flagOnly: true,
  },
  json: {
    ...setting('json', value.switchedOn, { default: false, shape: '', help: 'JSON also on a terminal.' }),
    isSwitch: true,
    flagOnly: true,
  },
};

export const LEDGER_SETTINGS = { ...BRIDGE_SETTINGS, ...OWN_FLAGS };

/** Those that matter here, for the help page. */
export const SHOWN_SETTINGS = {
  dataDir: BRIDGE_SETTINGS.dataDir,
  'ledger.databaseUrl': BRIDGE_SETTINGS['ledger.databaseUrl'],
  'node.urls': BRIDGE_SETTINGS['node.urls'],
  'node.ca': BRIDGE_SETTINGS['node.ca'],
  'node.insecure': BRIDGE_SETTINGS['node.insecure'],
  ...REWARD_SETTINGS,
  ...OWN_FLAGS,
};

export type LedgerConfig = ConfigOf<typeof LEDGER_SETTINGS>;
