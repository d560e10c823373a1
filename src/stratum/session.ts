/**
 * One rig's session: what it has asked for, what it was given, and how it is answered. Knows no socket.
 *
 * Life: opened with its connection; subscribed (holds a nonce1 lease) and authorized in either order; then it gets
 * jobs; ended once, by whichever comes first: the connection's end, a broken limit, the server. Whatever ends it,
 * the lease is released and nothing more is sent; what its return needs is parked for as long as the nonce1 rests.
 */
import type { SessionInfo } from '../bridge/events.js';
import type { SessionReport } from '../bridge/rig-watch.js';
import { HashRateMeter } from '../core/hash-rate.js';
import type { Job } from '../core/job.js';
import { NOBODY } from '../core/names.js';
import { NONCE2_BYTES, nonce1ToHex } from '../core/nonce.js';
import type { Share } from '../core/share.js';
import { difficultyOf } from '../core/target.js';
import type { Credentials, Login } from './accounts.js';
import type { Address } from './address.js';
import { type Authorizer, Authorizing } from './authorizing.js';
import { Conduct, type Order } from './conduct.js';
import type { Connection, ConnectionEvents } from './connection.js';
import { ERROR_CODES } from './errors.js';
import { Holding } from './holding.js';
import type { Issue } from './issued-targets.js';
import { JobFeed, type JobLine } from './job-feed.js';
import { type JsonValue, type RequestId, requestIdOf } from './json.js';
import { Logins } from './logins.js';
import { parseRigMessage } from './message-parser.js';
import {
  type AuthorizeRequest,
  type ConfigureRequest,
  type Malformed,
  type Response,
  type RigMessage,
  type SubscribeRequest,
  subscribeResult,
} from './messages.js';
import type { Lease } from './nonce-leases.js';
import type { Offender } from './offences.js';
import { Replies } from './replies.js';
import { SelfDescription } from './self-description.js';
import type { JobTaker, SessionParts } from './session-parts.js';
import { SlidingCount } from './sliding-count.js';
import { Submits, type Submitter } from './submits.js';
import { Throttle } from './throttle.js';

const EXTRANONCE_EXTENSION = 'subscribe-extranonce';
const VERSION_ID = requestIdOf('version');

export class Session implements ConnectionEvents, Submitter, JobTaker, Authorizer, Offender {
  readonly info: SessionInfo;
  readonly address: Address;
  readonly #parts: SessionParts;
  readonly #connection: Connection;
  readonly #replies: Replies;
  readonly #feed: JobFeed;
  readonly #submits: Submits;
  readonly #openedAtMs: number;
  readonly #logins: Logins;
  readonly #holding: Holding;
  readonly #invalid: SlidingCount;
  readonly #rate: Throttle;
  readonly #authorizing: Authorizing;
  readonly #conduct: Conduct;
  #ended = false;
  readonly #self: SelfDescription;
  /** The rig has sent what only newer software sends, so it takes what only newer software takes. */
  #modern = false;
  /** `mining.set_extranonce`. */
  #takesExtranonce = false;
  /** From the first share on: many sessions that only wait hold less without. */
  #meter: HashRateMeter | undefined;
  readonly #onEnd: () => void;

  constructor(parts: SessionParts, connection: Connection, id: number, onEnd: () => void) {
    this.#onEnd = onEnd;
    const { limits, clock, events } = parts;
    const nowMs = clock.nowMs();
    this.info = { id, transport: connection.transport, peer: connection.peer.text };
    this.#parts = parts;
    this.#connection = connection;
    this.#openedAtMs = nowMs;
    this.#self = new SelfDescription(connection.peer.addressKey);
    this.#logins = new Logins(parts, connection.peer.addressKey);
    this.#holding = new Holding(parts, connection.peer.addressKey);
    this.#replies = new Replies(connection, limits.writeBufferBytes, (reason) => this.end(reason));
    this.#authorizing = new Authorizing(parts, this.#logins, this.#replies, this);
    this.#feed = new JobFeed(connection, limits.jobBufferBytes, () => this.#offerNewest());
    this.#submits = new Submits(parts, this.#replies, this);
    this.#invalid = new SlidingCount(limits.invalidMessages, limits.invalidWindowMs);
    this.#rate = new Throttle(limits.messagesPerSecond, limits.messageBurst, nowMs);
    this.address = parts.addresses.at(connection.peer.addressKey, nowMs);
    this.#conduct = new Conduct(this.address, limits, nowMs);
    events.emit('sessionOpened', this.info);
  }

