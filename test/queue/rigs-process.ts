/**
 * A bridge's share queue with rigs that never rest, until it is killed. Arguments: the queue's connection as JSON, the data
 * directory, and the number of the first share. Each share's height is its number; the parent is told of every one that
 * was acknowledged, and of refusals.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SILENT } from '../../src/core/log.js';
import type { QueueConnection } from '../../src/queue/connection.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../src/queue/share-queue.js';
import { makeShare } from '../helpers/shares.js';

const [, , connection = '', dataDir = '', first = '0'] = process.argv;
const queue = await openShareQueue({
  connection: JSON.parse(connection) as QueueConnection,
  dataDir,
  log: SILENT,
  newProducerId: randomUUID,
  limits: { ...SHARE_QUEUE_LIMITS, sharesPerEntry: 20, gatherMs: 5, addTimeoutMs: 500 },
});

let next = Number(first);
let stopping = false;
process.on('message', () => {
  stopping = true;
});

async function mine(rig: string): Promise<void> {
  while (!stopping) {
    const height = next++;
    await queue.append(makeShare({ rig, height, acceptedAtMs: Date.now() })).then(
      () => process.send?.({ acknowledged: height }),
      (error: Error) => process.send?.({ refused: height, why: error.message }),
    );
    await pause(1);
  }
}

await Promise.all(Array.from({ length: 30 }, (_, i) => mine(`r${i}`)));
await queue.close();
process.disconnect();
