/**
 * One rig's session: what it has asked for, what it was given, and how it is answered. Knows no socket.
 *
 * Life: opened with its connection; subscribed (holds a nonce1 lease) and authorized in either order; then it gets
 * jobs; ended once, by whichever comes first: the connection's end, a broken limit, the server. Whatever ends it,
 * the lease is released and nothing more is sent.
 */
import type { BridgeEvents, SessionInfo } from '../bridge/events.js';
import type { Clock, Judge } from '../bridge/ports.js';
import type { Job } from '../core/job.js';
import type { Log } from '../core/log.js';
import type { Nonce1, NonceSpace } from '../core/nonce.js';
import type { Rejection, Verdict } from '../core/share.js';
import { type Difficulty, difficultyOf, type Target } from '../core/target.js';
import type { VardiffSettings } from '../core/vardiff.js';
import { type Login, parseLogin } from './accounts.js';
import type { Connection, ConnectionEvents, SharedLine } from './connection.js';
import { codeOfRejection, ERROR_CODES, type ErrorCode } from './errors.js';
import { effectiveTarget, IssuedTargets } from './issued-targets.js';
import type { JsonValue, RequestId } from './json.js';
import type { StratumLimits } from './limits.js';
import { parseRigMessage } from './message-parser.js';
import {
  type AuthorizeRequest,
  encodeNotice,
  encodeResponse,
  type Malformed,
  type RigMessage,
  type SubmitRequest,
  type SubscribeRequest,
  subscribeResult,
} from './messages.js';
import { type ShareDifficulty, ShareTarget } from './share-target.js';
import { SlidingCount } from './sliding-count.js';

/** A job with its notify, encoded once for all sessions. */
export interface JobLine {
  readonly job: Job;
  readonly line: SharedLine;
}

/** What all sessions of a server share. */
export interface SessionParts {
  readonly judge: Judge;
  readonly nonceSpace: NonceSpace;
  readonly clock: Clock;
  readonly events: BridgeEvents;
  readonly log: Log;
  readonly limits: StratumLimits;
  readonly shareDifficulty: ShareDifficulty;
  readonly vardiff: VardiffSettings;
  newestJob(): JobLine | undefined;
  ended(session: Session): void;
}

export class Session implements ConnectionEvents {
  readonly info: SessionInfo;
  readonly #parts: SessionParts;
  readonly #connection: Connection;
  readonly #openedAtMs: number;
  readonly #logins = new Map<string, Login>();
  readonly #issued = new IssuedTargets();
  readonly #shareTarget: ShareTarget;
  readonly #invalid: SlidingCount;
  #ended = false;
  #agent = '';
  #nonce1: Nonce1 | undefined;
  /** The last `mining.set_target`. */
  #announced: Target | undefined;
  #lastJob: Job | undefined;
  #lastMessageAtMs: number | undefined;
  /** Since when the connection is too full for jobs. */
  #fullSinceMs: number | undefined;
  #pendingSubmits = 0;

  constructor(parts: SessionParts, connection: Connection, id: number) {
    const nowMs = parts.clock.nowMs();
    this.info = { id, transport: connection.transport, peer: connection.peer };
    this.#parts = parts;
    this.#connection = connection;
    this.#openedAtMs = nowMs;
    this.#shareTarget = new ShareTarget(parts.shareDifficulty, parts.vardiff, nowMs);
    this.#invalid = new SlidingCount(parts.limits.invalidMessages, parts.limits.invalidWindowMs);
    parts.events.emit('sessionOpened', this.info);
  }

  get pendingSubmits(): number {
    return this.#pendingSubmits;
  }

  /** Subscribed and authorized: gets jobs. */
  get ready(): boolean {
    return !this.#ended && this.#nonce1 !== undefined && this.#logins.size > 0;
  }

