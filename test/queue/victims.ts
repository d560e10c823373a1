/** What is killed with `kill -9` and started again, at any moment: also while it starts. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ask, postmasterPid } from '../helpers/books/ask-postgres.js';
import type { TestPostgres } from '../helpers/books/postgres.js';
import type { TestRedis } from '../helpers/books/redis.js';
import { until } from '../helpers/until.js';

export interface Victim {
  /** Resolves when it is dead. It was alive: throws where there was nothing to kill. */
  kill(): Promise<void>;
  /** It is on its way at once. Resolves when it is up, or was killed again. */
  start(): Promise<void>;
}

/** A process that says something as soon as it is up. */
export class ProcessVictim implements Victim {
  readonly #fork: () => ChildProcess;
  #child: ChildProcess | undefined;

  constructor(fork: () => ChildProcess) {
    this.#fork = fork;
  }

  get child(): ChildProcess | undefined {
    return this.#child;
  }

  async start(): Promise<void> {
    const child = this.#fork();
    this.#child = child;
    await Promise.race([once(child, 'message'), once(child, 'exit')]);
    if (child.exitCode !== null)
      throw new Error(`${child.spawnargs.join(' ')} ended by itself, with ${child.exitCode}`);
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (!child || hasEnded(child)) throw new Error('what is to be killed does not run');
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Kills it if it runs. */
  async end(): Promise<void> {
    if (this.#child && !hasEnded(this.#child)) await this.kill();
  }
}

/** Several that do the same work, killed in turn. */
export class VictimsInTurn implements Victim {
  readonly #all: readonly ProcessVictim[];
  #next = 0;
  #dead: ProcessVictim[];

  constructor(all: readonly ProcessVictim[]) {
    this.#all = all;
    this.#dead = [...all];
  }

  async kill(): Promise<void> {
    const victim = this.#all[this.#next++ % this.#all.length];
    if (!victim) throw new Error('there is none of them');
    await victim.kill();
    this.#dead.push(victim);
  }

  async start(): Promise<void> {
    await Promise.all(this.#dead.splice(0).map((one) => one.start()));
  }

  async end(): Promise<void> {
    await Promise.all(this.#all.map((one) => one.end()));
  }
}

/** Its keeper starts it again by itself. */
export class PostgresVictim implements Victim {
  readonly #postgres: TestPostgres;
  #lastKilled = 0;

  constructor(postgres: TestPostgres) {
    this.#postgres = postgres;
  }

  async kill(): Promise<void> {
    this.#lastKilled = await until('a PostgreSQL to kill', async () => {
      const pid = await postmasterPid(this.#postgres.dataDir).catch(() => 0);
      return pid > 1 && pid !== this.#lastKilled && wasKilled(pid) && pid;
    });
  }

  async start(): Promise<void> {
    await until('PostgreSQL answers', () =>
      ask(this.#postgres, 'SELECT 1').then(
        () => true,
        () => false,
      ),
    );
  }
}

export class RedisVictim implements Victim {
  readonly #redis: TestRedis;

  constructor(redis: TestRedis) {
    this.#redis = redis;
  }

  kill(): Promise<void> {
    return this.#redis.kill();
  }

  start(): Promise<void> {
    return this.#redis.start();
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

function wasKilled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}
