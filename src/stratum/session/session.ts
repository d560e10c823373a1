/**
 * One rig's session: what it has asked for, what it was given, and how it is answered. Knows no socket.
 *
 * Life: opened with its connection; subscribed (holds a nonce1 lease) and authorized in either order; then it gets
 * jobs; ended once, by whichever comes first: the connection's end, a broken limit, the server. Whatever ends it,
 * the lease is released and nothing more is sent; what its return needs waits for as long as the nonce1 rests.
 */
import type { SessionInfo } from '../../bridge/events.js';
import type { Difficulty } from '../../core/work/target.js';
import type { Ban } from '../../operations/bans.js';
import { hashesOrNull, timeOf } from '../../operations/entry/values.js';
import type { Session as SessionView } from '../../operations/rigs.js';
import { ERROR_CODES } from '../../wire/errors.js';
import { parseRigMessage } from '../../wire/message-parser.js';
import type { AuthorizeRequest, RigMessage } from '../../wire/messages.js';
import type { Credentials, Login } from '../admission/accounts.js';
import type { Address } from '../admission/address.js';
import { banWords } from '../admission/bans.js';
import type { Connection, ConnectionEvents } from '../admission/connection.js';
import type { Violation } from '../admission/violations.js';
import { EXPECTED_SHARES, JobFeed, type JobLine } from '../jobs/job-feed.js';
import type { Steered } from '../operator/operator.js';
import type { Lease } from '../resume/nonce-leases.js';
import { Resumption } from '../resume/resumption.js';
import type { Whence } from '../resume/rig-record.js';
import { type Authorizer, Authorizing } from './authorizing.js';
import type { SlotHolder } from './connection-slots.js';
import { type Enforced, Enforcement } from './enforcement.js';
import { type Addressee, Inbox } from './inbox.js';
import { Logins } from './logins.js';
import { Hints, Replies } from './replies.js';
import { type Requester, Requests } from './requests.js';
import { SelfDescription } from './self-description.js';
import type { JobTaker, SessionParts } from './session-parts.js';
import { type Earner, SubmitResults } from './submit-results.js';
import { Submits, type Submitter } from './submits.js';

type Roles = ConnectionEvents &
  Addressee &
  Submitter &
  Earner &
  JobTaker &
  Authorizer &
  Enforced &
  Requester &
  SlotHolder &
  Steered;

export class Session implements Roles {
  readonly info: SessionInfo;
  readonly address: Address;
  readonly openedAtMs: number;
  /** When it last answered or was authorized. */
  answeredAtMs: number;
  readonly #parts: SessionParts;
  readonly #connection: Connection;
  readonly #replies: Replies;
  readonly #feed: JobFeed;
  readonly #submits: Submits;
  readonly #logins: Logins;
  readonly #resumption: Resumption;
  readonly #inbox: Inbox;
  readonly #results: SubmitResults;
  readonly #authorizing: Authorizing;
  readonly #requests: Requests;
  readonly #enforcement: Enforcement;
  #ended = false;
  readonly #self: SelfDescription;
  readonly #hints: Hints;
  readonly #onEnd: () => void;
  /** Of its address: it is here to hear why. */
  readonly #ban: Ban | undefined;

