/** The settings of all rooms in one, and those of a process, which belong to none. */

import { ALERT_SETTINGS } from '../alerts/settings.js';
import { CPU_SETTINGS } from '../cpu/settings.js';
import { DEVNODE_SETTINGS } from '../devnode/settings.js';
import { DATABASE_SETTINGS, REWARD_SETTINGS } from '../ledger/settings.js';
import { PAYOUT_SETTINGS } from '../payouts/settings.js';
import { QUEUE_SETTINGS } from '../queue/settings.js';
import { RIG_SETTINGS } from '../rig/settings.js';
import { STRATUM_SETTINGS } from '../stratum/settings/settings.js';
import { UPSTREAM_SETTINGS } from '../upstream/settings.js';
import { numberOf } from '../values/numbers.js';
import { type ConfigOf, choice, type Settings, setting } from '../values/setting.js';
import { autoOr, text, wordOr } from '../values/words.js';
import { WEB_SETTINGS } from '../web/settings.js';

const PROCESS_SETTINGS = {
  instance: setting(autoOr(numberOf('count', 0, 127), 'is neither auto nor a whole number from 0 to 127'), {
    default: 'auto',
    shape: 'N',
    help: 'Number of this bridge among those on its ledger, 0 to 127, so that no two search the same nonces; auto: one that is free.',
  }),
  processes: setting(
    wordOr('off', numberOf('count', 1, 64), 'is neither off nor a whole number from 1 to 64'),
    {
      default: 'off',
      shape: 'N',
      help: 'Bridges that `serve` starts on this machine, behind one primary process that has the ports and starts again what has died; limits and CPU threads are those of all together. Also 1: then `serve --replace` can put a new start in its place. off: one bridge, without a primary.',
    },
  ),
  dataDir: setting(text.min(1, 'is empty'), {
    default: './data',
    basic: true,
    shape: 'PATH',
    help: 'Where everything that must last is kept.',
  }),
};

/** Of every command that runs on. */
export const LOG_SETTINGS = {
  'log.level': choice(['debug', 'info', 'warn', 'error', 'silent'], {
    default: 'info',
    basic: true,
    shape: 'LEVEL',
    live: true,
    help: 'debug, info, warn, error or silent.',
  }),
  'log.format': choice(['auto', 'json', 'text'], {
    default: 'auto',
    basic: true,
    shape: 'FORMAT',
    help: 'json, text, or auto: text on a terminal, JSON lines otherwise.',
  }),
  'log.file': setting(text, {
    default: '',
    shape: 'FILE',
    help: 'Log lines go to files, too, as JSON: logs/bridge.log is written as logs/bridge.1.log, logs/bridge.2.log and so on. The five newest files of 16 MiB are kept. Each process needs a name of its own. Empty: to none.',
  }),
};

const EVENT_SETTINGS = {
  'events.file': setting(text, {
    default: '',
    shape: 'FILE',
    help: 'What happens (nodes, blocks, bans, payouts, reloads and so on) goes to files as JSON lines, by the schema in config/events.schema.json: logs/events.log is written as logs/events.1.log, logs/events.2.log and so on. The five newest files of 16 MiB are kept. Each process needs a name of its own. Empty: to none.',
  }),
};

export const BRIDGE_SETTINGS = {
  ...UPSTREAM_SETTINGS,
  ...STRATUM_SETTINGS,
  ...CPU_SETTINGS,
  ...QUEUE_SETTINGS,
  ...DATABASE_SETTINGS,
  ...REWARD_SETTINGS,
  ...PAYOUT_SETTINGS,
  ...PROCESS_SETTINGS,
  ...WEB_SETTINGS,
  ...ALERT_SETTINGS,
  ...LOG_SETTINGS,
  ...EVENT_SETTINGS,
} satisfies Settings;

export type BridgeSettings = typeof BRIDGE_SETTINGS;
export type BridgeConfig = ConfigOf<BridgeSettings>;

/** All that files and variables may hold: one of them serves all commands. */
export const EVERY_SETTING: Settings = { ...BRIDGE_SETTINGS, ...RIG_SETTINGS, ...DEVNODE_SETTINGS };
