/**
 * One rig's session: all that is known of it, in three parts, and what can be done to it. It knows no socket, and no message.
 *
 * Its parts are its admission (`address`, `usage`, `authorized`), what it can resume (`resumption`), and its `submits`. What its rig sends
 * comes to {@link file://./protocol.ts}.
 *
 * Life: opened with its connection; subscribed (holds a nonce1 lease) and authorized in either order; then it gets
 * jobs; ended once, by whichever comes first: the connection's end, a broken limit, the server. Whatever ends it,
 * the lease is released and nothing more is sent; what its return needs waits for as long as the nonce1 rests.
 */
import type { SessionInfo } from '../../bridge/events.js';
import { HashRateMeter, SESSION_WINDOWS_MS } from '../../core/shares/hash-rate.js';
import type { Rejection } from '../../core/shares/rejections.js';
import type { Difficulty } from '../../core/work/target.js';
import type { Ban } from '../../operations/bans.js';
import { hashesOrNull, ratesOf, reachedOrNull, timeOf } from '../../operations/entry/values.js';
import type { Session as SessionView } from '../../operations/rigs.js';
import type { ErrorCode } from '../../wire/errors.js';
import type { JsonValue, RequestId } from '../../wire/json.js';
import { type AuthorizeRequest, encodeNotice, encodeResponse, type Notice } from '../../wire/messages.js';
import type { Login } from '../admission/accounts.js';
import type { Address } from '../admission/address.js';
import type { SlidingCount } from '../admission/budgets.js';
import type { Connection } from '../admission/connection.js';
import { type Order, Usage } from '../admission/usage.js';
import type { Violation, Violator } from '../admission/violations.js';
import { EXPECTED_SHARES, JobFeed, type JobLine } from '../jobs/job-feed.js';
import type { Lease } from '../resume/nonce-leases.js';
import type { ResumableSession } from '../resume/resumable-session.js';
import { Resumption } from '../resume/resumption.js';
import type { RigSession } from '../resume/rig-record.js';
import { Hints } from './hints.js';
import { Logins } from './logins.js';
import { SelfDescription } from './self-description.js';
import type { JobTaker, SessionParts, TokenOwner } from './session-parts.js';
import { SubmitCounts } from './submit-counts.js';

/** An authorize that is answered later; what comes meanwhile waits behind it. */
interface LateAnswer {
  readonly dueAtMs: number;
  readonly behind: AuthorizeRequest[];
  answer(nowMs: number): void;
}

/** A wish may take a job of its own to be heard. Those from before the first job do not. */
const WISH_EVERY_MS = 10_000;

export class Session implements JobTaker, RigSession, TokenOwner, Violator {
  readonly info: SessionInfo;
  readonly shared: SessionParts;
  readonly connection: Connection;
  readonly openedAtMs: number;
  /** When it last answered or was authorized. */
  answeredAtMs: number;
  readonly address: Address;
  readonly usage: Usage;
  readonly authorized: Logins;
  lateAuthorize: LateAnswer | undefined;
  /** From the first one on. */
  wrongLogins: SlidingCount | undefined;
  readonly resumption: Resumption;
  readonly submits: SubmitCounts;
  readonly self: SelfDescription;
  readonly feed: JobFeed;
  /** Its address is banned: it is here to hear why. */
  readonly ban: Ban | undefined;
  readonly hints = new Hints();
  readonly #onEnd: () => void;
  #wishedAtMs = Number.NEGATIVE_INFINITY;
  /** Where an operator held its difficulty when it was told last. */
  #heldAt: Difficulty | undefined;
  #ended = false;

