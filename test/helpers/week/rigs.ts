/** Rigs of a simulated week: each has a speed, finds true hashes at the pace of it, and counts what it was answered `true` for. */
import { fromHex } from '../../../src/core/bytes/bytes.js';
import { type Nonce1, nonce1FromHex, nonce2FromNumber, nonce2ToHex } from '../../../src/core/jobs/nonce.js';
import { type Header, headerFromBytes } from '../../../src/core/work/header.js';
import { difficultyOf, type Target, targetFromHexBigEndian } from '../../../src/core/work/target.js';
import type { Kernel } from '../../../workers/kernel.js';
import { NonceSearch } from '../../../workers/search.js';
import type { Random } from '../fuzz/random.js';
import { RawWire } from '../fuzz/raw-wire.js';
import type { WireTransport } from '../rigs/wire-rig.js';

/** What a rig that comes back names: its token, its former nonce1, nothing (but it takes another nonce1), or nothing at all. */
export const RETURNS = ['token', 'nonce1', 'login', 'nothing'] as const;
export type Return = (typeof RETURNS)[number];

export interface RigPlan {
  readonly account: string;
  /** The rig's name, with nothing behind it. */
  readonly rig: string;
  /** As it logs in: it may ask for a difficulty. */
  readonly login: string;
  readonly password: string;
  readonly suggests: number | undefined;
  readonly transport: WireTransport;
  readonly address: string;
  readonly returns: Return;
  /** It sends what is wrong until it is banned, some time after it came. */
  readonly isLiar: boolean;
  hashesPerSecond: number;
}

interface IssuedJob {
  readonly id: string;
  readonly header: Header;
  readonly target: Target;
  readonly nonce1: Nonce1;
  /** The next nonce2 to be tried. */
  next: number;
}

interface Sent {
  readonly work: bigint;
  readonly isLate: boolean;
  readonly isWrong: boolean;
}

/** Shares of a rig in one step; more are not looked for. */
const MOST_AT_ONCE = 100;
const LONGEST_SEARCH = 2 ** 26;
/** Shares that it finds while it is away. */
const LATE = 2;
const SUBSCRIBE = 1;
const AUTHORIZE = 2;

export class SimRig {
  readonly plan: RigPlan;
  /** Expected hashes of what was answered `true`. */
  answered = 0n;
  shares = 0;
  /** Of those, found before the connection was lost over which they were sent. */
  lateShares = 0;
  /** Of right submits, by what was said. */
  readonly refused = new Map<string, number>();
  readonly #kernel: Kernel;
  readonly #random: Random;
  #wire: RawWire | undefined;
  readonly #sent = new Map<number, Sent>();
  #lastId = 10;
  #target: Target | undefined;
  #job: IssuedJob | undefined;
  #nonce1: Nonce1 | undefined;
  #token = '';
  #isAuthorized = false;
  #late: { readonly job: IssuedJob; readonly nonce2: number }[] = [];

  constructor(plan: RigPlan, kernel: Kernel, random: Random) {
    this.plan = plan;
    this.#kernel = kernel;
    this.#random = random;
  }

  get isConnected(): boolean {
    return this.#wire !== undefined && !this.#wire.closed;
  }

  /** Subscribed, authorized, and at work. */
  get works(): boolean {
    return this.isConnected && this.#isAuthorized && this.#job !== undefined;
  }

  /** Submits without an answer, of a connection that stands. */
  get waiting(): number {
    return this.isConnected ? this.#sent.size : 0;
  }

