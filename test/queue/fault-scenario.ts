/** Load, and parts that are killed in the middle of it: every acknowledged share must be in the books once. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { verifyBooks } from '../../src/ledger/settlement/verify.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { Producer } from '../../src/queue/bullmq/producer.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../src/queue/share-queue.js';
import { startTestPostgres, withTemporaryFolder } from '../helpers/postgres.js';
import { startTestRedis, type TestRedis } from '../helpers/redis.js';

type Victim = 'bridge' | 'recorder' | 'postgres' | 'redis';

export interface FaultScenario {
  readonly backend: 'postgres' | 'redis';
  readonly kills: number;
  /** Numbers from 0 to 1 that choose whom and when. */
  readonly random: () => number;
}

export interface FaultReport {
  readonly acknowledged: number;
  readonly credited: number;
  readonly kills: Readonly<Record<Victim, number>>;
}

const program = (name: string): URL => new URL(`../../dist/test/queue/${name}.js`, import.meta.url);

/** Throws when a share that was acknowledged is missing, or any share is there twice. */
export async function runFaults(scenario: FaultScenario): Promise<FaultReport> {
  const postgres = await startTestPostgres();
  const redis = scenario.backend === 'redis' ? await startTestRedis() : undefined;
  const connection: QueueConnection = redis
    ? { backend: 'redis', url: redis.url }
    : { backend: 'postgres', connectionString: postgres.connectionString };
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  try {
    return await withTemporaryFolder(async (dataDir) => {
      const rigs = new Rigs(connection, dataDir, postgres.connectionString);
      const recorders = new Recorders(connection, postgres.connectionString);
      const kills = { bridge: 0, recorder: 0, postgres: 0, redis: 0 };
      await Promise.all([rigs.start(), recorders.start()]);
      const victims: Victim[] = ['bridge', 'recorder', 'postgres', ...(redis ? (['redis'] as const) : [])];
      for (let i = 0; i < scenario.kills; i++) {
        await pause(50 + 400 * scenario.random());
        const victim = victims[Math.floor(victims.length * scenario.random())] ?? 'bridge';
        kills[victim]++;
        if (victim === 'bridge') await rigs.killAndStart();
        else if (victim === 'recorder') await recorders.killAndStart();
        else if (victim === 'redis') await killAndStartRedis(redis);
        else await killPostgres(postgres.dataDir);
      }
      await rigs.stop();
      await drained(connection, dataDir, ledger);
      await recorders.kill();
      const { rows } = await ledger.pool.query<{ name: string; shares: number }>(
        'SELECT name, sum(submits)::int AS shares FROM rig_work JOIN rig ON rig.id = rig_id WHERE kind = 0 GROUP BY name',
      );
      const credited = new Set(rows.map(({ name }) => Number(name)));
      expect(rows.filter(({ shares }) => shares !== 1)).toEqual([]);
      expect(Array.from(rigs.acknowledged).filter((number) => !credited.has(number))).toEqual([]);
      expect(Array.from(rigs.refused).filter((number) => credited.has(number))).toEqual([]);
      expect((await ledger.totals()).shares).toBe(credited.size);
      // Each start has said what it accepted in all, and that it has ended; what is booked is that.
      const unsettled = await ledger.pool.query(
        'SELECT * FROM producer WHERE NOT ended OR shares <> declared_shares OR work <> declared_work',
      );
      expect(unsettled.rows).toEqual([]);
      expect((await verifyBooks(ledger.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
      return { acknowledged: rigs.acknowledged.size, credited: credited.size, kills };
    });
  } finally {
    await ledger.close();
    await redis?.close();
    await postgres.close();
  }
}

/** The rigs' own count: every number of which they heard `true`. */
class Rigs {
  readonly acknowledged = new Set<number>();
  readonly refused = new Set<number>();
  readonly #connection: QueueConnection;
  readonly #dataDir: string;
  readonly #ledgerUrl: string;
  #child: ChildProcess | undefined;
  #starts = 0;

  constructor(connection: QueueConnection, dataDir: string, ledgerUrl: string) {
    this.#connection = connection;
    this.#dataDir = dataDir;
    this.#ledgerUrl = ledgerUrl;
  }

  async start(): Promise<void> {
    const first = 1_000_000 * this.#starts++;
    const child = fork(
      program('rigs-process'),
      [JSON.stringify(this.#connection), this.#dataDir, String(first), this.#ledgerUrl],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    );
    this.#child = child;
    child.on('message', ({ acknowledged, refused }: { acknowledged?: number; refused?: number }) => {
      if (acknowledged !== undefined) this.acknowledged.add(acknowledged);
      if (refused !== undefined) this.refused.add(refused);
    });
    await once(child, 'message');
  }

  async killAndStart(): Promise<void> {
    const child = this.#child;
    if (child) await killed(child);
    await this.start();
  }

  async stop(): Promise<void> {
    if (!this.#child) return;
    const ended = once(this.#child, 'exit');
    this.#child.send('stop');
    await ended;
  }
}

/** Two of them, in processes of their own. */
class Recorders {
  readonly #arguments: string[];
  #children: ChildProcess[] = [];

  constructor(connection: QueueConnection, connectionString: string) {
    this.#arguments = [JSON.stringify(connection), connectionString];
  }

  async start(): Promise<void> {
    while (this.#children.length < 2) this.#children.push(await this.#fork());
  }

  /** A ledger that is just away ends a recorder at its start, as it would end the command; it is started again. */
  async #fork(): Promise<ChildProcess> {
    for (;;) {
      const child = fork(program('recorder-process'), this.#arguments, {
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      });
      const ready = await Promise.race([
        once(child, 'message').then(() => true),
        once(child, 'exit').then(() => false),
      ]);
      if (ready) return child;
      await pause(100);
    }
  }

  async killAndStart(): Promise<void> {
    const child = this.#children.shift();
    if (child) await killed(child);
    await this.start();
  }

  async kill(): Promise<void> {
    await Promise.all(this.#children.map(killed));
  }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function killAndStartRedis(redis: TestRedis | undefined): Promise<void> {
  await redis?.kill();
  await pause(100);
  await redis?.start();
}

async function killPostgres(dataDir: string): Promise<void> {
  const file = await readFile(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(file.split('\n')[0]);
  if (!(pid > 1)) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Until neither disk nor queue holds an entry: a start that ships what the others left, and ends. */
async function drained(connection: QueueConnection, dataDir: string, ledger: Ledger): Promise<void> {
  const queue = await openShareQueue({
    ...{ connection, dataDir, entries: ledger, log: SILENT, newProducerId: randomUUID },
    limits: { ...SHARE_QUEUE_LIMITS, bookedMs: 200 },
  });
  await expect.poll(async () => (await queue.stats()).unshipped, { interval: 200 }).toBe(0);
  await queue.close();
  const producer = new Producer(connection, SILENT, 20_000);
  const waiting = async (): Promise<number> => {
    const counts = await producer.counts().catch(() => ({ waiting: -1, failed: 0 }));
    expect(counts.failed).toBe(0);
    return counts.waiting;
  };
  await expect.poll(waiting, { interval: 200 }).toBe(0);
  await producer.close();
}
