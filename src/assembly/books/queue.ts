/** The way of shares to the ledger: share log, queue, recorder. */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { BridgeEvents } from '../../bridge/events.js';
import type { Clock } from '../../bridge/ports.js';
import type { BridgeConfig } from '../../config/settings.js';
import type { Ledger } from '../../ledger/ledger.js';
import { countSetAside } from '../../ledger/recording/set-aside.js';
import type { QueueConnection } from '../../queue/bullmq/connection.js';
import { requireLedger } from '../../queue/log/ledger-mark.js';
import { openPrivateFolder } from '../../queue/log/private-folder.js';
import { startShareRecorder } from '../../queue/recording/recorder.js';
import {
  openShareQueue,
  SHARE_QUEUE_LIMITS,
  type ShareQueue,
  type ShareQueueLimits,
} from '../../queue/share-queue.js';
import { LastKnown } from '../../web/state/last-known.js';
import type { QueueStats } from '../../web/state/summary.js';
import { concerning } from '../failures.js';
import { bridgePlace, type Site } from '../site.js';
import { rememberQueue } from './former-queues.js';

/** A start waits so long for the ledger to say which one it is. */
const HEARD_MS = 500;
/** Of a stop at least, so that what is at hand is shipped and booked. */
const SHIP_MS = 800;
const BOOK_MS = 300;
const COUNT_MS = 100;
/** Shorter than that of who asks for all numbers of the queue: the others are shown although the database is away. */
export const SET_ASIDE_PATIENCE_MS = 300;

/** The queue is closed before the recorder, which may still book what was handed over last. */
export async function openQueue(
  site: Site,
  { ledger, connection, clock: { nowMs } }: { ledger: Ledger; connection: QueueConnection; clock: Clock },
): Promise<ShareQueue> {
  const { config, log, open, events } = site;
  const { folder } = site;
  const isTimeKnown = await hearLedger(folder, ledger);
  const given = config['ledger.databaseUrl'] || undefined;
  const former = await rememberQueue({
    ...{ folder, dataDir: config.dataDir, connection, databaseUrl: given, pool: ledger.pool, log },
  });
  open.add('queue in use', () => former.close(), COUNT_MS);
  if (config['queue.recorder']) {
    const recorder = startShareRecorder({ connection, ledger, log });
    open.add('recorder', (withinMs) => recorder.close(withinMs), BOOK_MS);
  }
  const settings = {
    ...{ durability: config['shares.durability'], nowMs, isTimeKnown, newLogId: randomUUID },
    limits: shareQueueLimitsFrom(config),
  };
  const shares = await concerning('dataDir', () =>
    openShareQueue({ connection, folder, ledger, place: bridgePlace(site), log, ...settings }),
  );
  open.add('share queue', (withinMs) => shares.close(withinMs), SHIP_MS);
  countRejections(events, shares, nowMs);
  return shares;
}

/** Whether it answers. One that does not is heard later, and nothing is shipped before. Throws OtherLedgerError. */
async function hearLedger(own: string, ledger: Ledger): Promise<boolean> {
  const id = await Promise.race([ledger.ready.then(() => ledger.id()), pause(HEARD_MS)]).catch(
    () => undefined,
  );
  const folder = join(own, 'shares');
  await openPrivateFolder(folder);
  if (id !== undefined) await requireLedger(folder, id);
  return id !== undefined;
}

/** Of the queue, with what the ledger has set aside. */
export function queueStatsOf(shares: ShareQueue, { pool }: Ledger): () => Promise<QueueStats> {
  const setAside = new LastKnown(() => countSetAside(pool), SET_ASIDE_PATIENCE_MS);
  return async () => {
    const [stats, parts] = await Promise.all([shares.stats(), setAside.look()]);
    return { ...stats, failed: stats.failed + (parts.value ?? 0) };
  };
}

function shareQueueLimitsFrom(config: BridgeConfig): ShareQueueLimits {
  return {
    ...SHARE_QUEUE_LIMITS,
    totalBytes: config['shares.logSize'],
    queueEntries: config['queue.entries'],
  };
}

function countRejections(events: BridgeEvents, shares: ShareQueue, nowMs: () => number): void {
  events.on('submit', ({ outcome, account, rig, claimed: work = 0n }) => {
    if (outcome !== 'accepted') shares.countRejection({ account, rig, reason: outcome, atMs: nowMs(), work });
  });
}