  constructor(shared: SessionParts, connection: Connection, id: number, onEnd: () => void) {
    const { addressKey } = connection.peer;
    const { limits } = shared.rules;
    const nowMs = shared.clock.nowMs();
    this.info = { id, transport: connection.transport, peer: connection.peer.text, port: shared.rules.name };
    this.shared = shared;
    this.connection = connection;
    this.openedAtMs = nowMs;
    this.answeredAtMs = nowMs;
    this.address = shared.addresses.at(addressKey, nowMs);
    this.ban = shared.bans.ofAddress(addressKey, nowMs);
    this.usage = new Usage(this.address, limits, nowMs);
    this.authorized = new Logins(shared, addressKey);
    this.resumption = new Resumption(shared, addressKey);
    this.self = new SelfDescription(shared, this.resumption, addressKey);
    this.submits = new SubmitCounts(limits);
    this.feed = new JobFeed(connection, limits, () => this.offerNewest());
    this.#onEnd = onEnd;
    shared.events.emit('sessionOpened', this.info);
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  /** It gets jobs. */
  get ready(): boolean {
    return !this.#ended && this.lease !== undefined && this.authorized.any;
  }

  get addressKey(): string {
    return this.connection.peer.addressKey;
  }

  get cameFrom(): RigSession['cameFrom'] {
    return { host: this.connection.peer.host, port: this.shared.rules.name };
  }

  get logins(): readonly Login[] {
    return this.authorized.all;
  }

  get agent(): string {
    return this.self.agent;
  }

  get resumable(): ResumableSession {
    return this.resumption.resumable;
  }

  get lease(): Lease | undefined {
    return this.resumption.lease;
  }

  get lastJobNumber(): number {
    return this.lease ? this.resumable.issued.lastJobUnder(this.lease) : 0;
  }

  get hasMined(): boolean {
    return this.resumable.accepted > 0;
  }

  /** It has had no share for as long as vardiff expects a dozen; never at a difficulty that is given. */
  isSilent(nowMs: number): boolean {
    const { shareDifficulty, vardiff } = this.shared.rules.difficulty;
    if (shareDifficulty !== 'vardiff' || this.resumption.shareTarget.orderedDifficulty !== undefined)
      return false;
    return this.usage.silentMs(nowMs) > EXPECTED_SHARES * 1000 * vardiff.secondsPerShare;
  }

  get hashesPerSecond(): number {
    const steered = this.resumption.shareTarget.hashesPerSecond;
    return steered > 0 ? steered : this.shownSpeed;
  }

  /** Hashes a second, by the shares of this session. */
  get shownSpeed(): number {
    return this.resumable.meter?.steadyRate(this.shared.clock.nowMs()) ?? 0;
  }

  /** Of the shares of its newest job. */
  get difficulty(): Difficulty | undefined {
    return this.feed.difficultyInForce;
  }

  report(nowMs: number): SessionView {
    const { meter, bestShare, accepted, rejected = [] } = this.resumable;
    const shown = meter ?? new HashRateMeter(this.openedAtMs, SESSION_WINDOWS_MS);
    return {
      ...{ port: null, ...this.info },
      agent: this.agent,
      logins: this.logins.map(({ account, rig }) => ({ account, rig })),
      bridge: null,
      openedAt: timeOf(this.openedAtMs),
      chainId: this.shared.chainOf(this) ?? null,
      difficulty: hashesOrNull(this.difficulty),
      hashRates: ratesOf(shown.rates(nowMs)),
      accepted,
      rejected: Object.fromEntries(rejected),
      bestShare: reachedOrNull(bestShare),
    };
  }

  jobDue(nowMs: number): 'must' | 'may' | 'no' {
    if (!this.ready || this.feed.fullSinceMs !== undefined) return 'no';
    return this.feed.due(this.resumption.shareTarget, this.hashesPerSecond, nowMs);
  }

  offerJob(jobLine: JobLine): void {
    if (!this.ready) return;
    const line = jobLine.lineFor(this.self.quirks);
    this.feed.offer(jobLine.job, line, this.resumption, this.shared.clock.nowMs());
  }

  offerNewest(): void {
    const newest = this.ready ? this.shared.newestJob(this) : undefined;
    if (newest) this.offerJob(newest);
  }

  /** Once it is known who the rig is, and again when that which its target follows from has changed. */
  settleTarget(): void {
    if (this.#ended) return;
    this.self.settleTarget(this.logins[0], this.shownSpeed);
    const { orderedDifficulty } = this.resumption.shareTarget;
    if (orderedDifficulty === this.#heldAt) return;
    this.#heldAt = orderedDifficulty;
    const isHeld = orderedDifficulty !== undefined;
    this.hint(
      `the operator ${isHeld ? `holds this rig at share difficulty ${orderedDifficulty}` : 'holds the share difficulty of this rig no more'}`,
    );
  }

  /** Whether it may ask for another difficulty now; if so, it has. */
  mayWish(): boolean {
    const nowMs = this.shared.clock.nowMs();
    if (this.difficulty === undefined) return true;
    if (nowMs - this.#wishedAtMs < WISH_EVERY_MS) return false;
    this.#wishedAtMs = nowMs;
    return true;
  }

  /** Called about once a second: what is due by time. */
  tick(nowMs: number): void {
    this.#obey(this.usage.tick(nowMs, this.connection.wireBytes?.()));
    if (this.lateAuthorize && nowMs >= this.lateAuthorize.dueAtMs) this.lateAuthorize.answer(nowMs);
    this.#showHint(nowMs);
    const state = { isAuthorized: this.authorized.any, works: this.ready };
    const overdue = this.usage.overdue(state, nowMs) ?? this.feed.overdue(nowMs);
    if (overdue) this.dismiss(overdue);
    else if (this.ready && this.difficulty !== undefined)
      this.resumption.shareTarget.tick(this.difficulty, nowMs);
  }

  /** So many bytes came, which ended so many lines or frames; `open` is the number of the message that has begun. */
  received(bytes: number, frames: number, open: number | undefined): void {
    if (!this.#ended) this.#obey(this.usage.received(bytes, frames, this.shared.clock.nowMs(), open));
  }

  answer(id: RequestId, result: JsonValue): void {
    this.#send(encodeResponse({ id, result }));
  }

  /** @param result false for requests that answer true, null for others. */
  refuse(id: RequestId, result: false | null, code: ErrorCode, message: string): void {
    this.#send(encodeResponse({ id, result, error: { code, message } }));
  }

  notify(notice: Notice): void {
    this.#send(encodeNotice(notice));
  }

  /** False when the rig takes no text. */
  warnRig(text: string): boolean {
    if (this.#ended || !this.self.takesMessages) return false;
    this.notify({ kind: 'showMessage', text });
    return true;
  }

  /** As {@link warnRig}, at most once a minute. */
  hint(text: string): void {
    this.hints.add(text);
    this.#showHint(this.shared.clock.nowMs());
  }

  /** A submit was refused; `detail` says why as a sentence. */
  hintRefused(reason: Rejection, detail: string): void {
    this.hints.refused(reason, detail);
    this.#showHint(this.shared.clock.nowMs());
  }

  /** Tells a rig that can follow to connect again; the others find out. False when it is one of them. */
  askToReconnect(waitSeconds: number): boolean {
    if (this.#ended || !this.self.takesReconnect) return false;
    this.notify({ kind: 'reconnect', host: '', port: 0, waitSeconds });
    return true;
  }

  /** Why nobody may come from its address any more. */
  get whyShut(): string | undefined {
    return this.shared.rules.whyShut(this.connection.peer.host);
  }

  /** What it may send and what its shares are to be follow at once; who may not mine any more is sent away. */
  rulesChanged(): void {
    const account = this.authorized.barred;
    if (this.whyShut !== undefined) this.dismiss(this.whyShut);
    else if (account !== undefined) this.dismiss(`the account ${account} may not mine here any more`);
    else {
      this.usage.limitsChanged();
      this.settleTarget();
    }
  }

  /** Too many wrong submits under one login. */
  violated(login: Login, violation: Violation): void {
    if (this.#ended) return;
    const isBanned = this.shared.violations.violated(this, login, violation, this.#endsBadly());
    this.dismiss(`${isBanned ? 'banned' : 'closed'}: ${violation.reason}`);
  }

  /** What it sends is no message, or breaks the rules of its transport. */
  garbled(why: string): void {
    if (this.#ended) return;
    this.shared.violations.garbled(this, why, this.#endsBadly());
    this.dismiss(why);
  }

  failed(error: unknown): void {
    this.shared.log.error({ session: this.info, error }, 'a message broke its session');
    this.dismiss('internal error');
  }

  /** Ends it, and tells a rig why that takes it. */
  dismiss(why: string): void {
    this.warnRig(why);
    this.end(why);
  }

  /** Ends the session for good; later calls do nothing. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.resumption.leave(this.logins);
    for (const login of this.logins) this.shared.rigBook.left(login, this);
    this.usage.ended(true, this.shared.clock.nowMs());
    this.connection.close();
    this.#onEnd();
    this.shared.events.emit('sessionClosed', this.info, reason);
  }

  #send(text: string): void {
    if (this.#ended) return;
    this.connection.send(text);
    if (this.connection.unsentBytes > this.shared.rules.limits.writeBufferBytes)
      this.end('the rig does not take its answers');
  }

  #showHint(nowMs: number): void {
    const text = this.hints.due(nowMs);
    if (text !== undefined && this.warnRig(text)) this.hints.shown(nowMs);
  }

  #obey(order: Order): void {
    if (order === 'pause') this.connection.pause();
    else if (order === 'resume') this.connection.resume();
    else if (order === 'end') {
      const why = 'it went on to send more than its budget';
      this.shared.violations.flooded(this, why, this.#endsBadly());
      this.dismiss(why);
    }
  }

  /** It counts as good no more, before it is weighed what others of its address do. */
  #endsBadly(): number {
    const nowMs = this.shared.clock.nowMs();
    this.usage.ended(false, nowMs);
    return nowMs;
  }
}
