/** `stratum-bridge probe`: how soon Stratum servers let a rig work, and tell it of a new block, side by side. */
import { defineCommand } from '../cli/line/command.js';
import { PROBE_SETTINGS } from './probe/settings.js';

export const command = defineCommand({
  summary: 'time Stratum servers side by side, as a rig sees them',
  about:
    'Connects to each server as a rig does, and times it: connect, TLS, subscribe, authorize, first job. Then it compares for some ' +
    'minutes when the job for the same parent came from each, how long answers take, and which part of the time a server left a rig ' +
    'with a parent that another one had replaced. It needs no node and no ledger, and mines nothing unless --submit asks for it. ' +
    'Servers are compared on chains that several of them give at the same time. Ctrl-C ends it early, with what is known by then.',
  words: '<url...>',
  settings: PROBE_SETTINGS,
  examples: ['probe stratum+tcp://127.0.0.1:1917', 'probe tcp://mine:1917 tls://other:1919 --for 5m --json'],
  run: async (asked) => (await import('./probe/run.js')).run(asked),
});
