/** `stratum-bridge recorder`: records queued shares in a process of its own, on this machine or another. */

import { ConfigError } from '../config/load.js';
import { BRIDGE_SETTINGS, type BridgeConfig } from '../config/settings.js';
import type { ListenAddress } from '../config/values.js';
import { readVersion } from '../config/version.js';
import type { Log } from '../core/log.js';
import { type Ledger, openLedger } from '../ledger/ledger.js';
import { countSetAside } from '../ledger/set-aside.js';
import type { QueueConnection } from '../queue/connection.js';
import { Producer } from '../queue/producer.js';
import { type ShareRecorder, startShareRecorder } from '../queue/share-recorder.js';
import { LastKnown } from '../web/last-known.js';
import { createRecorderMetrics, type RecorderSources, recorderLacks } from '../web/recorder-metrics.js';
import { startRecorderWeb } from '../web/server.js';
import { queueConnectionFrom } from './book-settings.js';
import { SET_ASIDE_PATIENCE_MS } from './books.js';
import { type Command, helpText, loadBridgeConfig, OK } from './command.js';
import { concerning, explained } from './failures.js';
import { tellOfPromise } from './promise.js';
import { createScreen } from './screen.js';
import { watchForStop } from './signals.js';
import { startSignsOfLife } from './signs-of-life.js';
import { CloseStack, leaveAfter, STOP_LIMIT_MS, startUnlessStopped } from './stop.js';

const { 'ledger.databaseUrl': databaseUrl, 'queue.redisUrl': redisUrl } = BRIDGE_SETTINGS;
const web = {
  ...BRIDGE_SETTINGS['web.listen'],
  help: 'Health and metrics over HTTP; off unless it is given.',
};

const COUNT_TIMEOUT_MS = 2000;

export const command: Command = {
  summary: 'record queued shares in a process of its own',
  help: () =>
    helpText({
      usage: 'recorder --database-url URL [--redis-url URL] [--web HOST:PORT]',
      about:
        'Takes share entries from the queue and credits them in the ledger, each exactly once, beside any number of\n' +
        'other recorders. Bridges that leave recording to it run with --recorder false.',
      settings: { databaseUrl, redisUrl, web },
      examples: ['recorder --database-url postgres://…', 'recorder --config bridge.yaml'],
    }),
  async run(argv, io) {
    const loaded = loadBridgeConfig(argv, io, { 'web.listen': 'off' });
    const { config, sources } = loaded;
    if (config['ledger.databaseUrl'] === '') {
      throw new ConfigError([
        'ledger.databaseUrl is not set: a recorder works on a database that bridges share',
      ]);
    }
    const { log } = createScreen(config, io);
    const open = new CloseStack();
    const stop = watchForStop();
    // A file's address is that of the bridge which shares the file.
    const address = sources['web.listen'].startsWith('file') ? 'off' : config['web.listen'];
    const start = () => explained(() => startRecording(config, address, log, open), loaded);
    const started = await startUnlessStopped(stop, open, log, start);
    if (!started) return OK;
    const { recorder, shown } = started;
    log.info({ event: 'ready', ...shown }, 'recording shares');
    const reason = await stop.asked;
    leaveAfter(STOP_LIMIT_MS, stop, log);
    log.info({ event: 'stopping', reason, ...recorder.counts }, 'stopping');
    await open.close(log);
    log.info({ event: 'stopped' }, 'stopped');
    return OK;
  },
};

async function startRecording(
  config: BridgeConfig,
  address: ListenAddress | 'off',
  log: Log,
  open: CloseStack,
): Promise<{ recorder: ShareRecorder; shown: object }> {
  const connectionString = config['ledger.databaseUrl'];
  const ledger = await concerning('ledger.databaseUrl', () =>
    openLedger({ connectionString, log, waits: true }),
  );
  void tellOfPromise(config, ledger, log);
  open.add('ledger', () => ledger.close());
  const connection = queueConnectionFrom(config, config['ledger.databaseUrl']);
  const recorder = startShareRecorder({ connection, ledger, log });
  open.add('recorder', () => recorder.close());
  const life = startSignsOfLife(() => recorder.counts, log);
  open.add('signs of life', () => life.close());
  const shown = address === 'off' ? {} : await startWeb(address, connection, ledger, recorder, log, open);
  return { recorder, shown };
}

async function startWeb(
  address: ListenAddress,
  connection: QueueConnection,
  ledger: Ledger,
  recorder: ShareRecorder,
  log: Log,
  open: CloseStack,
): Promise<{ web: string }> {
  const queue = new Producer(connection, log, COUNT_TIMEOUT_MS);
  open.add('queue counts', () => queue.close());
  const setAside = new LastKnown(() => countSetAside(ledger.pool), SET_ASIDE_PATIENCE_MS);
  const sources: RecorderSources = {
    version: readVersion(),
    queue: new LastKnown(async () => {
      const [{ waiting, failed }, parts] = await Promise.all([queue.counts(), setAside.look()]);
      return { isUp: true, waiting, failed: failed + (parts.value ?? 0) };
    }),
    ledger: new LastKnown(() => ledger.totals()),
    entries: () => recorder.counts,
  };
  const metrics = createRecorderMetrics(sources);
  const server = await concerning('web.listen', () =>
    startRecorderWeb({ ...address, metrics, log }, () => recorderLacks(sources)),
  );
  open.add('web', () => server.close());
  return { web: server.url };
}
