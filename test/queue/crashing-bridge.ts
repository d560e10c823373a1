/**
 * Appends shares as fast as it can and tells its parent how many were acknowledged, until it is killed. Arguments: the queue's
 * connection as JSON, the data directory, the id of the ledger.
 */
import { randomUUID } from 'node:crypto';
import { SILENT } from '../../src/core/names/log.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../src/queue/share-queue.js';
import { append, makeShare } from '../helpers/rigs/shares.js';

const [, , connection = '', dataDir = '', ledger = ''] = process.argv;
const away = () => Promise.reject(new Error('no ledger is asked'));
const queue = await openShareQueue({
  connection: JSON.parse(connection) as QueueConnection,
  folder: dataDir,
  // Nothing is known to be booked, so nothing of the log goes.
  ledger: {
    id: async () => ledger,
    ...{ renewLogs: away, missingEntries: away, conflictingEntries: away, giveUpEntries: away },
  },
  place: 'test',
  log: SILENT,
  newLogId: randomUUID,
  limits: { ...SHARE_QUEUE_LIMITS, shipMs: 20 },
});

let acknowledged = 0;
async function mine(rig: string): Promise<void> {
  for (;;) {
    await append(queue, makeShare({ account: 'crash', rig }));
    process.send?.(++acknowledged);
  }
}
await Promise.all(Array.from({ length: 25 }, (_, i) => mine(`r${i}`)));