  /** One message from the rig. Never throws. */
  line(text: string): void {
    if (this.#ended) return;
    this.#lastMessageAtMs = this.#parts.clock.nowMs();
    try {
      this.#handle(parseRigMessage(text));
    } catch (error) {
      this.#parts.log.error({ session: this.info, error }, 'a message broke its session');
      this.end('internal error');
    }
  }

  fault(reason: string): void {
    this.end(reason);
  }

  closed(): void {
    this.end('the rig left');
  }

  /** Room again: the newest job replaces all that were left out. */
  drained(): void {
    if (this.#fullSinceMs === undefined) return;
    this.#fullSinceMs = undefined;
    const newest = this.#parts.newestJob();
    if (newest) this.offerJob(newest);
  }

  offerJob({ job, line }: JobLine): void {
    if (!this.ready || job === this.#lastJob) return;
    if (this.#connection.unsentBytes >= this.#parts.limits.jobBufferBytes) {
      this.#fullSinceMs ??= this.#parts.clock.nowMs();
      return;
    }
    this.#announceTarget(job);
    this.#lastJob = job;
    this.#connection.sendShared(line);
  }

  /** Called about once a second: what is due by time. */
  tick(nowMs: number): void {
    const overdue = this.#overdue(nowMs);
    if (overdue) this.end(overdue);
    else if (this.ready && this.#lastJob) {
      this.#shareTarget.tick(this.#difficultyInForce(this.#lastJob), nowMs);
    }
  }

  /** Ends the session for good; later calls do nothing. */
  end(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#nonce1 !== undefined) this.#parts.nonceSpace.release(this.#nonce1, this.#parts.clock.nowMs());
    this.#connection.close();
    this.#parts.ended(this);
    this.#parts.events.emit('sessionClosed', this.info, reason);
  }

  #handle(message: RigMessage): void {
    switch (message.kind) {
      case 'subscribe':
        this.#subscribe(message);
        break;
      case 'authorize':
        this.#authorize(message);
        break;
      case 'submit':
        this.#submit(message);
        break;
      case 'ping':
        this.#answer(message.id, 'pong');
        break;
      case 'malformed':
        this.#malformed(message);
        break;
      case 'response':
        break;
      case 'unknown':
        this.#refuse(message.id, null, ERROR_CODES.unknownMethod, `no method ${message.method} here`);
        break;
      default:
        this.#refuse(message.id, null, ERROR_CODES.unknownMethod, 'this method has no effect here');
    }
  }

  #subscribe({ id, agent }: SubscribeRequest): void {
    if (agent !== '') this.#agent = agent;
    const isNew = this.#nonce1 === undefined;
    this.#nonce1 ??= this.#parts.nonceSpace.lease(this.#parts.clock.nowMs());
    if (this.#nonce1 === undefined) {
      this.#refuse(id, null, ERROR_CODES.other, 'the bridge is full: every part of the nonce space is taken');
      this.end('the nonce space is full');
      return;
    }
    this.#answer(id, subscribeResult(this.#nonce1));
    if (isNew) this.#start();
  }

  #authorize({ id, login }: AuthorizeRequest): void {
    const refusal = this.#whyNotAuthorized(login);
    if (refusal) {
      this.#refuse(id, false, ERROR_CODES.unauthorized, refusal);
      return;
    }
    const isFirst = this.#logins.size === 0;
    const { account, rig } = parseLogin(login);
    this.#logins.set(login, { account, rig });
    this.#answer(id, true);
    this.#parts.events.emit('sessionAuthorized', this.info, account, rig, this.#agent);
    if (isFirst) this.#start();
  }

  #whyNotAuthorized(login: string): string | undefined {
    const { loginCharacters, loginsPerSession } = this.#parts.limits;
    if (login.length > loginCharacters) {
      return `a login has at most ${loginCharacters} characters, this one ${login.length}`;
    }
    if (this.#logins.has(login) || this.#logins.size < loginsPerSession) return undefined;
    return `one connection may authorize at most ${loginsPerSession} logins`;
  }

