/**
 * One connection to a pool, from subscribing to its end: the dialect as a rig speaks it, with a check of everything
 * that the pool says.
 *
 *     connecting -> subscribing -> authorizing -> ready (first job) -> closed
 */

import { midstateOf } from '../core/bytes/blake2s.js';
import type { Log } from '../core/names/log.js';
import { decodeHeader, headerFromBytes, powHashWithNonce } from '../core/work/header.js';
import {
  easierTarget,
  integerOfTarget,
  meetsTarget,
  type Target,
  targetToHexBigEndian,
} from '../core/work/target.js';
import { requestIdOf } from '../wire/json.js';
import { parseServerMessage, parseSubscribeResult } from '../wire/message-parser.js';
import {
  encodeRequest,
  encodeResponse,
  type NonceLayout,
  type Notify,
  type Response,
} from '../wire/messages.js';
import { answerOf, type SubmitAnswer, Submits, type SubmitTiming } from './submits.js';
import { shapeOf, type Warn } from './warnings.js';
import { openWire, poolName, type Wire } from './wire.js';

const NONCE_BYTES = 8;
const SUBSCRIBE_ID = 1;
const AUTHORIZE_ID = 2;
const METHOD_NOT_FOUND = -32601;
/** Messages that are of no use, before the first job, after which a pool is taken for one of another dialect. */
const MAX_USELESS = 3;
const EXPECTED =
  'mining.set_target [64 hex digits] and mining.notify [job id, header of 572 hex digits, clean]';

/** What to search: a job with all that was in force when it came, and a harder target once there is one. */
export interface RigJob {
  readonly id: string;
  /** 286 bytes. */
  readonly header: Uint8Array;
  readonly target: Target;
  readonly nonce1: number;
  readonly nonce1Bytes: number;
  readonly chainId: number;
  readonly height: number;
  readonly parent: Uint8Array;
}

export interface ConnectionTiming extends SubmitTiming {
  /** For the connection to stand. */
  readonly connectTimeoutMs: number;
  /** From the connection's begin; whatever else the pool says, it is left without a job by then. */
  readonly firstJobMs: number;
  /** Likewise from one job to the next. */
  readonly nextJobMs: number;
}

export interface ConnectionOptions {
  readonly user: string;
  readonly password: string;
  /** How the rig calls itself towards the pool. */
  readonly agent: string;
  /** Takes any certificate. */
  readonly tlsInsecure: boolean;
  /** Lengths of a nonce1 with which it can search: a pool that gives another one is left. */
  readonly nonce1Bytes: { readonly least: number; readonly most: number };
  readonly timing: ConnectionTiming;
  readonly log: Log;
}

export interface Ending {
  readonly reason: string;
  /** The pool was left because it is of no use now. */
  readonly isUseless: boolean;
  /** How long the pool asked the rig to stay away. */
  readonly comeAgainMs: number;
}

/** In their order. `reached`: TCP stands; `opened`: so does what is above it. */
export type ConnectionStep = 'reached' | 'opened' | 'subscribed' | 'authorized';

interface ConnectionEvents {
  /** Told as it is done. */
  step?(step: ConnectionStep): void;
  /** A job to search from now on. */
  job(connection: PoolConnection, job: RigJob): void;
  /** The same job as before, with a harder target. */
  harder(connection: PoolConnection, job: RigJob): void;
}

export class PoolConnection {
  /** Resolves with true at the first job, with false when the connection ends before. */
  readonly ready: Promise<boolean>;
  readonly closed: Promise<Ending>;
  readonly url: URL;
  readonly #options: ConnectionOptions;
  readonly #warn: Warn;
  readonly #resume: string;
  readonly #events: ConnectionEvents;
  readonly #wire: Wire;
  readonly #submits: Submits;
  /** Ends a connection without a job. */
  #patience: NodeJS.Timeout;
  #ready: (ready: boolean) => void = () => undefined;
  #job: RigJob | undefined;
  #comeAgainMs = 0;
  #layout: NonceLayout | undefined;
  #target: Target | undefined;
  /** A job that came before the first target. */
  #early: Notify | undefined;
  #authorized = false;
  #reason: string | undefined;
  #isUseless = false;
  #nextId = AUTHORIZE_ID + 1;
  /** Pings without an answer so far, by their ids. */
  readonly #pings = new Map<string, () => void>();
  /** Messages of no use so far. */
  #useless = 0;

