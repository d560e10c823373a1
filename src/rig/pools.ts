/** Which pool the rig mines for: the first in the list that gives jobs, tried again for as long as it takes. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ConnectionOptions,
  type ConnectionTiming,
  type Ending,
  PoolConnection,
  type RigJob,
} from './connection.js';
import type { Warn } from './warnings.js';
import { poolName } from './wire.js';

interface PoolsOptions extends ConnectionOptions {
  /** Tried in order; while another than the first is in use, those before it are tried again. */
  readonly urls: readonly URL[];
  readonly warn: Warn;
  /** 0 to 1; spreads rigs that lost their pool together. */
  random(): number;
  readonly timing: PoolTiming;
}

export interface PoolTiming extends ConnectionTiming {
  /** Before a pool that failed is tried again; doubles with each failure in a row up to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** How often a better pool than the one in use is tried. */
  readonly failbackMs: number;
}

export const POOL_TIMING: PoolTiming = {
  connectTimeoutMs: 10_000,
  firstJobMs: 30_000,
  nextJobMs: 180_000,
  answerMs: 60_000,
  refusedMs: 10_000,
  firstPauseMs: 1000,
  longestPauseMs: 30_000,
  failbackMs: 60_000,
};

/** A connection that ends before counts as a failure of its pool. */
const STEADY_MS = 60_000;

interface PoolsEvents {
  /** A job of the pool in use, or `undefined` when there is no pool. */
  job(connection: PoolConnection | undefined, job: RigJob | undefined): void;
  /** The job of the pool in use has a harder target. */
  harder(job: RigJob): void;
}

/** A pool of the list. */
interface Pool {
  readonly index: number;
  readonly url: URL;
  /** What it gave last; empty before. */
  nonce1Hex: string;
  /** In a row. */
  failures: number;
  /** It is not tried before, by a rising clock. */
  restsUntilMs: number;
}

/** A pool that has given a job. */
interface Found {
  readonly pool: Pool;
  readonly connection: PoolConnection;
}

export class Pools {
  readonly #options: PoolsOptions;
  readonly #events: PoolsEvents;
  readonly #pools: readonly Pool[];
  readonly #open = new Set<PoolConnection>();
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #active: PoolConnection | undefined;
  #connections = 0;
  #trouble = '';

  constructor(options: PoolsOptions, events: PoolsEvents) {
    this.#options = options;
    this.#events = events;
    this.#pools = options.urls.map((url, index) => ({
      index,
      url,
      nonce1Hex: '',
      failures: 0,
      restsUntilMs: 0,
    }));
    this.#running = this.#run();
  }

  /** How often a pool has come into use. */
  get connections(): number {
    return this.#connections;
  }

  /** Why the last connection ended; empty before one has. */
  get trouble(): string {
    return this.#trouble;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const connection of this.#open) this.#leave(connection, 'the rig stops');
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const found = await this.#findPool(this.#pools.length, signal);
      const left = found ? await this.#useFrom(found) : undefined;
      const nowMs = performance.now();
      // One that was well until now is tried first, and not at the very moment when all its rigs come again.
      if (left && left.restsUntilMs <= nowMs) await pause(this.#pauseMs(0), signal);
      if (!left) await pause(Math.min(...this.#pools.map((each) => each.restsUntilMs)) - nowMs, signal);
    }
  }

  /** Between half and the whole of a time that doubles with each failure. */
  #pauseMs(failures: number): number {
    const { firstPauseMs, longestPauseMs } = this.#options.timing;
    const fullMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 16));
    return fullMs * (0.5 + this.#options.random() / 2);
  }

  /** The first of the first `count` pools that gives a job; those that rest are not asked. */
  async #findPool(count: number, signal: AbortSignal): Promise<Found | undefined> {
    for (const pool of this.#pools.slice(0, count)) {
      if (signal.aborted) return undefined;
      if (pool.restsUntilMs > performance.now()) continue;
      const connection = await this.#connect(pool);
      if (connection) return { pool, connection };
    }
    return undefined;
  }

  async #connect(pool: Pool): Promise<PoolConnection | undefined> {
    const { url, nonce1Hex } = pool;
    const openedMs = performance.now();
    const connection = new PoolConnection(url, nonce1Hex, this.#options, this.#options.warn, {
      job: (from, job) => from === this.#active && this.#events.job(from, job),
      harder: (from, job) => from === this.#active && this.#events.harder(job),
    });
    this.#open.add(connection);
    void connection.closed.then((ending) => {
      if (this.#open.delete(connection)) this.#take(ending, pool, performance.now() - openedMs);
    });
    return (await connection.ready) ? connection : undefined;
  }

  /** A pool that ended its connection, or that was left for what it did. */
  #take({ reason, isUseless, comeAgainMs }: Ending, pool: Pool, lastedMs: number): void {
    const url = poolName(pool.url);
    this.#trouble = `${url}: ${reason}`;
    this.#options.warn(this.#trouble, { event: 'disconnected', url, reason }, reason);
    pool.failures = isUseless || lastedMs < STEADY_MS ? pool.failures + 1 : 0;
    const restMs = pool.failures > 0 ? this.#pauseMs(pool.failures) : 0;
    pool.restsUntilMs = performance.now() + Math.max(restMs, comeAgainMs);
  }

  /** Stays with a pool, or with a better one as soon as there is, until its connection ends. Returns the pool that ended. */
  async #useFrom(found: Found): Promise<Pool> {
    for (let current = found; ; ) {
      const { connection, pool } = current;
      this.#activate(current);
      const search = new AbortController();
      const better = this.#findBetter(pool.index, search.signal);
      const next = await Promise.race([connection.closed.then(() => undefined), better]);
      search.abort();
      if (!next) {
        void better.then((late) => late && this.#leave(late.connection, 'another pool is in use'));
        this.#active = undefined;
        this.#events.job(undefined, undefined);
        return pool;
      }
      // Before the former is closed, so that mining goes on.
      this.#activate(next);
      current = next;
      this.#leave(connection, 'a better pool is back');
    }
  }

  async #findBetter(index: number, signal: AbortSignal): Promise<Found | undefined> {
    if (index === 0) return new Promise(() => undefined);
    for (;;) {
      await pause(this.#options.timing.failbackMs, signal);
      if (signal.aborted) return undefined;
      const found = await this.#findPool(index, signal);
      if (found) return found;
    }
  }

  #activate({ pool, connection }: Found): void {
    if (this.#active === connection) return;
    const { url, nonce1Hex, job } = connection;
    this.#active = connection;
    this.#connections++;
    pool.nonce1Hex = nonce1Hex;
    this.#options.log.info(
      { event: 'connected', url: poolName(url), nonce1: nonce1Hex },
      'mining for a pool',
    );
    this.#events.job(connection, job);
  }

  /** Closes a connection to a pool that did nothing wrong. */
  #leave(connection: PoolConnection, reason: string): void {
    this.#open.delete(connection);
    connection.close(reason);
  }
}

/** For so long, or until the signal. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal }).catch(() => undefined);
}
