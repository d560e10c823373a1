/** All parts of a pool that lasts a week: database behind a gate, node, recorder, bridge, and rigs in two processes. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { CloseStack } from '../../../src/cli/service/stop.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { startTestRedis, type TestRedis } from '../../helpers/books/redis.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { type Gate, openGate } from '../../helpers/processes/gate.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import { PostgresVictim } from '../../queue/victims.js';
import { FleetBridge, FRONTS, startAgain } from './fleet-bridge.js';
import type { Load, Look, Told } from './fleet-rigs.js';

export type Backend = 'postgres' | 'redis';

export interface PoolOptions {
  readonly backend: Backend;
  readonly rigs: number;
  readonly seed: number;
}

const LOADS = 2;
const MOST_CONNECTIONS = 15_000;
const DRAIN_SECONDS = 15;
const OURS = `k:${'ee'.repeat(32)}`;
/** Small, so that a rig of a few lines finds one at once. */
export const SHARE_DIFFICULTY = 16;
/** Of all rigs together, however many there are. */
const SHARES_PER_SECOND = 500;
/** A block in two seconds. */
const BLOCK_DIFFICULTY = 16_000;
/** On each of its twenty chains. */
const BLOCK_DELAY_MS = 40_000;

export class Pool {
  readonly dataDir: string;
  /** Past the gate. */
  readonly databaseUrl: string;
  readonly nodeUrl: string;
  readonly web: string;
  readonly bridge: FleetBridge;
  readonly redis: TestRedis | undefined;
  readonly #postgres: TestPostgres;
  readonly #victim: PostgresVictim;
  readonly #gate: Gate;
  readonly #settings: Record<string, unknown>;
  #recorder: Program | undefined;

