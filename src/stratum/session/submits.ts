/** The submits of one session: judged, answered, counted. */
import type { SessionInfo } from '../../bridge/events.js';
import type { Submit } from '../../bridge/ports.js';
import { type Job, jobNumberOf } from '../../core/jobs/job.js';
import { type Nonce1, type Nonce2, nonce1ToHex } from '../../core/jobs/nonce.js';
import { NOBODY } from '../../core/names/names.js';
import type { Rejection } from '../../core/shares/rejections.js';
import type { Acceptance, Refusal, Verdict } from '../../core/shares/share.js';
import type { Target } from '../../core/work/target.js';
import { codeOfRejection } from '../../wire/errors.js';
import type { RequestId } from '../../wire/json.js';
import type { SubmitRequest } from '../../wire/messages.js';
import type { Login } from '../admission/accounts.js';
import type { Address } from '../admission/address.js';
import { SlidingCount } from '../admission/budgets.js';
import type { Violation } from '../admission/violations.js';
import { effectiveTarget, type Issue } from '../resume/issued-targets.js';
import type { Lease } from '../resume/nonce-leases.js';
import type { Resumption } from '../resume/resumption.js';
import type { Logins } from './logins.js';
import { type Suspect, turnedIn } from './nonce-detective.js';
import type { Replies } from './replies.js';
import type { SessionParts } from './session-parts.js';
import type { SubmitResults } from './submit-results.js';

/** What a session's submits need of it. */
export interface Submitter {
  readonly info: SessionInfo;
  readonly address: Address;
  violated(login: Login, violation: Violation): void;
  failed(error: unknown): void;
  hint(text: string): void;
}

/** What a session is made of, so far as submits need it. */
interface SubmitParts {
  readonly replies: Replies;
  readonly resumption: Resumption;
  readonly logins: Logins;
  readonly results: SubmitResults;
}

/** Low-difficulty submits, without a good one, after which another nonce1 is looked for. */
const SUSPICIOUS = [3, 30, 300];
const SUSPECTS = 3;
/** Of a login that is nobody's. */
const SHOWN_CHARACTERS = 100;
/** Faults of the rig; a late submit is none. */
const FAULTS: ReadonlySet<Rejection> = new Set<Rejection>([
  'lowDifficulty',
  'duplicate',
  'malformed',
  'unknownJob',
]);

/** What a submit shows of the work behind it. */
type Shown = Pick<Refusal, 'spent' | 'claimed'> & { readonly reached?: number };

/** Where the verdict on a claim goes. */
interface ClaimJudge {
  conclude(claim: Claim, verdict: Verdict): void;
}

/** A submit on its way to a verdict, under one of the nonce1 that its job was issued with: all that is made of it. */
class Claim implements Submit {
  readonly request: SubmitRequest;
  readonly readAtMs: number;
  readonly issue: Issue;
  /** Absent: nobody can be credited. */
  readonly login: Login | undefined;
  /** The rig's limit that it is past: it is paid for a solution alone. */
  readonly past: string | undefined;
  /** Once it is found. */
  job: Job | undefined;
  readonly #judge: ClaimJudge;

  constructor(
    judge: ClaimJudge,
    { request, readAtMs }: Read,
    issue: Issue,
    login: Login | undefined,
    past: string | undefined,
  ) {
    this.#judge = judge;
    this.request = request;
    this.readAtMs = readAtMs;
    this.issue = issue;
    this.login = login;
    this.past = past;
  }

  get jobId(): string {
    return this.request.jobId;
  }

  get nonce1(): Nonce1 {
    return this.issue.lease.nonce1;
  }

  get nonce2(): Nonce2 {
    return this.request.nonce2;
  }

  get account(): string {
    return (this.login ?? NOBODY).account;
  }

  get rig(): string {
    return (this.login ?? NOBODY).rig;
  }

  get onlySolutions(): boolean {
    return this.past !== undefined;
  }

  shareTargetOf(job: Job): Target | undefined {
    this.job = job;
    const { lease, own } = this.issue;
    return this.login && own && job.group === lease.group ? effectiveTarget(own, job) : undefined;
  }

  settled(verdict: Verdict): void {
    this.#judge.conclude(this, verdict);
  }
}

