/**
 * A rig's connection to a server, with the time of each step, and those that take its place when it ends. Nothing is mined, and no share
 * sent but what is asked for.
 */

import { midstateOf } from '../core/bytes/blake2s.js';
import { toHex } from '../core/bytes/bytes.js';
import { SILENT } from '../core/names/log.js';
import { printable } from '../core/names/names.js';
import { headerFromBytes, powHashWithNonce } from '../core/work/header.js';
import { difficultyOf, meetsTarget, type Target } from '../core/work/target.js';
import { type ConnectionStep, PoolConnection, type RigJob } from '../rig/connection.js';
import { POOL_TIMING } from '../rig/pools.js';
import type { Course, Job } from './compare.js';

/** Milliseconds that each step took; absent where it did not come to it. */
export interface Steps {
  /** The TCP connection. */
  readonly connectMs?: number;
  /** TLS, and what opens a WebSocket; absent for plain TCP. */
  readonly handshakeMs?: number;
  readonly subscribeMs?: number;
  readonly authorizeMs?: number;
  /** From the login to the first job. */
  readonly firstJobMs?: number;
}

export interface VisitOptions {
  readonly url: URL;
  readonly user: string;
  readonly password: string;
  readonly agent: string;
  readonly tlsInsecure: boolean;
  /** To send; 0 for none. */
  readonly shares: number;
  nowMs(): number;
}

const RECONNECT_MS = 2_000;
const PING_EVERY_MS = 2_000;
/** A server that leaves so many without an answer does not know them. */
const MOST_PINGS_IN_VAIN = 3;
/** Far more than a network has blocks in an hour. */
const MOST_JOBS = 20_000;
/** Of what a server says of itself. */
const MOST_WORDS = 200;
/** Hashes without a look at what came meanwhile: about a millisecond. */
const SLICE = 200;
/** A server is compared also where no rig of ours could search: numbers are exact up to there. */
const NONCE1_BYTES = { least: 0, most: 6 };
/** Who compares waits as long as it lasts. */
const TIMING = { ...POOL_TIMING, nextJobMs: 2 ** 31 - 1 };

const STEPS: Readonly<Record<ConnectionStep, keyof Steps>> = {
  reached: 'connectMs',
  opened: 'handshakeMs',
  subscribed: 'subscribeMs',
  authorized: 'authorizeMs',
};

export class Visit implements Course {
  readonly jobs: Job[] = [];
  readonly endedMs: number[] = [];
  readonly answersMs: number[] = [];
  /** Of the first connection that came to a job, else of the last one. */
  steps: Steps = {};
  accepted = 0;
  rejected = 0;
  reconnects = -1;
  /** Why the last connection ended; empty where one gives work. */
  fault = '';
  readonly options: VisitOptions;
  #connection: PoolConnection;
  #target: Target | undefined;
  #timers: NodeJS.Timeout[] = [];
  #isOver = false;

  constructor(options: VisitOptions) {
    this.options = options;
    this.#connection = this.#connect();
    if (options.shares > 0) void this.#mine();
  }

  /** Expected hashes of a share, as last set. */
  get difficulty(): string | null {
    return this.#target ? String(difficultyOf(this.#target)) : null;
  }

  end(): void {
    this.#isOver = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#connection.close('the time is over');
  }

  #connect(): PoolConnection {
    this.reconnects++;
    const steps: { -readonly [Step in keyof Steps]: Steps[Step] } = {};
    const { nowMs, url } = this.options;
    let stepMs = nowMs();
    const took = (step: keyof Steps): void => {
      steps[step] ??= nowMs() - stepMs;
      stepMs = nowMs();
    };
    let isFirst = true;
    const options = { ...this.options, nonce1Bytes: NONCE1_BYTES, timing: TIMING, log: SILENT };
    const connection = new PoolConnection(url, '', options, () => {}, {
      step: (step) => {
        if (step !== 'opened' || !PLAIN.has(url.protocol)) took(STEPS[step]);
      },
      job: (_, job) => {
        if (isFirst) took('firstJobMs');
        if (this.jobs.length === 0) this.steps = steps;
        this.#take(job, isFirst);
        if (isFirst) this.#pingFrom(connection);
        isFirst = false;
      },
      harder: (_, { target }) => {
        this.#target = target;
      },
    });
    void connection.closed.then(({ reason }) => {
      for (const timer of this.#timers.splice(0)) clearTimeout(timer);
      if (this.#isOver) return;
      this.endedMs.push(nowMs());
      if (this.jobs.length === 0) this.steps = steps;
      // Words of the server may be of any length, and for a terminal.
      this.fault = printable(reason.slice(0, MOST_WORDS));
      this.#timers.push(
        setTimeout(() => {
          this.#connection = this.#connect();
        }, RECONNECT_MS),
      );
    });
    return connection;
  }

  #take({ chainId, height, parent, target }: RigJob, isFirst: boolean): void {
    const atMs = this.options.nowMs();
    this.#target = target;
    this.fault = '';
    this.jobs.push({ atMs, chainId, height, parent: toHex(parent), isFirst });
    if (this.jobs.length < MOST_JOBS) return;
    this.end();
    this.fault = `it gave ${MOST_JOBS} jobs over one connection, and is not listened to any more`;
  }

  #pingFrom(connection: PoolConnection): void {
    const ping = async (): Promise<void> => {
      if (connection.pings >= MOST_PINGS_IN_VAIN) return;
      const askedMs = this.options.nowMs();
      await connection.ping();
      this.answersMs.push(this.options.nowMs() - askedMs);
    };
    this.#timers.push(setInterval(() => void ping(), PING_EVERY_MS));
  }

  /** In slices between which what comes is read: on a slow machine it takes longer, and no time is measured wrong. */
  async #mine(): Promise<void> {
    const { shares } = this.options;
    for (let found = 0, nonce2 = 0; found < shares && !this.#isOver; ) {
      await new Promise((resolve) => setImmediate(resolve));
      const { job } = this.#connection;
      if (!job) continue;
      const header = headerFromBytes(job.header);
      const midstate = midstateOf(header);
      for (let i = 0; i < SLICE; i++, nonce2++) {
        const nonce = (BigInt(nonce2) << BigInt(8 * job.nonce1Bytes)) | BigInt(job.nonce1);
        if (!meetsTarget(powHashWithNonce(header, midstate, nonce), job.target)) continue;
        found++;
        void this.#submit(job, nonce2++);
        break;
      }
    }
  }

  async #submit(job: RigJob, nonce2: number): Promise<void> {
    const askedMs = this.options.nowMs();
    const { outcome } = await this.#connection.submit(job, nonce2);
    if (outcome === 'unanswered') return;
    this.answersMs.push(this.options.nowMs() - askedMs);
    if (outcome === 'accepted') this.accepted++;
    else this.rejected++;
  }
}

/** TCP is all there is below their lines. */
const PLAIN = new Set(['tcp:', 'stratum+tcp:']);
