/** Load, and parts that are killed in the middle of it: every acknowledged share must be in the books once. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { verifyBooks } from '../../src/ledger/proof/verify.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { EntryQueue } from '../../src/queue/bullmq/entry-queue.js';
import { openShareQueue, SHARE_QUEUE_LIMITS } from '../../src/queue/share-queue.js';
import { startTestPostgres, withTemporaryFolder } from '../helpers/books/postgres.js';
import { startTestRedis } from '../helpers/books/redis.js';
import { until } from '../helpers/until.js';
import { type Kill, killOrder } from './kill-order.js';
import { PostgresVictim, ProcessVictim, RedisVictim, type Victim, VictimsInTurn } from './victims.js';

type Name = 'bridge' | 'recorder' | 'postgres' | 'redis';

export interface FaultScenario {
  readonly backend: 'postgres' | 'redis';
  /** Of each victim, at the least. */
  readonly kills: number;
  /** Numbers from 0 to 1 that choose when. */
  readonly random: () => number;
}

export interface FaultReport {
  readonly acknowledged: number;
  readonly refused: number;
  readonly credited: number;
  /** How often each was killed. */
  readonly kills: Readonly<Record<string, number>>;
  /** How often one was killed right after another, by both and what lay between: `redis, down, bridge`. */
  readonly pairs: Readonly<Record<string, number>>;
}

/** Throws when a share that was acknowledged is missing, one is there that was refused, or any is there twice. */
export async function runFaults({ backend, kills, random }: FaultScenario): Promise<FaultReport> {
  const postgres = await startTestPostgres();
  const redis = backend === 'redis' ? await startTestRedis() : undefined;
  const connection: QueueConnection = redis
    ? { backend: 'redis', url: redis.url }
    : { backend: 'postgres', connectionString: postgres.connectionString };
  const ledger = await openLedger({ connectionString: postgres.connectionString, log: SILENT });
  try {
    return await withTemporaryFolder(async (dataDir) => {
      const rigs = new Rigs(connection, dataDir, postgres.connectionString);
      const recorders = new VictimsInTurn(
        [1, 2].map(() => new ProcessVictim(() => forkRecorder(connection, postgres.connectionString))),
      );
      const victims: Partial<Record<Name, Victim>> = {
        ...{ bridge: rigs.bridge, recorder: recorders, postgres: new PostgresVictim(postgres) },
        ...(redis && { redis: new RedisVictim(redis) }),
      };
      try {
        await Promise.all([rigs.bridge.start(), recorders.start()]);
        const order = killOrder(Object.keys(victims) as Name[], kills);
        await killAll(victims, order, async () => {
          const before = rigs.acknowledged.size;
          await until('shares are taken', () => rigs.acknowledged.size > before);
          await pause(100 * random());
        });
        await rigs.stop();
        await drained(connection, dataDir, ledger);
        const credited = await expectBooked(ledger, rigs);
        return { ...counted(rigs), credited, ...told(order) };
      } finally {
        await Promise.all([rigs.bridge.end(), recorders.end()]);
      }
    });
  } finally {
    await ledger.close();
    await redis?.close();
    await postgres.close();
  }
}

/** @param works resolves once all have worked together for a moment. */
async function killAll(
  victims: Partial<Record<Name, Victim>>,
  order: readonly Kill<Name>[],
  works: () => Promise<void>,
): Promise<void> {
  let starting: Promise<void>[] = [];
  let down: Victim | undefined;
  for (const [i, { victim: name, next }] of order.entries()) {
    const victim = victims[name] ?? expect.fail(name);
    await victim.kill();
    if (down) starting.push(down.start());
    down = undefined;
    // One cannot be killed again while it is dead: it is on its way up then.
    if (next === 'down' && order[i + 1]?.victim !== name) down = victim;
    else starting.push(victim.start());
    if (next !== 'up') continue;
    await Promise.all(starting);
    starting = [];
    await works();
  }
  await Promise.all([...starting, down?.start()]);
}

/** What rigs were told of their shares, each of which is called by its number. */
export interface Answers {
  readonly acknowledged: ReadonlySet<number>;
  readonly refused: ReadonlySet<number>;
}

