/** A standby takes over that had not heard of the last seconds: what they had booked comes again from the share log, and is booked once. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { startShareRecorder } from '../../../src/queue/recording/recorder.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../../src/queue/share-queue.js';
import { withTemporaryFolder } from '../../helpers/books/postgres.js';
import { startPair } from '../../helpers/books/standby.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';

it('that is promoted without the last seconds gets them from the log', () =>
  withTemporaryFolder(async (folder) => {
    await using pair = await startPair();
    const { connectionString } = pair;
    const ledger = await openLedger({ connectionString, log: SILENT, waits: true });
    const said: string[] = [];
    const log: Log = { ...SILENT, error: (_fields, words) => said.push(words) };
    const connection = { backend: 'postgres', connectionString } as const;
    const limits = { ...SHARE_QUEUE_LIMITS, shipMs: 50, renewMs: 100, againMs: 2_000, addTimeoutMs: 1_000 };
    const shares = await openShareQueue({
      ...{ connection, folder: join(folder, 'bridge'), ledger, log, limits },
      ...{ place: 'test', newLogId: randomUUID },
    });
    const recorder = startShareRecorder({ connection, ledger, log: SILENT });
    const booked = async (): Promise<number> => (await ledger.totals()).shares;
    const mine = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await append(shares, makeShare({ rig: `r${i % 7}` }));
    };
    await mine(100);
    await expect.poll(booked).toBe(100);
    await pair.caughtUp();
    await pair.cut();
    await mine(150);
    await expect.poll(booked).toBe(250);

    await pair.promote();
    expect(await pair.askStandby('SELECT sum(shares) FROM stratum_bridge.log')).toBe('100');
    await pair.letIn();
    await mine(50);
    await expect.poll(() => booked().catch(() => 0)).toBe(300);
    expect(said).toContainEqual(expect.stringContaining('shipped again from the share log'));
    expect(said).not.toContainEqual(expect.stringContaining('given up'));
    await shares.close();
    await recorder.close();
    expect((await verifyBooks(ledger.pool)).flatMap(({ broken }) => broken)).toEqual([]);
    await ledger.close();
  }));
