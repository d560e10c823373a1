/** A reference rig: connects to pools like a real one and mines with the CPU. */

import type { KernelName } from '../../workers/kernel.js';
import { type Assignment, Mining } from '../../workers/mining.js';
import { ThreadPool } from '../../workers/pool.js';
import { SearchPositions } from '../../workers/positions.js';
import { MAX_NONCE1_BYTES, MIN_NONCE1_BYTES } from '../../workers/search.js';
import type { Log } from '../core/names/log.js';
import { ERROR_CODES } from '../wire/errors.js';
import type { PoolConnection, RigJob } from './connection.js';
import { POOL_TIMING, Pools, type PoolTiming } from './pools.js';
import type { SubmitAnswer } from './submits.js';
import { limitedWarnings, type Warn } from './warnings.js';
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
  /** Told of each share that was answered. */
  readonly answered?: (job: RigJob, answer: SubmitAnswer) => void;
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
  readonly submits: {
    readonly accepted: number;
    readonly rejected: number;
    /** The pool did not answer in time, or the connection ended before. */
    readonly unanswered: number;
    readonly reasons: readonly RejectionCount[];
  };
  /** Of each thread, over the last ten seconds; 0 while it rests. */
  readonly hashesPerSecond: readonly number[];
  /** Why no thread hashes, or the rig is without a pool; empty while it mines. */
  readonly trouble: string;
}

interface RejectionCount {
  /** The pool's; 0 when it gave none. */
  readonly code: number;
  /** The pool's last words with this code. */
  readonly text: string;
  readonly count: number;
}

/** Codes differ between pools; no pool needs more than a few. */
const MAX_CODES = 32;
/** How long a rig that stops waits for answers. */
const ANSWER_GRACE_MS = 2000;

/** Mines from its construction on. */
export class Rig {
  readonly #log: Log;
  readonly #pools: Pools;
  readonly #mining: Mining;
  readonly #positions = new SearchPositions();
  readonly #counts = { accepted: 0, rejected: 0, unanswered: 0 };
  readonly #reasons = new Map<number, RejectionCount>();
  readonly #warn: Warn;
  readonly #answered: RigOptions['answered'];
  #connection: PoolConnection | undefined;
  #job: RigJob | undefined;
  #jobs = 0;
  #closing = false;

  /** Throws PoolUrlError for an address that is none. */
  constructor(options: RigOptions) {
    const { threads, kernel, threadUrl, log } = options;
    const urls = options.urls.map(parsePoolUrl);
    if (urls.length === 0) throw new RangeError('a rig needs the address of at least one pool');
    this.#log = log;
    this.#answered = options.answered;
    this.#warn = limitedWarnings(log);
    this.#mining = new Mining(new ThreadPool(threads, kernel, threadUrl), this);
    const timing = { ...POOL_TIMING, ...options.timing };
    const nonce1Bytes = { least: MIN_NONCE1_BYTES, most: MAX_NONCE1_BYTES };
    this.#pools = new Pools({ ...options, urls, timing, nonce1Bytes, warn: this.#warn }, this);
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
      submits: { ...this.#counts, reasons: [...this.#reasons.values()] },
      hashesPerSecond: this.#mining.hashesPerSecond(),
      trouble: job ? this.#mining.trouble : this.#pools.trouble,
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
  threadFailed(thread: number, error: Error): void {
    this.#warn('thread', { event: 'thread-failed', thread, error: error.message }, 'a mining thread failed');
  }

  async #submit(connection: PoolConnection, job: RigJob, nonce2: number): Promise<void> {
    // It may have been found before a harder target came.
    if (!connection.wants(job, nonce2)) return;
    const answer = await connection.submit(job, nonce2);
    this.#count(answer);
    this.#answered?.(job, answer);
    const fields = { event: 'submit', job: job.id, chain: job.chainId, ...answer };
    const message = `share ${answer.outcome}`;
    // A share that a new cut overtook is nobody's fault, and the connection has said what was not answered.
    if (answer.outcome !== 'rejected' || answer.code === ERROR_CODES.job) this.#log.debug(fields, message);
    else this.#warn(`${message} ${answer.code}`, fields, message);
  }

  #count(answer: SubmitAnswer): void {
    this.#counts[answer.outcome]++;
    if (answer.outcome !== 'rejected') return;
    const { code, text } = answer;
    if (!this.#reasons.has(code) && this.#reasons.size >= MAX_CODES) return;
    this.#reasons.set(code, { code, text, count: (this.#reasons.get(code)?.count ?? 0) + 1 });
  }
}
