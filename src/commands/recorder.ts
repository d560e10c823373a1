/** `stratum-bridge recorder`: records queued shares in a process of its own, on this machine or another. */

import { defineCommand } from '../cli/line/command.js';
import { RECORDER_SETTINGS } from './recorder/settings.js';

export const command = defineCommand({
  summary: 'record queued shares in a process of its own',
  about:
    'Takes share entries from the queue and credits them in the ledger, each exactly once, beside any number of ' +
    'other recorders. Bridges that leave recording to it run with --no-queue-recorder.',
  settings: RECORDER_SETTINGS,
  examples: ['recorder --ledger-database-url postgres://…', 'recorder --config bridge.yaml'],
  run: async (asked) => (await import('./recorder/run.js')).run(asked),
});
