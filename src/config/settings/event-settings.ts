/** Settings of the events of a bridge as a file for programs. */
import { quantity, setting } from './setting.js';

export const EVENT_SETTINGS = {
  'events.file': setting('event-file', (v) => v.text, {
    default: '',
    shape: 'FILE',
    help: 'What happens (nodes, blocks, bans, payouts, reloads and so on) goes to files as JSON lines, by the schema in config/events.schema.json: logs/events.log is written as logs/events.1.log, logs/events.2.log and so on. Each process needs a name of its own. Empty: to none.',
  }),
  'events.fileBytes': quantity('event-file-bytes', 'bytes', [65_536, 2 ** 40], {
    default: 16_777_216,
    help: 'A file of events of this size gets no more lines, and the next one is begun.',
  }),
  'events.files': quantity('event-files', 'count', [1, 1000], {
    default: 5,
    help: 'Files of events that are kept, with the one that is written now; the oldest is removed.',
  }),
};
