/** `stratum-bridge status`: the first screen for who comes to a bridge. */
import { defineCommand } from '../cli/line/command.js';
import { LEDGER_SETTINGS } from './ledger/settings.js';

const { json, dataDir, 'ledger.databaseUrl': databaseUrl } = LEDGER_SETTINGS;

export const command = defineCommand({
  summary: 'show how the bridge and its ledger are, on one screen',
  about:
    'Asks the bridge that runs with this data directory: its nodes, rigs, shares, queue and ledger, the last block, and what can be ' +
    'paid. Where no bridge runs it shows what the ledger has. JSON when piped. `doctor` says what to do about a fault.',
  settings: { json, dataDir, 'ledger.databaseUrl': databaseUrl },
  examples: ['status', 'status --data-dir /var/lib/stratum-bridge'],
  run: async (asked) => (await import('./status/run.js')).run(asked as never),
});
