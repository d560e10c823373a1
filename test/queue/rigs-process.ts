/**
 * A bridge's share queue with rigs that never rest, until it is killed. Arguments: the queue's connection as JSON, the data
 * directory, the number of the first share, and the URL of the ledger. Each share's rig is called by its number; the parent is
 * told of every one that was acknowledged, and of refusals.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { SILENT } from '../../src/core/names/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../src/queue/share-queue.js';
import { append, makeShare } from '../helpers/rigs/shares.js';

/** Some hundred shares a second: what is killed is to matter, and not the load. */
const RIGS = 20;
const REST_MS = 50;

const [, , connection = '', dataDir = '', first = '0', connectionString = ''] = process.argv;
const ledger = await openLedger({ connectionString, log: SILENT, waits: true });
const queue = await openShareQueue({
  connection: JSON.parse(connection) as QueueConnection,
  folder: dataDir,
  ledger,
  place: 'test',
  log: SILENT,
  newLogId: randomUUID,
  limits: {
    ...SHARE_QUEUE_LIMITS,
    shipMs: 20,
    renewMs: 200,
    keepMs: 0,
    segmentBytes: 20_000,
    addTimeoutMs: 500,
  },
});

let next = Number(first);
let stopping = false;
process.on('message', () => {
  stopping = true;
});

async function mine(): Promise<void> {
  while (!stopping) {
    const number = next++;
    await append(queue, makeShare({ rig: String(number), acceptedAtMs: Date.now() })).then(
      () => process.send?.({ acknowledged: number }),
      (error: Error) => process.send?.({ refused: number, why: error.message }),
    );
    await pause(REST_MS);
  }
}

await Promise.all(Array.from({ length: RIGS }, mine));
await queue.close();
await ledger.close();
process.disconnect();
