/** Which pool the rig mines for: the first in the list that gives jobs, tried again for as long as it takes. */
import type { Log } from '../core/names/log.js';
import { PoolConnection, type RigJob } from './connection.js';
import { Repeats } from './repeats.js';
import { poolName } from './wire.js';

export interface PoolsOptions {
  /** Tried in order; while another than the first is in use, those before it are tried again. */
  readonly urls: readonly URL[];
  readonly user: string;
  readonly password: string;
  readonly agent: string;
  /** Takes any certificate. */
  readonly tlsInsecure: boolean;
  readonly log: Log;
  /** 0 to 1; spreads rigs that lost their pool together. */
  random(): number;
  readonly timing: PoolTiming;
}

export interface PoolTiming {
  readonly connectTimeoutMs: number;
  /** A pool that sends nothing for so long is left. */
  readonly silentAfterMs: number;
  /** Before all pools are tried again; doubles with each failure up to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** How often a better pool than the one in use is tried. */
  readonly failbackMs: number;
}

export const POOL_TIMING: PoolTiming = {
  connectTimeoutMs: 10_000,
  silentAfterMs: 180_000,
  firstPauseMs: 1000,
  longestPauseMs: 30_000,
  failbackMs: 60_000,
};

export interface PoolsEvents {
  /** A job of the pool in use, or `undefined` when there is no pool. */
  job(connection: PoolConnection | undefined, job: RigJob | undefined): void;
  /** The job of the pool in use has a harder target. */
  harder(job: RigJob): void;
}

/** A pool that has given a job, and where it stands in the list. */
interface Found {
  readonly connection: PoolConnection;
  readonly index: number;
}

export class Pools {
  readonly #options: PoolsOptions;
  readonly #events: PoolsEvents;
  readonly #open = new Set<PoolConnection>();
  /** What each pool gave last. */
  readonly #nonce1s = new Map<URL, string>();
  readonly #closing = new AbortController();
  readonly #repeats: Repeats;
  readonly #running: Promise<void>;
  #active: PoolConnection | undefined;
  #connections = 0;

  constructor(options: PoolsOptions, events: PoolsEvents) {
    this.#options = options;
    this.#events = events;
    this.#repeats = new Repeats(options.log);
    this.#running = this.#run();
  }

  /** How often a pool has come into use. */
  get connections(): number {
    return this.#connections;
  }

  get active(): PoolConnection | undefined {
    return this.#active;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const connection of this.#open) connection.close('the rig stops');
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#closing.signal.aborted) {
      const found = await this.#findPool(this.#options.urls.length, this.#closing.signal);
      failures = found ? 0 : failures + 1;
      const comeAgainMs = found ? await this.#useFrom(found) : 0;
      await pause(comeAgainMs + this.#pauseMs(failures), this.#closing.signal);
    }
  }

  /** Between half and the whole of a time that doubles with each failure. */
  #pauseMs(failures: number): number {
    const { firstPauseMs, longestPauseMs } = this.#options.timing;
    const fullMs = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 16));
    return fullMs * (0.5 + this.#options.random() / 2);
  }

  /** The first of the first `count` pools that gives a job. */
  async #findPool(count: number, signal: AbortSignal): Promise<Found | undefined> {
    for (let index = 0; index < count && !signal.aborted; index++) {
      const connection = await this.#connect(index);
      if (connection) return { connection, index };
    }
    return undefined;
  }

  async #connect(index: number): Promise<PoolConnection | undefined> {
    const { urls, user, password, agent, tlsInsecure, log, timing } = this.#options;
    const url = urls[index];
    if (!url) return undefined;
    const resume = this.#nonce1s.get(url);
    const { connectTimeoutMs: timeoutMs, silentAfterMs } = timing;
    const connection = new PoolConnection(
      {
        url,
        user,
        password,
        agent,
        tlsInsecure,
        timeoutMs,
        silentAfterMs,
        resume,
        log,
        repeats: this.#repeats,
      },
      {
        job: (from, job) => from === this.#active && this.#events.job(from, job),
        harder: (from, job) => from === this.#active && this.#events.harder(job),
      },
    );
    this.#open.add(connection);
    void connection.closed.then((reason) => {
      this.#open.delete(connection);
      if (!this.#closing.signal.aborted)
        this.#repeats.warn({ event: 'disconnected', url: poolName(url), reason }, reason);
    });
    return (await connection.ready) ? connection : undefined;
  }

  /** Stays with a pool, or with a better one as soon as there is, until its connection ends. Returns how long to stay away. */
  async #useFrom(found: Found): Promise<number> {
    for (let current = found; ; ) {
      const { connection, index } = current;
      this.#activate(connection);
      const search = new AbortController();
      const better = this.#findBetter(index, search.signal);
      const next = await Promise.race([connection.closed.then(() => undefined), better]);
      search.abort();
      if (!next) {
        void better.then((late) => late?.connection.close('another pool is in use'));
        this.#deactivate();
        return connection.comeAgainMs;
      }
      // Before the former is closed, so that mining goes on.
      this.#activate(next.connection);
      current = next;
      connection.close('a better pool is back');
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

  #activate(connection: PoolConnection): void {
    if (this.#active === connection) return;
    const { url, nonce1Hex, job } = connection;
    this.#active = connection;
    this.#connections++;
    this.#nonce1s.set(url, nonce1Hex);
    this.#repeats.clear();
    this.#options.log.info(
      { event: 'connected', url: poolName(url), nonce1: nonce1Hex },
      'mining for a pool',
    );
    this.#events.job(connection, job);
  }

  #deactivate(): void {
    this.#active = undefined;
    this.#events.job(undefined, undefined);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
