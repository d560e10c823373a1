/** `stratum-bridge recorder`: records queued shares in a process of its own, on this machine or another. */

import { ConfigError } from '../config/load.js';
import { BRIDGE_SETTINGS } from '../config/settings.js';
import { openLedger } from '../ledger/ledger.js';
import { startShareRecorder } from '../queue/share-recorder.js';
import { queueConnectionFrom } from './books.js';
import { type Command, helpText, loadBridgeConfig, OK } from './command.js';
import { explained } from './failures.js';
import { createScreen } from './screen.js';
import { CloseStack, exitAfter, STOP_LIMIT_MS, untilStopped } from './stop.js';

const { 'ledger.databaseUrl': databaseUrl, 'queue.redisUrl': redisUrl } = BRIDGE_SETTINGS;

export const command: Command = {
  summary: 'record queued shares in a process of its own',
  help: () =>
    helpText({
      usage: 'recorder --database-url URL [--redis-url URL]',
      about:
        'Takes share entries from the queue and credits them in the ledger, each exactly once, beside any number of\n' +
        'other recorders. Bridges that leave recording to it run with --recorder false.',
      settings: { databaseUrl, redisUrl },
      examples: ['recorder --database-url postgres://…', 'recorder --config bridge.yaml'],
    }),
  async run(argv, io) {
    const { config } = loadBridgeConfig(argv, io);
    if (config['ledger.databaseUrl'] === '') {
      throw new ConfigError([
        'ledger.databaseUrl is not set: a recorder works on a database that bridges share',
      ]);
    }
    const { log } = createScreen(config, io);
    const open = new CloseStack();
    const stopped = untilStopped();
    const ledger = await explained(() => openLedger({ connectionString: config['ledger.databaseUrl'], log }));
    open.add('ledger', () => ledger.close());
    const recorder = startShareRecorder({
      connection: queueConnectionFrom(config, config['ledger.databaseUrl']),
      ledger,
      log,
    });
    open.add('recorder', () => recorder.close());
    log.info({ event: 'ready' }, 'recording shares');
    const reason = await stopped;
    exitAfter(STOP_LIMIT_MS, log);
    log.info({ event: 'stopping', reason, ...recorder.counts }, 'stopping');
    await open.close(log);
    return OK;
  },
};
