/** A standby takes over that had not heard of the last seconds: what they had booked comes again from the share log, and is booked once. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { startEmbeddedPostgres } from '../../../src/ledger/embedded/embedded.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { startShareRecorder } from '../../../src/queue/recording/recorder.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../../src/queue/share-queue.js';
import { ask } from '../../helpers/books/ask-postgres.js';
import { order, withTemporaryFolder } from '../../helpers/books/postgres.js';
import { openGate } from '../../helpers/processes/gate.js';
import { append, makeShare } from '../../helpers/rigs/shares.js';
import { until } from '../../helpers/until.js';

const run = promisify(execFile);

/** Its port, and where it says who it is. */
interface Server {
  readonly url: URL;
  close(): Promise<void>;
}

async function start(dataDir: string): Promise<Server> {
  const { connectionString, close } = await startEmbeddedPostgres({ dataDir, log: SILENT, byTcp: true });
  return { url: new URL(connectionString), close: () => close() };
}

function through(url: URL, port: number): string {
  const other = new URL(url);
  other.port = String(port);
  return other.toString();
}

/** What streams from the one to the other goes through the gate. */
async function startPair(folder: string) {
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  await run('mkdir', ['-m', '755', first, second]);
  await (await start(first)).close();
  await run('cp', ['-a', join(first, 'postgres'), second]);
  const primary = await start(first);
  await appendFile(join(first, 'postgres', 'hba.conf'), 'host replication all 127.0.0.1/32 scram-sha-256\n');
  await order(primary.url.toString(), 'SELECT pg_reload_conf()');
  const stream = await openGate(Number(primary.url.port));
  const { username, password } = primary.url;
  const source = `host=127.0.0.1 port=${stream.port} user=${username} password=${password}`;
  await appendFile(
    join(second, 'postgres', 'data', 'postgresql.auto.conf'),
    `primary_conninfo = '${source}'\n`,
  );
  await writeFile(join(second, 'postgres', 'data', 'standby.signal'), '');
  const standby = await start(second);
  return { primary, standby, stream };
}

it('that is promoted without the last seconds gets them from the log', () =>
  withTemporaryFolder(async (folder) => {
    const { primary, standby, stream } = await startPair(folder);
    onTestFinished(() => standby.close());
    const gate = await openGate(Number(primary.url.port));
    const connectionString = through(primary.url, gate.port);
    const ledger = await openLedger({ connectionString, log: SILENT, waits: true });
    const said: string[] = [];
    const log: Log = { ...SILENT, error: (_fields, words) => said.push(words) };
    const connection = { backend: 'postgres', connectionString } as const;
    const limits = { ...SHARE_QUEUE_LIMITS, shipMs: 50, renewMs: 100, againMs: 2_000, addTimeoutMs: 1_000 };
    const shares = await openShareQueue({
      ...{ connection, dataDir: join(folder, 'bridge'), ledger, log, limits },
      ...{ place: 'test', newLogId: randomUUID },
    });
    const recorder = startShareRecorder({ connection, ledger, log: SILENT });
    const booked = async (): Promise<number> => (await ledger.totals()).shares;
    const mine = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await append(shares, makeShare({ rig: `r${i % 7}` }));
    };
    await mine(100);
    await expect.poll(booked).toBe(100);
    const onStandby = (): Promise<string> =>
      ask({ connectionString: standby.url.toString() }, 'SELECT sum(shares) FROM stratum_bridge.log');
    await until('the standby has them', async () => (await onStandby()) === '100');
    await stream.shut();
    await mine(150);
    await expect.poll(booked).toBe(250);

    await gate.shut();
    await primary.close();
    gate.turnTo(Number(standby.url.port));
    await order(standby.url.toString(), 'SELECT pg_promote()');
    expect(await onStandby()).toBe('100');
    await gate.open();
    await mine(50);
    await expect.poll(() => booked().catch(() => 0)).toBe(300);
    expect(said).toContainEqual(expect.stringContaining('shipped again from the share log'));
    expect(said).not.toContainEqual(expect.stringContaining('given up'));
    await shares.close();
    await recorder.close();
    expect((await verifyBooks(ledger.pool)).flatMap(({ broken }) => broken)).toEqual([]);
    await ledger.close();
    await gate.shut();
  }));
