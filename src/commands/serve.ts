/** `stratum-bridge serve`: the bridge against given nodes. */

import { defineCommand } from '../cli/line/command.js';
import { SERVE_SETTINGS } from './serve/settings.js';

export const command = defineCommand({
  summary: 'run the bridge between nodes and rigs',
  about:
    'Fetches work from the nodes, hands it to rigs over TCP and WebSocket and to the CPU, keeps their shares in the ' +
    'ledger and posts what solves a block. `stratum-bridge doctor` with the same settings checks them first.',
  settings: SERVE_SETTINGS,
  examples: [
    'serve --miner-account k:… --node-urls http://127.0.0.1:1848',
    'serve --config bridge.yaml',
    'serve --miner-account k:… --cpu-mode always --stratum-tcp off',
    'serve --config bridge.yaml --replace',
  ],
  run: async (asked) => (await import('./serve/run.js')).run(asked),
});