  constructor(parts: SessionParts, connection: Connection, id: number, onEnd: () => void) {
    this.#onEnd = onEnd;
    const { clock, events } = parts;
    const { limits } = parts.rules;
    const nowMs = clock.nowMs();
    this.info = { id, transport: connection.transport, peer: connection.peer.text, port: parts.rules.name };
    this.#parts = parts;
    this.#connection = connection;
    this.openedAtMs = nowMs;
    this.answeredAtMs = nowMs;
    this.#logins = new Logins(parts, connection.peer.addressKey);
    this.#resumption = new Resumption(parts, connection.peer.addressKey);
    this.#self = new SelfDescription(parts, this.#resumption, connection.peer.addressKey);
    this.#replies = new Replies(connection, limits, (reason) => this.end(reason));
    this.#hints = new Hints(this.#self, this.#replies);
    this.#authorizing = new Authorizing(parts, this.#logins, this.#replies, this);
    this.#feed = new JobFeed(connection, limits, () => this.offerNewest());
    const own = {
      replies: this.#replies,
      resumption: this.#resumption,
      self: this.#self,
      logins: this.#logins,
      feed: this.#feed,
    };
    this.address = parts.addresses.at(connection.peer.addressKey, nowMs);
    this.#ban = parts.bans.ofAddress(connection.peer.addressKey, nowMs);
    this.#enforcement = new Enforcement(parts, connection, this);
    const { usage } = this.#enforcement;
    this.#results = new SubmitResults(parts, { ...own, usage, hints: this.#hints }, this);
    this.#requests = new Requests(parts, own, this);
    this.#submits = new Submits(parts, { ...own, results: this.#results }, this);
    const asked = { requests: this.#requests, authorizing: this.#authorizing, submits: this.#submits };
    this.#inbox = new Inbox(parts, { ...own, ...asked }, this);
    events.emit('sessionOpened', this.info);
  }

  get lease(): Lease | undefined {
    return this.#resumption.lease;
  }

  get pendingSubmits(): number {
    return this.#submits.pending;
  }

  get ready(): boolean {
    return !this.#ended && this.lease !== undefined && this.#logins.any;
  }

  get lastJobNumber(): number {
    return this.lease ? this.#resumption.resumable.issued.lastJobUnder(this.lease) : 0;
  }

  get hasMined(): boolean {
    return this.#resumption.resumable.accepted > 0;
  }

  /** It has had no share for as long as vardiff expects a dozen; never at a difficulty that is given. */
  isSilent(nowMs: number): boolean {
    const { shareDifficulty, vardiff } = this.#parts.rules.difficulty;
    if (shareDifficulty !== 'vardiff' || this.#resumption.shareTarget.orderedDifficulty !== undefined)
      return false;
    return this.#enforcement.usage.silentMs(nowMs) > EXPECTED_SHARES * 1000 * vardiff.secondsPerShare;
  }

  get hashesPerSecond(): number {
    const steered = this.#resumption.shareTarget.hashesPerSecond;
    return steered > 0 ? steered : this.shownSpeed;
  }

  /** Hashes a second, by the shares of this session. */
  get shownSpeed(): number {
    return this.#resumption.resumable.meter?.steadyRate(this.#parts.clock.nowMs()) ?? 0;
  }

  get logins(): readonly Login[] {
    return this.#logins.all;
  }

  get agent(): string {
    return this.#self.agent;
  }

  get addressKey(): string {
    return this.#connection.peer.addressKey;
  }

  get whence(): Whence {
    return { host: this.#connection.peer.host, port: this.#parts.rules.name };
  }

  get difficulty(): Difficulty | undefined {
    return this.#feed.difficultyInForce;
  }

  report(nowMs: number): SessionView {
    return {
      ...{ port: null, ...this.info },
      agent: this.agent,
      logins: this.logins.map(({ account, rig }) => ({ account, rig })),
      bridge: null,
      openedAt: timeOf(this.openedAtMs),
      chainId: this.#parts.chainOf(this) ?? null,
      difficulty: hashesOrNull(this.difficulty),
      ...this.#results.report(nowMs),
    };
  }

  jobDue(nowMs: number): 'must' | 'may' | 'no' {
    if (!this.ready || this.#feed.fullSinceMs !== undefined) return 'no';
    return this.#feed.due(this.#resumption.shareTarget, this.hashesPerSecond, nowMs);
  }

  received(bytes: number, frames: number, open: number | undefined): void {
    if (!this.#ended) this.#enforcement.received(bytes, frames, open);
  }

  /** One message from the rig. Never throws. */
  line(text: string): void {
    if (this.#ended) return;
    const isInTime = this.#enforcement.usage.message(this.#parts.clock.nowMs());
    try {
      const message = parseRigMessage(text);
      if (this.#ban) this.#turnAway(message, banWords(this.#ban));
      else this.#inbox.take(message, !isInTime);
    } catch (error) {
      this.failed(error);
    }
  }

  fault(reason: string): void {
    this.garbled(reason);
  }

  closed(why?: string): void {
    this.end(why === undefined ? 'the rig left' : `the connection broke: ${why}`);
  }

  offerJob(jobLine: JobLine): void {
    if (!this.ready) return;
    const line = jobLine.lineFor(this.#self.quirks);
    this.#feed.offer(jobLine.job, line, this.#resumption, this.#parts.clock.nowMs());
  }

  offerNewest(): void {
    const newest = this.ready ? this.#parts.newestJob(this) : undefined;
    if (newest) this.offerJob(newest);
  }

  /** Called about once a second: what is due by time. */
  tick(nowMs: number): void {
    this.#enforcement.tick(nowMs);
    this.#authorizing.tick(nowMs);
    this.#hints.tick(nowMs);
    const state = { isAuthorized: this.#logins.any, works: this.ready };
    const overdue = this.#enforcement.usage.overdue(state, nowMs) ?? this.#feed.overdue(nowMs);
    if (overdue) this.dismiss(overdue);
    else if (this.ready) {
      const { difficulty } = this;
      if (difficulty !== undefined) this.#resumption.shareTarget.tick(difficulty, nowMs);
    }
  }

  /** Tells a rig that can follow to connect again; the others find out. False when it is one of them. */
  askToReconnect(waitSeconds: number): boolean {
    if (this.#ended || !this.#self.takesReconnect) return false;
    this.#replies.notice({ kind: 'reconnect', host: '', port: 0, waitSeconds });
    return true;
  }

  /** Ends the session for good; later calls do nothing. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#replies.close();
    this.#resumption.leave(this.logins);
    for (const login of this.logins) this.#parts.rigBook.left(login, this);
    this.#enforcement.usage.ended(true, this.#parts.clock.nowMs());
    this.#connection.close();
    this.#onEnd();
    this.#parts.events.emit('sessionClosed', this.info, reason);
  }

  /** Ends it, and tells a rig why that takes it. */
  dismiss(why: string): void {
    this.warnRig(why);
    this.end(why);
  }

  /** The answer to whatever it asks first is why it is banned. */
  #turnAway(message: RigMessage, why: string): void {
    if (message.kind !== 'response')
      this.#replies.refuse(
        message.id,
        message.kind === 'subscribe' ? null : false,
        ERROR_CODES.unauthorized,
        why,
      );
    this.dismiss(why);
  }

  authorized(request: AuthorizeRequest, credentials: Credentials): void {
    if (this.#ended) return;
    this.answeredAtMs = this.#parts.clock.nowMs();
    this.#requests.authorized(request, credentials);
    this.#enforcement.usage.letIn(this.#parts.rules.accounts.areProven);
  }

  violated(login: Login, violation: Violation): void {
    if (!this.#ended) this.#enforcement.violated(login, violation);
  }

  /** What it sends is no message, or breaks the rules of its transport. */
  garbled(why: string): void {
    if (!this.#ended) this.#enforcement.garbled(why);
  }

  /** Why nobody may come from its address any more. */
  get whyShut(): string | undefined {
    return this.#parts.rules.whyShut(this.#connection.peer.host);
  }

  /** What it may send and what its shares are to be follow at once; who may not mine any more is sent away. */
  rulesChanged(): void {
    const account = this.#logins.barred;
    if (this.whyShut !== undefined) this.dismiss(this.whyShut);
    else if (account !== undefined) this.dismiss(`the account ${account} may not mine here any more`);
    else {
      this.#enforcement.usage.limitsChanged();
      this.#requests.settleTarget();
    }
  }

  /** Its next job comes with the target that is ordered for it, or with its own again. */
  difficultyOrdered(): void {
    if (!this.#ended) this.#requests.settleTarget();
  }

  failed(error: unknown): void {
    this.#parts.log.error({ session: this.info, error }, 'a message broke its session');
    this.dismiss('internal error');
  }

  /** False when the rig takes no text. */
  warnRig(text: string): boolean {
    return !this.#ended && this.#hints.show(text);
  }

  /** As {@link warnRig}, at most once a minute. */
  hint(text: string): void {
    if (!this.#ended) this.#hints.hint(text, this.#parts.clock.nowMs());
  }
}