const counted = ({ acknowledged, refused }: Answers) => ({
  acknowledged: acknowledged.size,
  refused: refused.size,
});

function told(order: readonly Kill<Name>[]): Pick<FaultReport, 'kills' | 'pairs'> {
  const kills: Record<string, number> = {};
  const pairs: Record<string, number> = {};
  for (const [i, { victim, next }] of order.entries()) {
    kills[victim] = (kills[victim] ?? 0) + 1;
    const pair = `${victim}, ${next}, ${(order[i + 1] ?? order[0])?.victim}`;
    pairs[pair] = (pairs[pair] ?? 0) + 1;
  }
  return { kills, pairs };
}

/** To the share, with all that logs and proofs say of it. Resolves with how many are booked. */
export async function expectBooked(ledger: Ledger, { acknowledged, refused }: Answers): Promise<number> {
  const { rows } = await ledger.pool.query<{ name: string; shares: number }>(
    'SELECT name, sum(submits)::int AS shares FROM rig_work JOIN rig ON rig.id = rig_id WHERE kind = 0 GROUP BY name',
  );
  const credited = new Set(rows.map(({ name }) => Number(name)));
  expect(rows.filter(({ shares }) => shares !== 1)).toEqual([]);
  expect(Array.from(acknowledged).filter((number) => !credited.has(number))).toEqual([]);
  expect(Array.from(refused).filter((number) => credited.has(number))).toEqual([]);
  expect((await ledger.totals()).shares).toBe(credited.size);
  // Each start has said what it accepted in all, and that it has ended; what is booked is that.
  const unsettled = await ledger.pool.query(
    'SELECT * FROM log WHERE NOT ended OR shares <> declared_shares OR work <> declared_work',
  );
  expect(unsettled.rows).toEqual([]);
  expect((await verifyBooks(ledger.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  return credited.size;
}

const program = (name: string): URL => new URL(`../../dist/test/queue/${name}.js`, import.meta.url);

function forkRecorder(connection: QueueConnection, connectionString: string): ChildProcess {
  const args = [JSON.stringify(connection), connectionString];
  return fork(program('recorder-process'), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

/** The rigs' own count: every number of which they heard `true`. */
class Rigs implements Answers {
  readonly acknowledged = new Set<number>();
  readonly refused = new Set<number>();
  readonly bridge: ProcessVictim;

  constructor(connection: QueueConnection, dataDir: string, ledgerUrl: string) {
    let starts = 0;
    this.bridge = new ProcessVictim(() => {
      const args = [JSON.stringify(connection), dataDir, String(1_000_000 * starts++), ledgerUrl];
      const child = fork(program('rigs-process'), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
      return child.on('message', (said: { acknowledged?: number; refused?: number }) => {
        if (said.acknowledged !== undefined) this.acknowledged.add(said.acknowledged);
        if (said.refused !== undefined) this.refused.add(said.refused);
      });
    });
  }

  async stop(): Promise<void> {
    const { child } = this.bridge;
    if (!child) return;
    const ended = once(child, 'exit');
    child.send('stop');
    await ended;
  }
}

/** Until neither disk nor queue holds an entry: a start that ships what the others left, and ends. */
async function drained(connection: QueueConnection, dataDir: string, ledger: Ledger): Promise<void> {
  const queue = await openShareQueue({
    ...{ connection, folder: dataDir, ledger, place: 'test', log: SILENT, newLogId: randomUUID },
    limits: { ...SHARE_QUEUE_LIMITS, renewMs: 200, keepMs: 0 },
  });
  await expect.poll(async () => (await queue.stats()).unshipped, { interval: 200 }).toBe(0);
  await queue.close();
  const adder = new EntryQueue(connection, SILENT, 20_000);
  const waiting = async (): Promise<number> => {
    const counts = await adder.counts().catch(() => ({ waiting: -1, failed: 0 }));
    expect(counts.failed).toBe(0);
    return counts.waiting;
  };
  await expect.poll(waiting, { interval: 200 }).toBe(0);
  await adder.close();
}
