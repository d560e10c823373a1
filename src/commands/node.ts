/** `stratum-bridge node`: the development node alone. */

import { defineCommand } from '../cli/line/command.js';
import { NODE_SETTINGS } from './node/settings.js';

export const command = defineCommand({
  summary: 'run a development node of the ledger: real proof of work, ten braided chains',
  about:
    'A node of the ledger on this machine, for development: ten braided chains with real proof of work and a ' +
    'difficulty that follows the hash rate. It serves the whole HTTP interface of the ledger. ' +
    'Several of them, given each other as peers, make a network. ' +
    'It makes blocks itself where it is asked to, and on its control port it takes orders: blocks, time, snapshots and faults.',
  settings: NODE_SETTINGS,
  examples: [
    'node --mining',
    'node --mining --data-dir ./chain --block-delay 2000ms',
    'node --listen 127.0.0.1:1849 --peers http://127.0.0.1:1848',
    'node --mining --profile chainweb --header-stream true',
    'node --mine-on-transaction --control 127.0.0.1:1850',
    'node --mine-every 1s --seed demo --network ./my-network.json',
  ],
  run: async (asked) => (await import('./node/run.js')).run(asked),
});
