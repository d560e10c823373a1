/** The queue's backend away for a minute under load; STRATUM_BRIDGE_TEST_OUTAGE_MS sets another time. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { verifyBooks } from '../../src/ledger/settlement/verify.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { startShareRecorder } from '../../src/queue/recording/recorder.js';
import { openShareQueue } from '../../src/queue/share-queue.js';
import { openGate } from '../helpers/gate.js';
import { startTestPostgres, withTemporaryFolder } from '../helpers/postgres.js';
import { append, makeShare } from '../helpers/shares.js';

const outageMs = Number(process.env['STRATUM_BRIDGE_TEST_OUTAGE_MS'] ?? 60_000);

it(`loses nothing while the database is away for ${outageMs / 1000} s`, () =>
  withTemporaryFolder(async (dataDir) => {
    await using postgres = await startTestPostgres();
    const gate = await openGate(Number(new URL(postgres.connectionString).port));
    const url = new URL(postgres.connectionString);
    url.port = String(gate.port);
    const connection: QueueConnection = { backend: 'postgres', connectionString: url.href };
    const ledger = await openLedger({ connectionString: url.href, log: SILENT });
    const recorder = startShareRecorder({ connection, ledger, log: SILENT });
    const queue = await openShareQueue({
      ...{ connection, dataDir, entries: ledger, log: SILENT, newProducerId: randomUUID },
    });
    let acknowledged = 0;
    let mining = true;
    const mine = async (rig: string): Promise<void> => {
      while (mining) {
        await append(queue, makeShare({ rig, acceptedAtMs: Date.now() }));
        acknowledged++;
        await pause(50);
      }
    };
    const rigs = Promise.all(Array.from({ length: 50 }, (_, i) => mine(`r${i}`)));
    await pause(1000);
    await gate.shut();
    await pause(outageMs);
    expect((await queue.stats()).spooled).toBeGreaterThan(10);
    await gate.open();
    await pause(1000);
    mining = false;
    await rigs;
    await expect
      .poll(async () => (await ledger.totals()).shares, { timeout: 120_000, interval: 500 })
      .toBe(acknowledged);
    expect((await verifyBooks(ledger.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
    await queue.close();
    await recorder.close();
    await ledger.close();
    await gate.shut();
    await postgres.close();
  }));
