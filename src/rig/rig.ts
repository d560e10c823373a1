/** A reference rig: connects to pools like a real one and mines with the CPU. */

import type { KernelName } from '../../workers/kernel.js';
import { type Assignment, Mining } from '../../workers/mining.js';
import { ThreadPool } from '../../workers/pool.js';
import type { Log } from '../core/names/log.js';
import { ERROR_CODES } from '../stratum/wire/errors.js';
import type { PoolConnection, RigJob } from './connection.js';
import { POOL_TIMING, Pools, type PoolTiming } from './pools.js';
import { SearchPositions } from './search-positions.js';
import { SubmitCounts, type SubmitSnapshot } from './submit-counts.js';
import { parsePoolUrl, poolName } from './wire.js';

export interface RigOptions {
  /** `ws://`, `wss://`, `tcp://` or `tls://`; tried in order, at least one. */
  readonly urls: readonly string[];
  /** `account.rig` */
  readonly user: string;
  readonly password: string;
  /** How the rig calls itself towards the pool. */
  readonly agent: string;
  readonly threads: number;
  readonly kernel: KernelName;
  /** Takes any certificate. */
  readonly tlsInsecure: boolean;
  readonly log: Log;
  /** 0 to 1; spreads rigs that lost their pool together. */
  random(): number;
  readonly timing?: Partial<PoolTiming>;
  /** The compiled workers/thread.js, for those who run the sources. */
  readonly threadUrl?: URL;
}

export interface RigStatus {
  readonly state: 'connecting' | 'mining';
  /** The pool in use; empty while there is none. */
  readonly url: string;
  /** As the pool gave it, in hex. */
  readonly nonce1: string;
  /** The job being mined. */
  readonly job: { readonly id: string; readonly chainId: number; readonly height: number } | undefined;
  /** Jobs so far. */
  readonly jobs: number;
  /** How often a pool has come into use. */
  readonly connections: number;
  readonly submits: SubmitSnapshot;
  /** Of each thread, over the last ten seconds. */
  readonly hashesPerSecond: readonly number[];
}

export interface Rig {
  status(): RigStatus;
  /** Ends threads and connections. */
  close(): Promise<void>;
}

/** Starts to mine. Throws PoolUrlError for an address that is none. */
export function startRig(options: RigOptions): Rig {
  return new CpuMinedRig(options);
}
/** How long a rig that stops waits for answers. */
const ANSWER_GRACE_MS = 2000;

class CpuMinedRig implements Rig {
  readonly #log: Log;
  readonly #pools: Pools;
  readonly #mining: Mining;
  readonly #positions = new SearchPositions();
  readonly #counts = new SubmitCounts();
  #connection: PoolConnection | undefined;
  #job: RigJob | undefined;
  #jobs = 0;
  #closing = false;

  constructor(options: RigOptions) {
    const { threads, kernel, threadUrl } = options;
    const urls = options.urls.map(parsePoolUrl);
    if (urls.length === 0) throw new RangeError('a rig needs the address of at least one pool');
    this.#log = options.log;
    const threadPool = new ThreadPool({ threads, kernel, threadUrl, log: options.log });
    this.#mining = new Mining(threadPool, this, () => performance.now());
    this.#pools = new Pools({ ...options, urls, timing: { ...POOL_TIMING, ...options.timing } }, this);
  }

  status(): RigStatus {
    const job = this.#job;
    return {
      state: job ? 'mining' : 'connecting',
      url: this.#connection ? poolName(this.#connection.url) : '',
      nonce1: this.#connection?.nonce1Hex ?? '',
      job: job && { id: job.id, chainId: job.chainId, height: job.height },
      jobs: this.#jobs,
      connections: this.#pools.connections,
      submits: this.#counts.snapshot(),
      hashesPerSecond: this.#mining.hashesPerSecond(),
    };
  }

  /** Stops mining, waits a little for the answers to what was submitted, and leaves. */
  async close(): Promise<void> {
    this.#closing = true;
    const answered = this.#mining.close();
    const tooLate = setTimeout(() => void this.#pools.close(), ANSWER_GRACE_MS);
    await answered; // a pool that is left answers no more
    clearTimeout(tooLate);
    await this.#pools.close();
  }

  /** Called by the pools. */
  job(connection: PoolConnection | undefined, job: RigJob | undefined): void {
    if (this.#closing) return;
    this.#connection = connection;
    this.#job = job;
    if (job) this.#jobs++;
    this.#mining.restart();
  }

  /** Called by the pools: the search goes on where it is. */
  harder(job: RigJob): void {
    this.#job = job;
  }

  /** Called by the mining loop. */
  next(_thread: number, count: number): Assignment | undefined {
    const connection = this.#connection;
    const job = this.#job;
    const part = job && this.#positions.take(job, count);
    if (!connection || !job || !part) return undefined;
    return { puzzle: job, ...part, found: (nonce2) => this.#submit(connection, job, nonce2) };
  }

  /** Called by the mining loop. */
  threadDied(thread: number, error: Error): void {
    this.#log.warn({ event: 'thread-died', thread, error: error.message }, 'a mining thread is replaced');
  }

  async #submit(connection: PoolConnection, job: RigJob, nonce2: number): Promise<void> {
    // It may have been found before a harder target came.
    if (!connection.wants(job, nonce2)) return;
    const answer = await connection.submit(job, nonce2);
    this.#counts.add(answer);
    const fields = { event: 'submit', job: job.id, chain: job.chainId, ...answer };
    // A share that a new cut overtook is nobody's fault.
    const isStale = answer.outcome === 'rejected' && answer.code === ERROR_CODES.job;
    const say = answer.outcome === 'accepted' || isStale ? 'debug' : 'warn';
    this.#log[say](fields, `share ${answer.outcome}`);
  }
}