  static async open(open: CloseStack, options: PoolOptions): Promise<Pool> {
    const folder = await temporaryFolder();
    open.add('folder', () => folder[Symbol.asyncDispose]());
    const postgres = await startTestPostgres();
    open.add('database', () => postgres.close());
    const databaseUrl = await createDatabase(postgres);
    const gate = await openGate(Number(new URL(databaseUrl).port));
    open.add('gate', () => gate.shut());
    const redis = options.backend === 'redis' ? await startTestRedis() : undefined;
    open.add('redis', () => redis?.close());
    const ports = await freePorts(3);
    const pool = new Pool({ dataDir: folder.path, databaseUrl, postgres, gate, redis, ports });
    const node = startNode(pool);
    open.add('node', () => node[Symbol.asyncDispose]());
    await node.ready();
    open.add('recorder', () => pool.#recorder?.[Symbol.asyncDispose]());
    open.add('bridge', () => pool.#endBridge());
    await pool.settle({ 'stratum.shareDifficulty': SHARE_DIFFICULTY });
    await Promise.all([pool.startRecorder(), pool.bridge.start()]);
    return pool;
  }

  private constructor({ dataDir, databaseUrl, postgres, gate, redis, ports }: Found) {
    const [tcp = 0, web = 0, node = 0] = ports;
    this.dataDir = dataDir;
    this.databaseUrl = databaseUrl;
    this.nodeUrl = `http://127.0.0.1:${node}`;
    this.web = `http://127.0.0.1:${web}`;
    this.redis = redis;
    this.#postgres = postgres;
    this.#victim = new PostgresVictim(postgres);
    this.#gate = gate;
    const gated = new URL(databaseUrl);
    gated.port = String(gate.port);
    this.#settings = {
      ...{
        dataDir,
        processes: FRONTS,
        'miner.account': OURS,
        'node.urls': [this.nodeUrl],
        'cpu.mode': 'off',
      },
      ...{ 'ledger.databaseUrl': gated.href, 'queue.recorder': false, 'rewards.scheme': 'prop' },
      ...{ 'stratum.tcp': `127.0.0.1:${tcp}`, 'stratum.ws': 'off', 'web.listen': `127.0.0.1:${web}` },
      // One front takes all rigs while the other is away.
      'stratum.limits.connections': MOST_CONNECTIONS,
      'stratum.drainSeconds': DRAIN_SECONDS,
      ...(redis && { 'queue.redisUrl': redis.url }),
    };
    this.bridge = new FleetBridge(join(dataDir, 'bridge.yaml'), dataDir, this.web);
  }

  /** Two processes of rigs, which come at once. */
  startRigs(open: CloseStack, { rigs, seed }: PoolOptions): Rigs {
    const count = Math.ceil(rigs / LOADS);
    const port = Number(String(this.#settings['stratum.tcp']).split(':')[1]);
    const load = { port, count, seed, sharesPerSecond: SHARES_PER_SECOND / LOADS };
    return new Rigs(
      open,
      [0, 1].map((i): Load => ({ ...load, first: i * count })),
    );
  }

  /** Writes the file of settings, for the next reload or start. */
  async settle(changed: Readonly<Record<string, unknown>>): Promise<void> {
    Object.assign(this.#settings, changed);
    await writeFile(join(this.dataDir, 'bridge.yaml'), stringify(this.#settings), { mode: 0o600 });
  }

  async startRecorder(): Promise<void> {
    const backend = this.redis ? ['--redis-url', this.redis.url] : [];
    const database = String(this.#settings['ledger.databaseUrl']);
    this.#recorder = await startAgain(() =>
      startProgram(['recorder', '--web', 'off', '--database-url', database, ...backend]),
    );
  }

  async killRecorder(): Promise<void> {
    this.#recorder?.kill('SIGKILL');
    await this.#recorder?.ended;
  }

  get recorder(): Program | undefined {
    return this.#recorder;
  }

  /** By `kill -9`. Its keeper starts it again; nobody reaches it for so long. */
  async killDatabase(awayMs: number): Promise<void> {
    if (awayMs > 0) await this.#gate.shut();
    await this.#victim.kill();
    await pause(awayMs);
    await this.#victim.start();
    if (awayMs > 0) await this.#gate.open();
  }

  /** The database is stopped in order while the bridge is not. */
  get postgres(): TestPostgres {
    return this.#postgres;
  }

  async #endBridge(): Promise<void> {
    for (const start of this.bridge.starts) await start[Symbol.asyncDispose]();
  }
}

interface Found {
  readonly dataDir: string;
  readonly databaseUrl: string;
  readonly postgres: TestPostgres;
  readonly gate: Gate;
  readonly redis: TestRedis | undefined;
  readonly ports: readonly number[];
}

function startNode({ nodeUrl, dataDir }: Pool): Program {
  return startProgram([
    ...['node', '--mining', '--listen', new URL(nodeUrl).host, '--data-dir', join(dataDir, 'node')],
    ...['--genesis-difficulty', `${BLOCK_DIFFICULTY}`, '--block-delay-ms', `${BLOCK_DELAY_MS}`],
  ]);
}

/** Rigs of both processes. */
export class Rigs {
  readonly #processes: readonly ChildProcess[];

  constructor(open: CloseStack, loads: readonly Load[]) {
    const file = new URL('../../../dist/test/long/fleet/fleet-rigs.js', import.meta.url);
    this.#processes = loads.map((load) =>
      fork(file, [JSON.stringify(load)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
    );
    for (const process of this.#processes) open.add('rigs', () => process.kill('SIGKILL'));
  }

  async look(): Promise<Look> {
    const looks = await Promise.all(this.#processes.map((process) => ask<Look>(process, 'look')));
    const sum = (of: 'working' | 'taken' | 'lost'): number => looks.reduce((all, look) => all + look[of], 0);
    const longestAwayMs = Math.max(...looks.map((look) => look.longestAwayMs));
    return { working: sum('working'), taken: sum('taken'), lost: sum('lost'), longestAwayMs };
  }

  stop(): Promise<Told[]> {
    return Promise.all(this.#processes.map((process) => ask<Told>(process, 'stop')));
  }
}

async function ask<T>(process: ChildProcess, what: string): Promise<T> {
  const told = once(process, 'message');
  process.send(what);
  const [answer] = (await told) as [T];
  return answer;
}
