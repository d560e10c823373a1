/** `stratum-bridge doctor`: would mining work with these settings, and if not, what is to be done. */

import { defineCommand } from '../cli/line/command.js';
import { BRIDGE_SETTINGS } from '../config/settings.js';

export const command = defineCommand({
  summary: 'check a setup and say in words what to do about each fault',
  about:
    'Asks the nodes for work as the bridge would, tries the ports, the data directory, the database and the queue. ' +
    'Makes nothing. Exit code 0 only if mining would work. JSON when piped. Beside a running bridge it takes ' +
    'its settings, asks it how it is, and says why it is not ready.',
  settings: BRIDGE_SETTINGS,
  examples: ['doctor --node-urls http://127.0.0.1:1848 --miner-account k:…', 'doctor --config bridge.yaml'],
  run: async (asked) => (await import('./doctor/run.js')).run(asked),
});
