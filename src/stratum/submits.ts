/** The submits of one session: judged, answered, counted. */
import type { SessionInfo } from '../bridge/events.js';
import type { Job } from '../core/job.js';
import { nonce1ToHex } from '../core/nonce.js';
import type { Refusal, Rejection, Share } from '../core/share.js';
import { type Login, parseLogin } from './accounts.js';
import { codeOfRejection } from './errors.js';
import type { IssuedTargets } from './issued-targets.js';
import type { RequestId } from './json.js';
import type { SubmitRequest } from './messages.js';
import type { Suspect } from './nonce-detective.js';
import type { Lease } from './nonce-leases.js';
import type { Replies } from './replies.js';
import type { SessionParts } from './session-parts.js';
import { SlidingCount } from './sliding-count.js';

/** What a session's submits need of it. */
export interface Submitter {
  readonly info: SessionInfo;
  readonly lease: Lease | undefined;
  readonly issued: IssuedTargets;
  /** The login that may be paid for this submit. */
  loginOf(text: string): Login | undefined;
  credited(login: Login, share: Share): void;
  misbehaved(login: Login, reason: string): void;
  failed(error: unknown): void;
  warnRig(text: string): void;
}

/** Low-difficulty submits, without a good one, after which another nonce1 is looked for. */
const SUSPICIOUS = [3, 30, 300];
const SUSPECTS = 3;
/** Faults of the rig; a late submit is none. */
const FAULTS: ReadonlySet<Rejection> = new Set<Rejection>([
  'lowDifficulty',
  'duplicate',
  'malformed',
  'unknownJob',
]);

/** What a submit shows of the work behind it. */
type Shown = Pick<Refusal, 'spent' | 'claimed'>;

export class Submits {
  readonly #parts: SessionParts;
  readonly #replies: Replies;
  readonly #submitter: Submitter;
  readonly #wrong: SlidingCount;
  readonly #good: SlidingCount;
  readonly #suspects: Suspect[] = [];
  #lowInARow = 0;
  #pending = 0;

  constructor(parts: SessionParts, replies: Replies, submitter: Submitter) {
    const { invalidSubmits, invalidWindowMs } = parts.limits;
    this.#parts = parts;
    this.#replies = replies;
    this.#submitter = submitter;
    this.#wrong = new SlidingCount(invalidSubmits, invalidWindowMs);
    this.#good = new SlidingCount(Number.POSITIVE_INFINITY, invalidWindowMs);
  }

  /** Submits without a verdict. */
  get pending(): number {
    return this.#pending;
  }

  /** @param tooFast the rig is past its rate: it is paid for nothing now, but a solution is not lost. */
  take(request: SubmitRequest, tooFast: boolean): void {
    const { lease } = this.#submitter;
    const { pendingSubmits } = this.#parts.limits;
    if (!lease) {
      this.#reject(request, 'notSubscribed', 'mining.subscribe must come before mining.submit');
    } else if (this.#pending >= pendingSubmits) {
      this.#reject(request, 'tryAgain', `${pendingSubmits} submits already wait for an answer`);
    } else {
      void this.#judge(request, lease, tooFast);
    }
  }

  /** A submit that could not be read. */
  malformed(id: RequestId, login: Login, detail: string): void {
    this.#replies.refuse(id, false, codeOfRejection('malformed'), detail);
    this.#emit('', login, 'malformed', detail, {});
    this.#count(login, 'malformed', detail);
  }

