/** Database, ledger, recorder and queue, in the order in which each needs the one before. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { BridgeConfig } from '../config/settings.js';
import type { Log } from '../core/log.js';
import { startEmbeddedPostgres } from '../ledger/embedded.js';
import { lockFolder } from '../ledger/folder-lock.js';
import { type Ledger, openLedger } from '../ledger/ledger.js';
import { countSetAside } from '../ledger/set-aside.js';
import { startSplitWatch } from '../ledger/split-watch.js';
import { startUpkeep } from '../ledger/upkeep.js';
import { watchForLoss } from '../queue/loss-watch.js';
import {
  openShareQueue,
  SHARE_QUEUE_LIMITS,
  type ShareQueue,
  type ShareQueueLimits,
} from '../queue/share-queue.js';
import { startShareRecorder } from '../queue/share-recorder.js';
import { openSolutionJournal, type SolutionJournal } from '../queue/solution-journal.js';
import { LastKnown } from '../web/last-known.js';
import type { QueueStats } from '../web/summary.js';
import { queueConnectionFrom, rewardRulesFrom } from './book-settings.js';
import { concerning } from './failures.js';
import { rememberQueue } from './former-queues.js';
import { type Instance, startInstance } from './instance.js';
import { tellOfPromise } from './promise.js';
import type { CloseStack } from './stop.js';

/** The recorder is late when so many wait. */
const MANY_ENTRIES = 20;
/** Shorter than that of who asks for all numbers of the queue: the others are shown although the database is away. */
export const SET_ASIDE_PATIENCE_MS = 300;

export interface Books {
  readonly ledger: Ledger;
  readonly instance: Instance;
  readonly shares: ShareQueue;
  readonly journal: SolutionJournal;
  readonly queueStats: () => Promise<QueueStats>;
}

export async function openBooks(config: BridgeConfig, log: Log, open: CloseStack): Promise<Books> {
  const { dataDir } = config;
  const lock = await concerning('dataDir', () => lockFolder(dataDir, 'bridge'));
  open.add('data directory', () => lock.release());
  const databaseUrl = config['ledger.databaseUrl'] || (await startDatabase(dataDir, log, open));
  const ledger = await concerning('ledger.databaseUrl', () =>
    openLedger({ connectionString: databaseUrl, log, waits: true }),
  );
  open.add('ledger', () => ledger.close());
  void tellOfPromise(config, ledger, log);
  const instance = await startInstance({ wanted: config.instance, dataDir, ledger, log });
  open.add('instance number', () => instance.close());
  const upkeep = startUpkeep(ledger.pool, {
    rules: rewardRulesFrom(config),
    nowMs: Date.now,
    log,
    newKey: randomUUID,
  });
  open.add('upkeep', () => upkeep.close());
  const bridge = `${hostname()}:${resolve(dataDir)}`;
  const splits = startSplitWatch({ pool: ledger.pool, rules: rewardRulesFrom(config), bridge, log });
  open.add('split watch', () => splits.close());
  const journal = await concerning('dataDir', () => openSolutionJournal({ dataDir, book: ledger, log }));
  open.add('solution journal', () => journal.close());
  const connection = queueConnectionFrom(config, databaseUrl);
  const given = config['ledger.databaseUrl'] || undefined;
  const former = await rememberQueue({ dataDir, connection, databaseUrl: given, pool: ledger.pool, log });
  open.add('queue in use', () => former.close());
  if (config['queue.recorder']) {
    const recorder = startShareRecorder({ connection, ledger, log });
    open.add('recorder', () => recorder.close());
  }
  const limits = shareQueueLimitsFrom(config);
  const shares = await concerning('dataDir', () =>
    openShareQueue({ connection, dataDir, log, newProducerId: randomUUID, limits }),
  );
  open.add('share queue', () => shares.close());
  const losses = watchForLoss({ queue: shares, entries: ledger, log });
  open.add('loss watch', () => losses.close());
  const setAside = new LastKnown(() => countSetAside(ledger.pool), SET_ASIDE_PATIENCE_MS);
  const queueStats = async (): Promise<QueueStats> => {
    const [stats, parts] = await Promise.all([shares.stats(), setAside.look()]);
    return { ...stats, failed: stats.failed + (parts.value ?? 0) };
  };
  return { ledger, instance, shares, journal, queueStats };
}

/** What would not count for a block that is split now. A few entries are always under way. */
export async function waitingWords(stats: Books['queueStats']): Promise<string | undefined> {
  const { spooled, waiting } = await stats();
  if (spooled === 0 && waiting < MANY_ENTRIES) return undefined;
  return `${spooled} entries in the spool of this bridge, ${waiting} in the queue`;
}

function shareQueueLimitsFrom(config: BridgeConfig): ShareQueueLimits {
  return {
    ...SHARE_QUEUE_LIMITS,
    sharesPerEntry: config['queue.sharesPerEntry'],
    gatherMs: config['queue.gatherMs'],
    spool: { ...SHARE_QUEUE_LIMITS.spool, totalBytes: config['queue.spoolMegabytes'] * 2 ** 20 },
  };
}

async function startDatabase(dataDir: string, log: Log, open: CloseStack): Promise<string> {
  const embedded = await concerning('dataDir', () => startEmbeddedPostgres({ dataDir, log }));
  open.add('embedded PostgreSQL', () => embedded.close());
  return embedded.connectionString;
}