/** A submit, and when it was read, on the clock of the session. */
interface Read {
  readonly request: SubmitRequest;
  readonly readAtMs: number;
}

export class Submits implements ClaimJudge {
  readonly #parts: SessionParts;
  readonly #replies: Replies;
  readonly #resumption: Resumption;
  readonly #logins: Logins;
  readonly #results: SubmitResults;
  readonly #submitter: Submitter;
  readonly #wrong: SlidingCount;
  readonly #good: SlidingCount;
  readonly #suspects: Suspect[] = [];
  #lowInARow = 0;
  #pending = 0;

  constructor(parts: SessionParts, own: SubmitParts, submitter: Submitter) {
    const { invalidSubmits, invalidWindowMs } = parts.rules.limits;
    this.#parts = parts;
    this.#replies = own.replies;
    this.#resumption = own.resumption;
    this.#logins = own.logins;
    this.#results = own.results;
    this.#submitter = submitter;
    this.#wrong = new SlidingCount(invalidSubmits, invalidWindowMs);
    this.#good = new SlidingCount(Number.POSITIVE_INFINITY, invalidWindowMs);
  }

  /** Submits without a verdict. */
  get pending(): number {
    return this.#pending;
  }

  /** @param tooFast the rig is past its rate: it is paid for nothing now but a solution. */
  take(request: SubmitRequest, tooFast: boolean): void {
    const read = { request, readAtMs: this.#parts.clock.nowMs() };
    const issues = this.#resumption.issuesAt(jobNumberOf(request.jobId));
    if (issues) this.#judge(read, issues, this.#limitPast(tooFast));
    else this.#reject(read, 'notSubscribed', 'mining.subscribe must come before mining.submit');
  }

  /** A submit that could not be read. */
  malformed(id: RequestId, login: Login, detail: string): void {
    this.#replies.refuse(id, false, codeOfRejection('malformed'), detail);
    this.#emit('', login, 'malformed', detail, {});
    this.#results.refused('malformed', detail);
    this.#count(login, 'malformed', detail);
  }

  #judge(read: Read, issues: readonly Issue[], past: string | undefined): void {
    const login = this.#logins.find(read.request.login);
    for (const issue of issues) {
      const claim = new Claim(this, read, issue, login, past);
      const verdict = this.#parts.judge.judge(claim);
      // Which of its nonce1 a rig has used shows in the hash alone.
      if (verdict && claim.job && issue !== issues.at(-1) && isNoHash(verdict, past)) continue;
      if (verdict) this.#conclude(claim, verdict);
      else this.#pending++;
      return;
    }
  }

  /** The verdict on a claim that has waited for it. Never throws. */
  conclude(claim: Claim, verdict: Verdict): void {
    this.#pending--;
    try {
      this.#conclude(claim, verdict);
    } catch (error) {
      this.#submitter.failed(error);
    }
  }

