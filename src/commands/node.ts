/** `stratum-bridge node`: the development node alone. */
import { loadConfig } from '../config/load.js';
import type { Settings } from '../config/setting.js';
import { BRIDGE_SETTINGS } from '../config/settings.js';
import * as value from '../config/values.js';
import { startDevNode } from '../devnode/server.js';
import { type Command, helpText, OK } from './command.js';
import { explained } from './failures.js';
import { createLogger } from './logger.js';
import { CloseStack, exitAfter, STOP_LIMIT_MS, untilStopped } from './stop.js';

export const NODE_SETTINGS = {
  listen: {
    flag: 'listen',
    type: value.listenAddress,
    default: '127.0.0.1:1848',
    shape: 'HOST:PORT',
    help: 'Where to serve HTTP. Port 0 takes a free one.',
  },
  blockDelayMs: {
    flag: 'block-delay-ms',
    type: value.integer(1, 3_600_000),
    default: 10_000,
    shape: 'MS',
    help: 'Time between two blocks of one chain that difficulty aims at; with ten chains a block comes ten times as often.',
  },
  proofOfWork: {
    flag: 'proof-of-work',
    type: value.switchedOn,
    default: true,
    shape: 'true|false',
    help: 'Whether solutions must meet the block target.',
  },
  'log.level': BRIDGE_SETTINGS['log.level'],
  'log.format': BRIDGE_SETTINGS['log.format'],
} satisfies Settings;

export const command: Command = {
  summary: 'run a development node of the ledger: real proof of work, ten braided chains',
  help: () =>
    helpText({
      usage: 'node [options]',
      about:
        'A node of the ledger on this machine, for development: ten braided chains with real proof of work and a\n' +
        'difficulty that follows the hash rate. It keeps its blocks in memory and starts at genesis each time.',
      settings: NODE_SETTINGS,
      examples: ['node', 'node --listen 127.0.0.1:0 --block-delay-ms 2000'],
    }),
  async run(argv, io) {
    const { config } = loadConfig(NODE_SETTINGS, { argv });
    const log = createLogger({
      level: config['log.level'],
      format: config['log.format'],
      write: (line) => void io.stdout.write(line),
      isTerminal: io.stdout.isTTY,
    });
    const { listen, blockDelayMs, proofOfWork } = config;
    const node = await explained(() => startDevNode({ listen, blockDelayMs, proofOfWork, log }));
    const open = new CloseStack();
    open.add('node', () => node.close());
    log.info({ event: 'ready', url: node.url }, `the node serves ${node.url}`);
    const reason = await untilStopped();
    exitAfter(STOP_LIMIT_MS, log);
    log.info({ event: 'stopping', reason }, 'stopping');
    await open.close(log);
    return OK;
  },
};