  /** The first job follows at once when both subscribe and authorize are done. */
  #start(): void {
    const newest = this.#parts.newestJob();
    if (newest) this.offerJob(newest);
  }

  #submit(request: SubmitRequest): void {
    const { limits } = this.#parts;
    if (this.#nonce1 === undefined) {
      this.#reject(request, 'notSubscribed', 'mining.subscribe must come before mining.submit');
    } else if (this.#pendingSubmits >= limits.pendingSubmits) {
      this.#reject(request, 'tryAgain', `${limits.pendingSubmits} submits already wait for an answer`);
    } else this.#startJudging(request, this.#nonce1);
  }

  #startJudging(request: SubmitRequest, nonce1: Nonce1): void {
    this.#pendingSubmits++;
    this.#judge(request, nonce1)
      .catch((error: unknown) => {
        this.#parts.log.error({ session: this.info, error }, 'a submit broke its session');
        this.end('internal error');
      })
      .finally(() => this.#pendingSubmits--);
  }

  async #judge(request: SubmitRequest, nonce1: Nonce1): Promise<void> {
    const { jobId, nonce2 } = request;
    const login = this.#loginOf(request);
    const verdict = await this.#parts.judge.judge({
      jobId,
      nonce1,
      nonce2,
      ...(login ?? parseLogin(request.login)),
      // Without an account there is no share; a solution is one all the same.
      shareTargetOf: (job) => (login ? this.#issued.targetOf(job) : undefined),
    });
    if (login) this.#tell(request, login, verdict);
    else this.#reject(request, 'unauthorized', `${request.login} is not authorized on this connection`);
  }

  #tell(request: SubmitRequest, login: Login, verdict: Verdict): void {
    if (!verdict.accepted) {
      this.#reject(request, verdict.reason, verdict.detail);
      return;
    }
    const { difficulty } = verdict.share;
    this.#shareTarget.share(difficulty, this.#parts.clock.nowMs());
    this.#answer(request.id, true);
    this.#emitSubmit(request.jobId, login, 'accepted', '', difficulty);
  }

  #reject(request: SubmitRequest, reason: Rejection, detail: string): void {
    this.#refuse(request.id, false, codeOfRejection(reason), detail);
    this.#emitSubmit(request.jobId, this.#loginOf(request) ?? parseLogin(request.login), reason, detail);
  }

  #malformed({ id, code, detail, method }: Malformed): void {
    if (method === 'mining.submit') {
      this.#refuse(id, false, codeOfRejection('malformed'), detail);
      const [login = { account: '', rig: '' }] = this.#logins.values();
      this.#emitSubmit('', login, 'malformed', detail);
    } else this.#refuse(id, null, code, detail);
    if (this.#invalid.add(this.#parts.clock.nowMs())) return;
    this.end(`more than ${this.#parts.limits.invalidMessages} invalid messages; the last: ${detail}`);
  }

  /** Some rigs submit as the account alone, having authorized with a rig's name. */
  #loginOf({ login }: SubmitRequest): Login | undefined {
    const exact = this.#logins.get(login);
    if (exact) return exact;
    const { account } = parseLogin(login);
    for (const known of this.#logins.values()) if (known.account === account) return known;
    return undefined;
  }

  #announceTarget(job: Job): void {
    const { own } = this.#shareTarget;
    this.#issued.issue(job, own);
    const target = effectiveTarget(own, job);
    if (this.#announced && Buffer.compare(target, this.#announced) === 0) return;
    this.#announced = target;
    this.#connection.send(encodeNotice({ kind: 'setTarget', target }));
  }

  #difficultyInForce(job: Job): Difficulty {
    return difficultyOf(this.#issued.targetOf(job) ?? job.blockTarget);
  }

  #overdue(nowMs: number): string | undefined {
    const { limits } = this.#parts;
    const ageMs = nowMs - this.#openedAtMs;
    if (this.#lastMessageAtMs === undefined) {
      return ageMs > limits.handshakeTimeoutMs ? 'no message came in time' : undefined;
    }
    if (this.#logins.size === 0 && ageMs > limits.authorizeTimeoutMs) return 'no good authorize came in time';
    if (nowMs - this.#lastMessageAtMs > limits.idleTimeoutMs) return 'the rig was silent for too long';
    const full = this.#fullSinceMs !== undefined && nowMs - this.#fullSinceMs > limits.fullBufferTimeoutMs;
    return full ? 'the rig does not take what it is sent' : undefined;
  }

  #answer(id: RequestId, result: JsonValue): void {
    this.#send(encodeResponse({ id, result }));
  }

  #refuse(id: RequestId, result: false | null, code: ErrorCode, message: string): void {
    this.#send(encodeResponse({ id, result, error: { code, message } }));
  }

  #send(text: string): void {
    if (this.#ended) return;
    this.#connection.send(text);
    if (this.#connection.unsentBytes > this.#parts.limits.writeBufferBytes) {
      this.end('the rig does not take its answers');
    }
  }

  #emitSubmit(
    jobId: string,
    login: Login,
    outcome: 'accepted' | Rejection,
    detail: string,
    difficulty?: Difficulty,
  ): void {
    const credited = difficulty === undefined ? {} : { difficulty };
    this.#parts.events.emit('submit', { session: this.info, ...login, jobId, outcome, detail, ...credited });
  }
}