  /** @param resume the nonce1 of an earlier connection to this pool, in hex; empty without. */
  constructor(url: URL, resume: string, options: ConnectionOptions, warn: Warn, events: ConnectionEvents) {
    this.url = url;
    this.#resume = resume;
    this.#options = options;
    this.#warn = warn;
    this.#events = events;
    this.ready = new Promise((resolve) => {
      this.#ready = resolve;
    });
    let settle: (ending: Ending) => void = () => undefined;
    this.closed = new Promise((resolve) => {
      settle = resolve;
    });
    const { tlsInsecure, timing, log } = options;
    this.#submits = new Submits(poolName(url), timing, log, (reason) => this.#leave(reason));
    this.#wire = openWire(url, timing.connectTimeoutMs, tlsInsecure, {
      reached: () => events.step?.('reached'),
      opened: () => {
        events.step?.('opened');
        this.#subscribe();
      },
      line: (line) => this.#read(line),
      closed: (reason) => {
        clearTimeout(this.#patience);
        this.#reason ??= reason;
        this.#submits.close(this.#reason);
        settle({ reason: this.#reason, isUseless: this.#isUseless, comeAgainMs: this.#comeAgainMs });
        this.#ready(false);
      },
    });
    this.#patience = this.#expectJobWithin(timing.firstJobMs);
  }

  /** As the pool gave it, in hex; empty before. For the next connection to the same pool. */
  get nonce1Hex(): string {
    return this.#layout?.nonce1Hex ?? '';
  }

  /** The newest. */
  get job(): RigJob | undefined {
    return this.#job;
  }

  /**
   * Whether a hit is a share under the target in force as under that of its job. Some pools judge by the one and some by
   * the other.
   */
  wants(job: RigJob, nonce2: number): boolean {
    if (!this.#target || easierTarget(job.target, this.#target) === this.#target) return true;
    const header = headerFromBytes(job.header);
    const nonce = (BigInt(nonce2) << BigInt(8 * job.nonce1Bytes)) | BigInt(job.nonce1);
    return meetsTarget(powHashWithNonce(header, midstateOf(header), nonce), this.#target);
  }

  /** Submits a hit of a job that came over this connection. Never rejects. */
  submit(job: RigJob, nonce2: number): Promise<SubmitAnswer> {
    if (this.#reason !== undefined || this.#submits.isFull) {
      return Promise.resolve({ outcome: 'unanswered' });
    }
    const id = this.#nextId++;
    const digits = 2 * (NONCE_BYTES - job.nonce1Bytes);
    const nonce2Hex = nonce2.toString(16).padStart(digits, '0');
    const params = [this.#options.user, job.id, nonce2Hex];
    this.#wire.send(JSON.stringify({ id, method: 'mining.submit', params }));
    return this.#submits.answerTo(String(id));
  }

  /** Resolves when it is answered, however: never by a pool that knows none. */
  ping(): Promise<void> {
    const id = requestIdOf(this.#nextId++);
    this.#wire.send(encodeRequest({ kind: 'ping', id }));
    return new Promise((resolve) => this.#pings.set(id, resolve));
  }

  /** Pings that have no answer yet. */
  get pings(): number {
    return this.#pings.size;
  }

  close(reason: string): void {
    this.#reason ??= reason;
    this.#wire.close();
  }

  /** Leaves a pool that is of no use now. */
  #leave(reason: string): void {
    this.#isUseless = true;
    this.close(reason);
  }

  #expectJobWithin(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#leave(`the pool gave no job for ${ms} ms`), ms);
  }

  #subscribe(): void {
    const request = { kind: 'subscribe', id: requestIdOf(SUBSCRIBE_ID), agent: this.#options.agent } as const;
    this.#wire.send(encodeRequest(this.#resume ? { ...request, resume: this.#resume } : request));
  }

  #authorize(): void {
    const { user, password } = this.#options;
    const id = requestIdOf(AUTHORIZE_ID);
    this.#wire.send(encodeRequest({ kind: 'authorize', id, login: user, password }));
  }

  #read(line: string): void {
    if (this.#reason !== undefined) return;
    const message = parseServerMessage(line);
    switch (message.kind) {
      case 'response':
        this.#takeResponse(message);
        break;
      case 'setTarget':
        this.#takeTarget(message.target);
        break;
      case 'notify':
        this.#takeJob(message);
        break;
      case 'setExtranonce':
        this.#takeLayout(message);
        break;
      case 'reconnect':
        this.#comeAgainMs = message.waitSeconds * 1000;
        this.close('the pool asked to reconnect');
        break;
      case 'getVersion':
        this.#wire.send(encodeResponse({ id: message.id, result: this.#options.agent }));
        break;
      case 'showMessage':
        this.#options.log.info({ text: message.text }, 'the pool says');
        break;
      case 'setDifficulty':
        this.#complain(
          shapeOf(line),
          'mining.set_difficulty has no agreed meaning for this chain: mining.set_target has',
        );
        break;
      case 'malformed':
        this.#complain(shapeOf(line), message.detail);
        break;
      case 'unknown':
        if (message.id !== 'null') {
          const error = { code: METHOD_NOT_FOUND, message: `unknown method ${message.method}` };
          this.#wire.send(encodeResponse({ id: message.id, result: null, error }));
        }
        this.#complain(shapeOf(line), `the method ${message.method} is not known`);
        break;
    }
  }

  /**
   * Says what is wrong with what the pool sent. One that has given a job may still send better; one of another dialect
   * never does.
   *
   * @param what the same for all that is wrong in the same way.
   */
  #complain(what: string, fault: string): void {
    const url = poolName(this.url);
    this.#warn(`${url} ${what}`, { url, fault }, 'the pool sent something wrong');
    if (this.#job || ++this.#useless < MAX_USELESS) return;
    this.#leave(`the pool speaks another dialect: it sends ${what} where this rig expects ${EXPECTED}`);
  }

  #takeResponse(response: Response): void {
    // Some pools give the id of a request back as a text.
    const id = response.id.replaceAll('"', '');
    if (id === String(SUBSCRIBE_ID)) this.#takeSubscription(response);
    else if (id === String(AUTHORIZE_ID)) this.#takeAuthorization(response);
    else if (this.#pings.has(id)) this.#takePong(id);
    // What comes too late was given up on.
    else if (!this.#submits.take(id, answerOf(response)) && !(Number(id) < this.#nextId))
      this.#complain('answers to nothing', `an answer to request ${id}, which was not asked`);
  }

  #takePong(id: string): void {
    this.#pings.get(id)?.();
    this.#pings.delete(id);
  }

  #takeSubscription({ result, error }: Response): void {
    const layout = error ? undefined : parseSubscribeResult(result);
    if (layout) {
      this.#events.step?.('subscribed');
      this.#takeLayout(layout);
      if (this.#layout) this.#authorize();
    } else {
      const said = error ? `${error.message} (${error.code})` : JSON.stringify(result).slice(0, 100);
      this.#leave(`the pool did not take the subscription: ${said}`);
    }
  }

  #takeLayout({ nonce1Hex, nonce2Bytes }: NonceLayout): void {
    const nonce1Bytes = NONCE_BYTES - nonce2Bytes;
    const { least, most } = this.#options.nonce1Bytes;
    if (nonce1Bytes < least || nonce1Bytes > most) {
      this.#leave(`the pool's nonce1 has ${nonce1Bytes} bytes; this rig mines with ${least} to ${most}`);
      return;
    }
    this.#layout = { nonce1Hex, nonce2Bytes };
  }

  /** The reference server answers `[]` where others answer `true`. */
  #takeAuthorization({ result, error }: Response): void {
    if (error || result === false) {
      const said = error ? `${error.message} (${error.code})` : 'without a reason';
      this.#leave(`the pool refused the login ${this.#options.user}: ${said}`);
      return;
    }
    this.#events.step?.('authorized');
    this.#authorized = true;
    this.#releaseEarly();
  }

