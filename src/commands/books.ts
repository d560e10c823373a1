/** Database, ledger, recorder and queue, in the order in which each needs the one before. */
import { randomUUID } from 'node:crypto';
import type { ShareLog } from '../bridge/ports.js';
import type { BridgeConfig } from '../config/settings.js';
import type { Log } from '../core/log.js';
import { startEmbeddedPostgres } from '../ledger/embedded.js';
import { lockFolder } from '../ledger/folder-lock.js';
import { type Ledger, openLedger } from '../ledger/ledger.js';
import type { QueueConnection } from '../queue/connection.js';
import { openShareQueue } from '../queue/share-queue.js';
import { startShareRecorder } from '../queue/share-recorder.js';
import type { SummarySources } from '../web/summary.js';
import type { CloseStack } from './stop.js';

export interface Books {
  readonly ledger: Ledger;
  readonly shares: ShareLog;
  readonly queueStats: SummarySources['queue'];
}

export async function openBooks(config: BridgeConfig, log: Log, open: CloseStack): Promise<Books> {
  const { dataDir } = config;
  const lock = await lockFolder(dataDir, 'bridge');
  open.add('data directory', () => lock.release());
  const databaseUrl = config['ledger.databaseUrl'] || (await startDatabase(dataDir, log, open));
  const ledger = await openLedger({ connectionString: databaseUrl, log });
  open.add('ledger', () => ledger.close());
  const redisUrl = config['queue.redisUrl'];
  const connection: QueueConnection = redisUrl
    ? { backend: 'redis', url: redisUrl }
    : { backend: 'postgres', connectionString: databaseUrl };
  const recorder = startShareRecorder({ connection, ledger, log });
  open.add('recorder', () => recorder.close());
  const shares = await openShareQueue({ connection, dataDir, log, newProducerId: randomUUID });
  open.add('share queue', () => shares.close());
  return { ledger, shares, queueStats: () => shares.stats() };
}

async function startDatabase(dataDir: string, log: Log, open: CloseStack): Promise<string> {
  const embedded = await startEmbeddedPostgres({ dataDir, log });
  open.add('embedded PostgreSQL', () => embedded.close());
  return embedded.connectionString;
}