  #conclude(claim: Claim, verdict: Verdict): void {
    const { request, login, past, job } = claim;
    if (verdict.accepted) {
      if (login) this.#accept(claim, login, verdict);
    } else if (!login) {
      this.#reject(
        claim,
        'unauthorized',
        `${request.login.slice(0, SHOWN_CHARACTERS)} is not authorized on this connection`,
      );
    } else if (past !== undefined && !isOfSolution(verdict)) this.#reject(claim, 'tryAgain', past);
    else if (verdict.reason === 'lowDifficulty' && job) this.#refuseLow(claim, verdict, job);
    else this.#reject(claim, verdict.reason, verdict.detail, verdict);
  }

  /** When all hashes are wrong and right with another nonce1, the rig ignores its own: that is worth saying. */
  #refuseLow(claim: Claim, refusal: Refusal, job: Job): void {
    const { request } = claim;
    const { lease, own } = claim.issue;
    const { reason, detail } = refusal;
    if (own) this.#suspects.push({ job, nonce2: request.nonce2, target: effectiveTarget(own, job) });
    if (this.#suspects.length > SUSPECTS) this.#suspects.shift();
    if (!own || !SUSPICIOUS.includes(++this.#lowInARow)) {
      this.#reject(claim, reason, detail, refusal);
      return;
    }
    const turned = turnedIn(this.#suspects, lease.nonce1);
    if (turned) this.#reject(claim, reason, this.#turns(turned), refusal);
    else {
      this.#pending++;
      this.#search()
        .then((used) => {
          this.#pending--;
          const ignores =
            used === undefined || used === lease.nonce1 ? undefined : this.#ignores(lease, used);
          this.#reject(claim, reason, ignores ?? detail, refusal);
        })
        .catch((error) => this.#submitter.failed(error));
    }
  }

  #search(): Promise<Nonce1 | undefined> {
    const { detective, clock } = this.#parts;
    return detective.search([...this.#suspects], this.#submitter.address.key, clock.nowMs());
  }

  #ignores(lease: Lease, used: Nonce1): string {
    const [right, wrong] = [nonce1ToHex(lease.nonce1), nonce1ToHex(used)];
    const text = `this rig ignores nonce1: its hashes are right with ${wrong}, and it was given ${right}`;
    const session = this.#submitter.info;
    this.#parts.log.warn({ session, given: right, used: wrong }, 'a rig ignores its nonce1');
    this.#submitter.hint(text);
    return text;
  }

  #turns(parts: string): string {
    const text = `this rig has the bytes of ${parts} the other way round than stratum.agents says of its agent`;
    this.#parts.log.warn({ session: this.#submitter.info, parts }, 'a rig turns its nonces around');
    this.#submitter.hint(text);
    return text;
  }

  #accept({ request, readAtMs, job }: Claim, login: Login, acceptance: Acceptance): void {
    const { share, reached } = acceptance;
    this.#lowInARow = 0;
    this.#suspects.length = 0;
    const nowMs = this.#parts.clock.nowMs();
    this.#good.add(nowMs);
    this.#replies.answer(request.id, true);
    this.#results.credited(login, acceptance, job);
    this.#emit(request.jobId, login, 'accepted', '', { spent: share, reached }, nowMs - readAtMs);
  }

  #reject({ request, readAtMs }: Read, reason: Rejection, detail: string, shown: Shown = {}): void {
    const login = this.#logins.find(request.login) ?? NOBODY;
    this.#replies.refuse(request.id, false, codeOfRejection(reason), detail);
    this.#emit(request.jobId, login, reason, detail, shown, this.#parts.clock.nowMs() - readAtMs);
    this.#results.refused(reason, detail);
    this.#count(login, reason, detail);
  }

  #count(login: Login, reason: Rejection, detail: string): void {
    if (!FAULTS.has(reason)) return;
    const nowMs = this.#parts.clock.nowMs();
    const isTolerable = this.#wrong.add(nowMs);
    const wrong = this.#wrong.count(nowMs);
    if (isTolerable || wrong <= this.#good.count(nowMs)) return;
    const why = `more than ${this.#wrong.max} wrong submits; the last: ${detail}`;
    this.#submitter.violated(login, { reason: why, wrong });
  }

  /** As a sentence. */
  #limitPast(tooFast: boolean): string | undefined {
    const { messagesPerSecond, pendingSubmits } = this.#parts.rules.limits;
    if (tooFast) return `more than ${messagesPerSecond} messages a second: ask for a higher difficulty`;
    return this.#pending < pendingSubmits
      ? undefined
      : `${pendingSubmits} submits already wait for an answer`;
  }

  #emit(
    jobId: string,
    login: Login,
    outcome: 'accepted' | Rejection,
    detail: string,
    { spent, claimed, reached }: Shown,
    tookMs?: number,
  ): void {
    this.#parts.events.emit('submit', {
      session: this.#submitter.info,
      account: login.account,
      rig: login.rig,
      jobId,
      outcome,
      detail,
      spent,
      difficulty: outcome === 'accepted' ? spent?.difficulty : undefined,
      claimed,
      reached,
      tookMs,
    });
  }
}

/** Of a rig past its limit nothing but solutions gets so far that it could be a duplicate. */
function isOfSolution({ reason, solution }: Refusal): boolean {
  return solution !== undefined || reason === 'duplicate';
}

/** Neither share nor solution under this nonce1. */
function isNoHash(verdict: Verdict, past: string | undefined): boolean {
  if (verdict.accepted || isOfSolution(verdict)) return false;
  return past !== undefined || verdict.reason === 'lowDifficulty' || verdict.reason === 'unknownJob';
}
