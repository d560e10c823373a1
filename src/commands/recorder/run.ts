import { queueConnectionFrom } from '../../assembly/books/book-settings.js';
import { tellOfPromise } from '../../assembly/books/durability-check.js';
import { concerning, explained } from '../../assembly/failures.js';
import { startSignsOfLife } from '../../assembly/watch/signs-of-life.js';
import type { Asked } from '../../cli/line/command.js';
import { type Running, runService } from '../../cli/service/host.js';
import type { CloseStack } from '../../cli/service/stop.js';
import type { Loaded } from '../../config/layers/load.js';
import type { Log } from '../../core/names/log.js';
import { openLedger } from '../../ledger/ledger.js';
import { startShareRecorder } from '../../queue/recording/recorder.js';
import type { ConfigOf } from '../../values/setting.js';
import type { RECORDER_SETTINGS } from './settings.js';
import { startWeb } from './web.js';

type RecorderSettings = typeof RECORDER_SETTINGS;

/** Of a stop at least. */
const LEDGER_MS = 500;
const BOOK_MS = 1_000;

export function run(asked: Asked<RecorderSettings>): Promise<number> {
  return runService(asked, {
    check,
    start: (loaded, log, open) => explained(() => startRecording(loaded, log, open), loaded),
  });
}

function check({ config }: Loaded<RecorderSettings>): string[] {
  if (config['ledger.databaseUrl'] !== '') return [];
  return ['ledger.databaseUrl is not set: a recorder works on a database that bridges share'];
}

async function startRecording(
  { config }: Loaded<RecorderSettings>,
  log: Log,
  open: CloseStack,
): Promise<Running<ConfigOf<RecorderSettings>>> {
  const connectionString = config['ledger.databaseUrl'];
  const ledger = await concerning('ledger.databaseUrl', () =>
    openLedger({ connectionString, log, waits: true }),
  );
  void tellOfPromise(config, ledger, log);
  open.add('ledger', (withinMs) => ledger.close(withinMs), LEDGER_MS);
  const connection = queueConnectionFrom(config, connectionString);
  const recorder = startShareRecorder({ connection, ledger, log });
  const tellCounts = (): void =>
    log.info({ event: 'recorded', ...recorder.counts }, 'what this recorder has done');
  open.add('counts', tellCounts);
  open.add('recorder', (withinMs) => recorder.close(withinMs), BOOK_MS);
  const life = startSignsOfLife(() => recorder.counts, log);
  open.add('signs of life', () => life.close());
  const web = await startWeb({ config, log, open }, { connection, ledger, recorder });
  const fields = web.url === undefined ? {} : { web: web.url };
  return { ready: { says: 'recording shares', fields }, applyLive: (next) => web.applyLive(next) };
}
