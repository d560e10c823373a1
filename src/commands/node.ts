/** `stratum-bridge node`: the development node alone. */
import { loadConfig } from '../config/load.js';
import type { ConfigOf } from '../config/settings.js';
import { type DevNodeOptions, startDevNode } from '../devnode/server.js';
import { type Command, helpText, OK } from './command.js';
import { explained } from './failures.js';
import { createLogger } from './logger.js';
import { NODE_SETTINGS } from './node-settings.js';
import { CloseStack, exitAfter, STOP_LIMIT_MS, untilStopped } from './stop.js';

export const command: Command = {
  summary: 'run a development node of the ledger: real proof of work, ten braided chains',
  help: () =>
    helpText({
      usage: 'node [options]',
      about:
        'A node of the ledger on this machine, for development: ten braided chains with real proof of work and a\n' +
        'difficulty that follows the hash rate. It serves the whole HTTP interface of the ledger.\n' +
        'Several of them, given each other as peers, make a network.',
      settings: NODE_SETTINGS,
      examples: [
        'node --mining',
        'node --mining --data-dir ./chain --block-delay-ms 2000',
        'node --mining --listen 127.0.0.1:1849 --peer http://127.0.0.1:1848',
      ],
    }),
  async run(argv, io) {
    const { config } = loadConfig(NODE_SETTINGS, { argv });
    const log = createLogger({
      level: config['log.level'],
      format: config['log.format'],
      write: (line) => void io.stdout.write(line),
      isTerminal: io.stdout.isTTY,
    });
    const node = await explained(() => startDevNode({ ...optionsFrom(config), log }));
    const open = new CloseStack();
    open.add('node', () => node.close());
    const { url, controlUrl: control } = node;
    const mining = config.mining ? 'mining is on' : 'mining is off: --mining switches it on';
    log.info({ event: 'ready', url, control }, `the node serves ${url}; ${mining}`);
    const reason = await untilStopped();
    exitAfter(STOP_LIMIT_MS, log);
    log.info({ event: 'stopping', reason }, 'stopping');
    await open.close(log);
    return OK;
  },
};

function optionsFrom(config: ConfigOf<typeof NODE_SETTINGS>): DevNodeOptions {
  const { listen, proofOfWork, network, peers, profile, updateStreamLifetimeMs } = config;
  return {
    ...{ listen, proofOfWork, network, peers, profile, updateStreamLifetimeMs },
    miningEnabled: config.mining,
    miners: config.miners.map((key) => ({
      account: `k:${key}`,
      predicate: 'keys-all',
      'public-keys': [key],
    })),
    graph: config.graph === 'auto' ? undefined : config.graph,
    blockDelayMs: config.blockDelayMs || undefined,
    difficultyWindow: config.difficultyWindow || undefined,
    genesisDifficulty: config.genesisDifficulty || undefined,
    greatestRaise: config.greatestRaise || undefined,
    dataDir: config.dataDir || undefined,
    backupDir: config.backupDir || undefined,
    control: config.control === 'off' ? undefined : config.control,
  };
}