  get lease(): Lease | undefined {
    return this.#holding.lease;
  }

  issuesAt(jobNumber: number | undefined): readonly Issue[] | undefined {
    return this.#holding.issuesAt(jobNumber);
  }

  get pendingSubmits(): number {
    return this.#submits.pending;
  }

  get ready(): boolean {
    return !this.#ended && this.lease !== undefined && this.#logins.any;
  }

  get lastJobNumber(): number {
    return this.#holding.issued.lastJobNumber;
  }

  get hashesPerSecond(): number {
    const steered = this.#holding.shareTarget.hashesPerSecond;
    return steered > 0 ? steered : this.#shownSpeed;
  }

  /** Hashes a second, by the shares of this session. */
  get #shownSpeed(): number {
    return this.#meter?.steadyRate(this.#parts.clock.nowMs()) ?? 0;
  }

  get logins(): readonly Login[] {
    return this.#logins.all;
  }

  report(nowMs: number): Omit<SessionReport, 'chainId'> {
    return {
      ...this.info,
      agent: this.#self.agent,
      logins: this.logins,
      openedAtMs: this.#openedAtMs,
      difficulty: this.#feed.difficultyInForce,
      hashRates: (this.#meter ?? new HashRateMeter(this.#openedAtMs)).rates(nowMs),
    };
  }

  jobDue(nowMs: number): 'must' | 'may' | 'no' {
    if (!this.ready || this.#feed.fullSinceMs !== undefined) return 'no';
    return this.#feed.due(this.#holding.shareTarget, this.hashesPerSecond, nowMs);
  }

  received(bytes: number, frames: number, open: number | undefined): void {
    if (!this.#ended) this.#obey(this.#conduct.received(bytes, frames, this.#parts.clock.nowMs(), open));
  }

  /** One message from the rig. Never throws. */
  line(text: string): void {
    if (this.#ended) return;
    const nowMs = this.#parts.clock.nowMs();
    this.#conduct.message(nowMs);
    try {
      this.#handle(parseRigMessage(text), !this.#rate.take(nowMs));
    } catch (error) {
      this.failed(error);
    }
  }

  fault(reason: string): void {
    this.end(reason);
  }

  closed(why?: string): void {
    this.end(why === undefined ? 'the rig left' : `the connection broke: ${why}`);
  }

  offerJob(jobLine: JobLine): void {
    if (!this.ready) return;
    this.#feed.offer(jobLine, this.#holding, this.#parts.clock.nowMs());
  }

  /** Called about once a second: what is due by time. */
  tick(nowMs: number): void {
    this.#obey(this.#conduct.tick(nowMs, this.#connection.wireBytes?.()));
    this.#authorizing.tick(nowMs);
    const overdue = this.#overdue(nowMs);
    if (overdue) this.end(overdue);
    else if (this.ready) {
      const difficulty = this.#feed.difficultyInForce;
      if (difficulty !== undefined) this.#holding.shareTarget.tick(difficulty, nowMs);
    }
  }

  /** Tells a rig that can follow to connect again; the others find out. */
  askToReconnect(waitSeconds: number): void {
    const follows = this.#parts.reconnectAgents.some((start) => this.#self.agent.startsWith(start));
    if (this.#modern || follows) this.#replies.notice({ kind: 'reconnect', host: '', port: 0, waitSeconds });
  }

  /** Ends the session for good; later calls do nothing. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#replies.close();
    this.#holding.leave(this.logins);
    this.#conduct.ended(true, this.#parts.clock.nowMs());
    this.#connection.close();
    this.#onEnd();
    this.#parts.events.emit('sessionClosed', this.info, reason);
  }

  loginOf(text: string): Login | undefined {
    return this.#logins.find(text);
  }

  credited(login: Login, { difficulty }: Share, job: Job | undefined): void {
    const nowMs = this.#parts.clock.nowMs();
    const inForce = this.#feed.difficultyInForce;
    // What a rig has kept from before it came back comes all at once, and says nothing about its speed.
    if (inForce && job && this.#feed.isSince(job))
      this.#holding.shareTarget.share(difficulty, inForce, nowMs);
    this.#meter ??= new HashRateMeter(this.#openedAtMs);
    this.#meter.add(Number(difficulty), nowMs);
    const nextDifficulty = this.#holding.shareTarget.steeredDifficulty;
    const { addressKey } = this.#connection.peer;
    const counted = { difficulty: Number(difficulty), nextDifficulty, sinceMs: this.#openedAtMs };
    this.#parts.rigBook.share(login, { ...counted, addressKey }, nowMs);
    this.#conduct.mined(login);
  }

  misbehaved(login: Login, reason: string): void {
    if (this.#ended) return;
    const nowMs = this.#parts.clock.nowMs();
    this.#conduct.ended(false, nowMs);
    const isBanned = this.#parts.offences.misbehaved(this, login, reason, nowMs);
    const why = `${isBanned ? 'banned' : 'closed'}: ${reason}`;
    this.warnRig(why);
    this.end(why);
  }

  failed(error: unknown): void {
    this.#parts.log.error({ session: this.info, error }, 'a message broke its session');
    this.end('internal error');
  }

  warnRig(text: string): void {
    if (this.#modern) this.#replies.notice({ kind: 'showMessage', text });
  }

  #handle(message: RigMessage, tooFast: boolean): void {
    switch (message.kind) {
      case 'subscribe':
        this.#subscribe(message);
        break;
      case 'authorize':
        this.#authorizing.take(message);
        break;
      case 'submit':
        this.#feed.submitted();
        this.#submits.take(message, tooFast);
        break;
      case 'malformed':
        this.#malformed(message);
        break;
      case 'response':
        this.#response(message);
        break;
      case 'ping':
        this.#replies.answer(message.id, 'pong');
        break;
      case 'extranonceSubscribe':
        this.#replies.answer(message.id, true);
        this.#isModern();
        this.#takesExtranonce = true;
        this.#takeBackLease();
        break;
      case 'configure':
        this.#configure(message);
        break;
      case 'suggestDifficulty':
        this.#suggest(message.id, message.difficulty);
        break;
      case 'suggestTarget':
        this.#suggest(message.id, Number(difficultyOf(message.target)));
        break;
      case 'unknown':
        this.#replies.refuse(message.id, null, ERROR_CODES.unknownMethod, `no method ${message.method} here`);
    }
  }

  #subscribe({ id, agent, resume }: SubscribeRequest): void {
    if (agent !== '') this.#self.agent = agent;
    const isNew = this.lease === undefined;
    const lease = this.lease ?? this.#holding.take(resume, this);
    if (!lease) {
      const full = 'the bridge is full: all of the nonce space is taken';
      this.#replies.refuse(id, null, ERROR_CODES.other, full);
      this.end('the nonce space is full');
      return;
    }
    this.#replies.answer(
      id,
      subscribeResult(lease.nonce1, resume === undefined ? null : this.#holding.token),
    );
    this.#self.settleTarget(this.#holding, this.logins[0], this.#shownSpeed, this.#parts);
    if (isNew && !this.#takeBackLease()) this.#offerNewest();
  }

  authorized({ id, login }: AuthorizeRequest, credentials: Credentials): void {
    if (this.#ended) return;
    const isFirst = !this.#logins.any;
    const { account, rig } = credentials;
    const isNew = !this.#logins.has(login);
    if (isNew) this.#logins.add(login, credentials);
    // Before the answer, which may end the session: who is closed first would be counted for ever.
    if (isNew) this.#parts.events.emit('sessionAuthorized', this.info, account, rig, this.#self.agent);
    this.#replies.answer(id, true);
    this.#self.chosen = credentials.fixedDifficulty ?? this.#self.chosen;
    this.#self.settleTarget(this.#holding, this.logins[0], this.#shownSpeed, this.#parts);
    if (!this.#takeBackLease() && isFirst) this.#offerNewest();
  }

  #suggest(id: RequestId, difficulty: number): void {
    if (this.#self.suggest(difficulty, this.#holding, this.#shownSpeed, this.#parts))
      this.#replies.answer(id, true);
    else this.#replies.refuse(id, false, ERROR_CODES.other, 'the share difficulty is fixed here');
  }

  #configure({ id, extensions }: ConfigureRequest): void {
    const taken = extensions.map((name): [string, JsonValue] => [name, name === EXTRANONCE_EXTENSION]);
    this.#replies.answer(id, Object.fromEntries(taken));
    this.#isModern();
    if (!extensions.includes(EXTRANONCE_EXTENSION)) return;
    this.#takesExtranonce = true;
    this.#takeBackLease();
  }

  /**
   * Once its login is known, a rig that came back gets its former nonce1 where it takes another one while it works, and a
   * job to use it for.
   */
  #takeBackLease(): boolean {
    if (!this.ready) return false;
    if (!this.#takesExtranonce) {
      this.#holding.followClaim(this.logins);
      return false;
    }
    for (const login of this.logins) {
      const lease = this.#holding.takeBack(login);
      if (!lease) continue;
      this.#replies.notice({
        kind: 'setExtranonce',
        nonce1Hex: nonce1ToHex(lease.nonce1),
        nonce2Bytes: NONCE2_BYTES,
      });
      this.#feed.announceAgain();
      this.#offerNewest();
      return true;
    }
    return false;
  }

  #isModern(): void {
    if (!this.#modern && this.#self.agent === '')
      this.#replies.notice({ kind: 'getVersion', id: VERSION_ID });
    this.#modern = true;
  }

  #response({ id, result }: Response): void {
    if (id === VERSION_ID && typeof result === 'string') this.#self.agent = result;
  }

  #malformed({ id, code, detail, method }: Malformed): void {
    if (method === 'mining.submit') {
      const [login = NOBODY] = this.#logins.all;
      this.#submits.malformed(id, login, detail);
      return;
    }
    this.#replies.refuse(id, null, code, detail);
    if (this.#invalid.add(this.#parts.clock.nowMs())) return;
    this.end(`more than ${this.#parts.limits.invalidMessages} invalid messages; the last: ${detail}`);
  }

  #offerNewest(): void {
    const newest = this.ready ? this.#parts.newestJob(this) : undefined;
    if (newest) this.offerJob(newest);
  }

  #obey(order: Order): void {
    if (order === 'pause') this.#connection.pause();
    else if (order === 'resume') this.#connection.resume();
    else if (order === 'end') {
      const nowMs = this.#parts.clock.nowMs();
      const reason = 'it went on to send more than its budget';
      this.#conduct.ended(false, nowMs);
      this.#parts.offences.flooded(this, reason, nowMs);
      this.end(reason);
    }
  }

  #overdue(nowMs: number): string | undefined {
    const silence = this.#conduct.overdue({ isAuthorized: this.#logins.any, works: this.ready }, nowMs);
    const { fullSinceMs } = this.#feed;
    const full = fullSinceMs !== undefined && nowMs - fullSinceMs > this.#parts.limits.fullBufferTimeoutMs;
    return silence ?? (full ? 'the rig does not take what it is sent' : undefined);
  }
}
