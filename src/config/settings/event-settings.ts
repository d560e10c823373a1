/** Settings of the events of a bridge as a file for programs. */
import { setting } from './setting.js';

export const EVENT_SETTINGS = {
  'events.file': setting((v) => v.text, {
    default: '',
    shape: 'FILE',
    help: 'What happens (nodes, blocks, bans, payouts, reloads and so on) goes to files as JSON lines, by the schema in config/events.schema.json: logs/events.log is written as logs/events.1.log, logs/events.2.log and so on. The five newest files of 16 MiB are kept. Each process needs a name of its own. Empty: to none.',
  }),
};