  connect(port: number, heard: () => void): void {
    const { transport, address } = this.plan;
    this.#isAuthorized = false;
    this.#job = undefined;
    this.#target = undefined;
    this.#sent.clear();
    const wire: RawWire = new RawWire({
      ...{ transport, port, localAddress: address },
      onOpen: () => this.#greet(),
      onText: (text) => {
        heard();
        if (this.#wire === wire) this.#heard(text);
      },
      onFault: (fault) => this.#count(fault),
    });
    this.#wire = wire;
  }

  /** The connection breaks; what it finds meanwhile it sends when it is back. */
  vanish(): void {
    const job = this.#job;
    if (job && this.works) this.#late = this.#find(job, LATE).map((nonce2) => ({ job, nonce2 }));
    this.#wire?.reset();
  }

  leave(): void {
    this.#wire?.end();
  }

  /** Mines for so long. */
  work(seconds: number): void {
    const job = this.#job;
    if (!job || !this.works) return;
    for (const late of this.#late.splice(0)) this.#submit(late.job, late.nonce2, true);
    const mean = (this.plan.hashesPerSecond * seconds) / Number(difficultyOf(job.target));
    const found = Math.min(MOST_AT_ONCE, this.#random.count(mean));
    if (found > 0) for (const nonce2 of this.#find(job, found)) this.#submit(job, nonce2, false);
  }

  /** So many submits that are wrong: the same hash again and again. */
  lie(times: number): void {
    const job = this.#job;
    if (!job || !this.works) return;
    for (let i = 0; i < times; i++) this.#submit(job, 7, false, true);
  }

  #find(job: IssuedJob, count: number): number[] {
    const search = new NonceSearch(this.#kernel, { ...job, nonce1Bytes: 2 });
    const { hits } = search.scan(job.next, LONGEST_SEARCH, count);
    job.next = (hits.at(-1) ?? job.next) + 1;
    return [...hits];
  }

  #submit({ id, target }: IssuedJob, nonce2: number, isLate: boolean, isWrong = false): void {
    this.#sent.set(++this.#lastId, { work: difficultyOf(target), isLate, isWrong });
    this.#say(this.#lastId, 'mining.submit', [this.plan.login, id, nonce2ToHex(nonce2FromNumber(nonce2))]);
  }

  #greet(): void {
    const { returns, login, password, suggests } = this.plan;
    const nonce1 = this.#nonce1?.toString(16).padStart(4, '0') ?? '';
    const named = { token: this.#token, nonce1, login: null, nothing: null }[returns];
    this.#say(SUBSCRIBE, 'mining.subscribe', ['week/1', named]);
    if (returns === 'login') this.#say(3, 'mining.extranonce.subscribe', []);
    if (suggests !== undefined) this.#say(4, 'mining.suggest_difficulty', [suggests]);
    this.#say(AUTHORIZE, 'mining.authorize', [login, password]);
  }

  #say(id: number, method: string, params: readonly unknown[]): void {
    this.#wire?.sendLine(JSON.stringify({ id, method, params }));
  }

  #heard(text: string): void {
    const {
      id,
      method,
      params = [],
      result,
      error,
    } = JSON.parse(text) as Record<string, unknown> & { params?: unknown[] };
    if (method === 'mining.set_target') this.#target = targetFromHexBigEndian(String(params[0]));
    else if (method === 'mining.set_extranonce') this.#nonce1 = nonce1FromHex(String(params[0]));
    else if (method === 'mining.notify') this.#takeJob(params);
    else if (id === SUBSCRIBE && Array.isArray(result)) {
      this.#token = String(result[0] ?? '');
      this.#nonce1 = nonce1FromHex(String(result[1]));
    } else if (id === AUTHORIZE) this.#isAuthorized = result === true;
    else if (typeof id === 'number') this.#settle(id, result, error);
  }

  #takeJob([id, headerHex]: readonly unknown[]): void {
    if (!this.#target || this.#nonce1 === undefined)
      throw new Error('a job came before its target or its nonce1');
    const header = headerFromBytes(fromHex(String(headerHex)) ?? new Uint8Array());
    this.#job = { id: String(id), header, target: this.#target, nonce1: this.#nonce1, next: 1000 };
  }

  #settle(id: number, result: unknown, error: unknown): void {
    const sent = this.#sent.get(id);
    this.#sent.delete(id);
    if (!sent) return;
    if (result === true) {
      this.answered += sent.work;
      this.shares++;
      if (sent.isLate) this.lateShares++;
    } else if (!sent.isWrong)
      this.#count(
        `${sent.isLate ? 'late ' : ''}${(error as unknown[])[0]} ${String((error as unknown[])[1]).replace(/[0-9a-f]{3,}/g, '')}`,
      );
  }

  #count(refusal: string): void {
    this.refused.set(refusal, (this.refused.get(refusal) ?? 0) + 1);
  }
}
