/** `stratum-bridge demo`: node, database, bridge, CPU and a rig on this machine, by one command. */

import { defineCommand } from '../cli/line/command.js';
import { BRIDGE_SETTINGS } from '../config/settings.js';
import { withDefaults } from '../values/setting.js';

export const command = defineCommand({
  summary: 'start everything on this machine: node, database, bridge, CPU threads and a rig',
  about:
    'What `npm start` runs: a development node in a process of its own (unless --node-urls names others), an embedded PostgreSQL in the data directory, ' +
    'the bridge, its CPU threads, and a reference rig connected over WebSocket. A default port that is taken gives ' +
    'way to a free one. Blocks pay a pool whose key it makes and keeps in <data-dir>/demo-pool.key, and the pool pays rig and CPU on chain (`payouts.mode` is auto here), each minute, to the account in <data-dir>/demo-account.json.',
  settings: withDefaults(BRIDGE_SETTINGS, {
    // The rig is connected all the time, so in `fallback` the CPU threads would never mine.
    'cpu.mode': 'always',
    'stratum.tcp': '127.0.0.1:1917',
    'stratum.ws': '127.0.0.1:1918',
    // What one thread finds within a second or some, where the default is for machines that do nothing else.
    'stratum.vardiff.start': 4_194_304,
    'stratum.limits.profile': 'home',
  }),
  examples: ['demo', 'demo --data-dir /tmp/try --cpu-threads 2'],
  run: async (asked) => (await import('./demo/run.js')).run(asked),
});
