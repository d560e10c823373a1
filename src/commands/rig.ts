/** `stratum-bridge rig`: a reference rig that connects like a real one and mines with the CPU. */

import { defineCommand } from '../cli/line/command.js';
import { RIG_COMMAND_SETTINGS } from './rig/settings.js';

export const command = defineCommand({
  summary: 'mine with this CPU for a bridge or pool, as a real rig does',
  about:
    'Connects over WebSocket or TCP, mines with the CPU, reconnects when the connection is lost. ' +
    'Shows a live status on a terminal, JSON lines when piped.',
  settings: RIG_COMMAND_SETTINGS,
  examples: [
    'rig --urls ws://127.0.0.1:1918 --user k:abc….cellar',
    'rig --urls tcp://pool:1917 --user me.1 --threads 4',
  ],
  run: async (asked) => (await import('./rig/run.js')).run(asked),
});
