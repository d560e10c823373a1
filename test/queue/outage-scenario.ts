/** Load, while the queue or the ledger is away: every acknowledged share must be in the books once, and none that was refused. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { openLedger } from '../../src/ledger/ledger.js';
import type { QueueConnection } from '../../src/queue/bullmq/connection.js';
import { startShareRecorder } from '../../src/queue/recording/recorder.js';
import {
  openShareQueue,
  SHARE_QUEUE_LIMITS,
  type ShareQueue,
  type ShareQueueLimits,
  type ShareQueueStats,
} from '../../src/queue/share-queue.js';
import { withTemporaryFolder } from '../helpers/books/postgres.js';
import { type Gate, openGate } from '../helpers/processes/gate.js';
import { append, makeShare } from '../helpers/rigs/shares.js';
import { until } from '../helpers/until.js';
import { type Answers, expectBooked } from './fault-scenario.js';

export interface OutageScenario {
  /** Of the ledger, and of the queue where `redisUrl` is not given. Books that nobody else uses. */
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly away: readonly ('queue' | 'ledger')[];
  /** Shares a second. */
  readonly load: number;
  readonly limits?: Partial<ShareQueueLimits>;
  /** Resolves when it has lasted long enough. */
  readonly lasts: (so: Answers) => Promise<unknown>;
}

export interface OutageReport {
  readonly acknowledged: number;
  readonly refused: number;
  /** As shown at its end. */
  readonly stats: ShareQueueStats;
  /** The most that lay on the disk. */
  readonly mostBytes: number;
}

/** Throws when a share that was acknowledged is missing, one is there that was refused, or any is there twice. */
export async function runOutage(scenario: OutageScenario): Promise<OutageReport> {
  const { databaseUrl, redisUrl } = scenario;
  const gates = { ledger: await gateOf(databaseUrl), queue: await gateOf(redisUrl ?? databaseUrl) };
  const connection: QueueConnection = redisUrl
    ? { backend: 'redis', url: through(gates.queue, redisUrl) }
    : { backend: 'postgres', connectionString: through(gates.queue, databaseUrl) };
  const books = await openLedger({ connectionString: databaseUrl, log: SILENT });
  const ledger = await openLedger({ connectionString: through(gates.ledger, databaseUrl), log: SILENT });
  const recorders = [1, 2].map(() => startShareRecorder({ connection, ledger, log: SILENT }));
  try {
    return await withTemporaryFolder(async (dataDir) => {
      const queue = await openShareQueue({
        ...{ connection, folder: dataDir, ledger, place: 'test', log: SILENT, newLogId: randomUUID },
        limits: { ...SHARE_QUEUE_LIMITS, ...scenario.limits },
      });
      const load = new Load(queue, scenario.load);
      await until('shares are booked', async () => (await books.totals()).shares > 10);
      for (const one of scenario.away) await gates[one].shut();
      await scenario.lasts(load);
      await until('the log is behind', async () => (await queue.stats()).heldBack > 0);
      const stats = await queue.stats();
      for (const one of scenario.away) await gates[one].open();
      const { size } = load.acknowledged;
      await until('all is booked that was kept', async () => (await books.totals()).shares >= size);
      await until('shares are taken', () => load.acknowledged.size > size);
      await load.stop();
      await until('the last ones, too', async () => (await books.totals()).shares >= load.acknowledged.size);
      await queue.close();
      await until('its end is booked', async () => {
        const { rows } = await books.pool.query('SELECT FROM log WHERE NOT ended');
        return rows.length === 0;
      });
      await expectBooked(books, load);
      const { acknowledged, refused, mostBytes } = load;
      return { acknowledged: acknowledged.size, refused: refused.size, stats, mostBytes };
    });
  } finally {
    await Promise.all(recorders.map((recorder) => recorder.close()));
    await Promise.all([ledger.close(), books.close()]);
    await Promise.all([gates.ledger.shut(), gates.queue.shut()]);
  }
}

const RIGS = 20;

/** Rigs that never rest; each share has a rig of its own, called by its number. */
class Load implements Answers {
  readonly acknowledged = new Set<number>();
  readonly refused = new Set<number>();
  mostBytes = 0;
  readonly #queue: ShareQueue;
  readonly #working: Promise<unknown>;
  #next = 0;
  #isStopping = false;

  constructor(queue: ShareQueue, sharesPerSecond: number) {
    this.#queue = queue;
    const restMs = (1000 * RIGS) / sharesPerSecond;
    this.#working = Promise.all([...Array.from({ length: RIGS }, () => this.#mine(restMs)), this.#look()]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#working;
  }

  async #mine(restMs: number): Promise<void> {
    while (!this.#isStopping) {
      const number = this.#next++;
      const share = makeShare({ rig: String(number), acceptedAtMs: Date.now() });
      await append(this.#queue, share).then(
        () => this.acknowledged.add(number),
        ({ code }) => {
          expect(code).toBe('log-full');
          this.refused.add(number);
        },
      );
      await pause(restMs);
    }
  }

  async #look(): Promise<void> {
    while (!this.#isStopping) {
      this.mostBytes = Math.max(this.mostBytes, (await this.#queue.stats()).logBytes);
      await pause(100);
    }
  }
}

const gateOf = (url: string): Promise<Gate> => openGate(Number(new URL(url).port));

function through(gate: Gate, text: string): string {
  const url = new URL(text);
  url.port = String(gate.port);
  return url.href;
}
