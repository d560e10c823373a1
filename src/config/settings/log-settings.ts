/** Settings of the log: the same for every command that runs on. */
import { choice, setting } from './setting.js';

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
  'log.file': setting((v) => v.text, {
    default: '',
    shape: 'FILE',
    help: 'Log lines go to files, too, as JSON: logs/bridge.log is written as logs/bridge.1.log, logs/bridge.2.log and so on. The five newest files of 16 MiB are kept. Each process needs a name of its own. Empty: to none.',
  }),
};