  /** Never rejects. */
  async #judge(request: SubmitRequest, lease: Lease, tooFast: boolean): Promise<void> {
    const { jobId, nonce2 } = request;
    const login = this.#submitter.loginOf(request.login);
    const payable = login && !tooFast;
    let job: Job | undefined;
    this.#pending++;
    try {
      const verdict = await this.#parts.judge.judge({
        jobId,
        nonce1: lease.nonce1,
        nonce2,
        ...(login ?? parseLogin(request.login)),
        shareTargetOf: (found) => {
          job = found;
          return payable && found.group === lease.group ? this.#submitter.issued.targetOf(found) : undefined;
        },
      });
      if (verdict.accepted && login) this.#accept(request, login, verdict.share);
      else if (!verdict.accepted) await this.#refuse(request, verdict, login, job, tooFast);
    } catch (error) {
      this.#submitter.failed(error);
    } finally {
      this.#pending--;
    }
  }

  async #refuse(
    request: SubmitRequest,
    refusal: Refusal,
    login: Login | undefined,
    job: Job | undefined,
    tooFast: boolean,
  ): Promise<void> {
    const { reason, detail } = refusal;
    if (!login)
      this.#reject(request, 'unauthorized', `${request.login} is not authorized on this connection`);
    else if (tooFast) this.#reject(request, 'tryAgain', this.#tooFast());
    else if (reason === 'lowDifficulty' && job) {
      this.#reject(request, reason, (await this.#explainLow(request, job)) ?? detail, refusal);
    } else this.#reject(request, reason, detail, refusal);
  }

  #accept(request: SubmitRequest, login: Login, share: Share): void {
    this.#lowInARow = 0;
    this.#suspects.length = 0;
    this.#good.add(this.#parts.clock.nowMs());
    this.#replies.answer(request.id, true);
    this.#submitter.credited(login, share);
    this.#emit(request.jobId, login, 'accepted', '', { spent: share });
  }

  #reject(request: SubmitRequest, reason: Rejection, detail: string, shown: Shown = {}): void {
    const login = this.#submitter.loginOf(request.login) ?? parseLogin(request.login);
    this.#replies.refuse(request.id, false, codeOfRejection(reason), detail);
    this.#emit(request.jobId, login, reason, detail, shown);
    this.#count(login, reason, detail);
  }

  #count(login: Login, reason: Rejection, detail: string): void {
    if (!FAULTS.has(reason)) return;
    const nowMs = this.#parts.clock.nowMs();
    if (this.#wrong.add(nowMs) || this.#wrong.count(nowMs) <= this.#good.count(nowMs)) return;
    const { invalidSubmits } = this.#parts.limits;
    this.#submitter.misbehaved(login, `more than ${invalidSubmits} wrong submits; the last: ${detail}`);
  }

  /** When all hashes are wrong and right with another nonce1, the rig ignores its own: that is worth saying. */
  async #explainLow({ nonce2 }: SubmitRequest, job: Job): Promise<string | undefined> {
    const { lease, issued, info } = this.#submitter;
    const target = issued.targetOf(job);
    if (!lease || !target) return undefined;
    this.#suspects.push({ job, nonce2, target });
    if (this.#suspects.length > SUSPECTS) this.#suspects.shift();
    if (!SUSPICIOUS.includes(++this.#lowInARow)) return undefined;
    const other = await this.#parts.detective.search([...this.#suspects]);
    if (other === undefined || other === lease.nonce1) return undefined;
    const [right, wrong] = [nonce1ToHex(lease.nonce1), nonce1ToHex(other)];
    const text = `this rig ignores nonce1: its hashes are right with ${wrong}, and it was given ${right}`;
    this.#parts.log.warn({ session: info, given: right, used: wrong }, 'a rig ignores its nonce1');
    this.#submitter.warnRig(text);
    return text;
  }

  #tooFast(): string {
    return `more than ${this.#parts.limits.messagesPerSecond} messages a second: ask for a higher difficulty`;
  }

  #emit(
    jobId: string,
    login: Login,
    outcome: 'accepted' | Rejection,
    detail: string,
    { spent, claimed }: Shown,
  ): void {
    this.#parts.events.emit('submit', {
      session: this.#submitter.info,
      ...login,
      jobId,
      outcome,
      detail,
      ...(spent && { spent }),
      ...(spent && outcome === 'accepted' && { difficulty: spent.difficulty }),
      ...(claimed !== undefined && { claimed }),
    });
  }
}