  /** An easier one counts for the jobs that follow; a harder one at once: a pool may judge by it from now on. */
  #takeTarget(target: Target): void {
    if (integerOfTarget(target) === 0n) {
      this.#complain('targets of zero', 'a target of zero, which no hash meets');
      return;
    }
    this.#options.log.debug({ target: targetToHexBigEndian(target) }, 'the pool set a target');
    this.#target = target;
    if (this.#job && easierTarget(this.#job.target, target) !== target) {
      this.#job = { ...this.#job, target };
      this.#events.harder(this, this.#job);
    }
    this.#releaseEarly();
  }

  #releaseEarly(): void {
    const early = this.#early;
    this.#early = undefined;
    if (early) this.#takeJob(early);
  }

  #takeJob(notify: Notify): void {
    if (!this.#target || !this.#layout || !this.#authorized) {
      this.#early = notify;
      return;
    }
    const fields = this.#fieldsOf(notify);
    if (!fields) return;
    this.#job = {
      id: notify.jobId,
      header: notify.header,
      target: this.#target,
      // It has no digit where all bytes are left to the rig.
      nonce1: Number.parseInt(`0${this.#layout.nonce1Hex}`, 16),
      nonce1Bytes: NONCE_BYTES - this.#layout.nonce2Bytes,
      chainId: fields.chainId,
      height: fields.height,
      parent: fields.parent,
    };
    clearTimeout(this.#patience);
    this.#patience = this.#expectJobWithin(this.#options.timing.nextJobMs);
    this.#events.job(this, this.#job);
    this.#ready(true);
  }

  #fieldsOf({ jobId, header }: Notify): ReturnType<typeof decodeHeader> | undefined {
    try {
      return decodeHeader(header);
    } catch (error) {
      this.#complain(
        'mining.notify with a header that cannot be read',
        `job ${jobId}: ${(error as Error).message}`,
      );
      return undefined;
    }
  }
}
