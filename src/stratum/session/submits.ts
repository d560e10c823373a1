/** The submits of a session: judged, answered, counted. */
import type { Submit } from '../../bridge/ports.js';
import { type Job, jobNumberOf } from '../../core/jobs/job.js';
import type { Nonce1, Nonce2 } from '../../core/jobs/nonce.js';
import { NOBODY } from '../../core/names/names.js';
import type { Rejection } from '../../core/shares/rejections.js';
import type { Acceptance, Refusal, Verdict } from '../../core/shares/share.js';
import type { Target } from '../../core/work/target.js';
import { codeOfRejection } from '../../wire/errors.js';
import type { RequestId } from '../../wire/json.js';
import type { SubmitRequest } from '../../wire/messages.js';
import type { Login } from '../admission/accounts.js';
import { effectiveTarget, type Issue } from '../resume/issued-targets.js';
import type { RigRecord } from '../resume/rig-record.js';
import type { Session } from './session.js';
import { suspect } from './suspicion.js';

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

/** A submit, and when it was read, on the clock of the session. */
interface Read {
  readonly request: SubmitRequest;
  readonly readAtMs: number;
}

/** A submit on its way to a verdict, under one of the nonce1 that its job was issued with: all that is made of it. */
class Claim implements Submit, Read {
  readonly session: Session;
  readonly request: SubmitRequest;
  readonly readAtMs: number;
  readonly issue: Issue;
  /** Absent: nobody can be credited. */
  readonly login: Login | undefined;
  /** The rig's limit that it is past: it is paid for a solution alone. */
  readonly past: string | undefined;
  /** Once it is found. */
  job: Job | undefined;

  constructor(
    session: Session,
    { request, readAtMs }: Read,
    issue: Issue,
    login: Login | undefined,
    past: string | undefined,
  ) {
    this.session = session;
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
    this.session.submits.pending--;
    try {
      conclude(this, verdict);
    } catch (error) {
      this.session.failed(error);
    }
  }
}

/** @param tooFast the rig is past its rate: it is paid for nothing now but a solution. */
export function submit(session: Session, request: SubmitRequest, tooFast: boolean): void {
  const { feed, self, resumable, shared } = session;
  feed.submitted();
  const read = { request: self.submitted(request), readAtMs: shared.clock.nowMs() };
  const issues = resumable.issuesAt(jobNumberOf(request.jobId));
  if (issues) judge(session, read, issues, limitPast(session, tooFast));
  else reject(session, read, 'notSubscribed', 'mining.subscribe must come before mining.submit');
}

/** A submit that could not be read. */
export function refuseMalformed(session: Session, id: RequestId, login: Login, detail: string): void {
  session.refuse(id, false, codeOfRejection('malformed'), detail);
  emit(session, '', login, 'malformed', detail, {});
  countRefused(session, login, 'malformed', detail);
}

function judge(session: Session, read: Read, issues: readonly Issue[], past: string | undefined): void {
  const login = session.authorized.find(read.request.login);
  for (const issue of issues) {
    const claim = new Claim(session, read, issue, login, past);
    const verdict = session.shared.judge.judge(claim);
    // Which of its nonce1 a rig has used shows in the hash alone.
    if (verdict && claim.job && issue !== issues.at(-1) && isNoHash(verdict, past)) continue;
    if (verdict) conclude(claim, verdict);
    else session.submits.pending++;
    return;
  }
}

function conclude(claim: Claim, verdict: Verdict): void {
  const { session, request, login, past, job } = claim;
  if (verdict.accepted) {
    if (login) accept(claim, login, verdict);
  } else if (!login) {
    const name = request.login.slice(0, SHOWN_CHARACTERS);
    reject(session, claim, 'unauthorized', `${name} is not authorized on this connection`);
  } else if (past !== undefined && !isOfSolution(verdict)) reject(session, claim, 'tryAgain', past);
  else if (verdict.reason === 'lowDifficulty' && job) refuseLow(claim, verdict, job);
  else reject(session, claim, verdict.reason, verdict.detail, verdict);
}

function refuseLow(claim: Claim, refusal: Refusal, job: Job): void {
  const { session, request, issue } = claim;
  const { reason, detail } = refusal;
  const why = suspect(session, issue, job, request.nonce2);
  if (!(why instanceof Promise)) {
    reject(session, claim, reason, why ?? detail, refusal);
    return;
  }
  session.submits.pending++;
  why
    .then((found) => {
      session.submits.pending--;
      reject(session, claim, reason, found ?? detail, refusal);
    })
    .catch((error) => session.failed(error));
}

function accept({ session, request, readAtMs, job }: Claim, login: Login, acceptance: Acceptance): void {
  const { submits, shared } = session;
  const { share, reached } = acceptance;
  submits.lowInARow = 0;
  submits.suspects = [];
  const nowMs = shared.clock.nowMs();
  submits.good.add(nowMs);
  session.answer(request.id, true);
  credit(session, login, acceptance, job, nowMs);
  emit(session, request.jobId, login, 'accepted', '', { spent: share, reached }, nowMs - readAtMs);
}

/** Told to all who count it: its resumable session, vardiff, its address, and the book of rigs. */
function credit(
  session: Session,
  login: Login,
  { share, reached }: Acceptance,
  job: Job | undefined,
  nowMs: number,
): void {
  const { resumable, feed, addressKey, openedAtMs: sinceMs } = session;
  const inForce = feed.difficultyInForce;
  session.hints.accepted();
  // What a rig has kept from before it came back comes all at once, and says nothing about its speed.
  if (inForce && job && feed.isSince(job)) resumable.shareTarget.share(share.difficulty, inForce, nowMs);
  const difficulty = Number(share.difficulty);
  resumable.credit(difficulty, reached, sinceMs, nowMs);
  const nextDifficulty = resumable.shareTarget.steeredDifficulty;
  const counted = { difficulty, reached, nextDifficulty, sinceMs, addressKey };
  session.shared.rigBook.share(recordOf(session, login), counted, nowMs);
  session.usage.mined(login, nowMs);
}

function recordOf({ submits, shared }: Session, login: Login): RigRecord {
  const known = submits.credited?.login === login ? submits.credited.record : undefined;
  // A share may be kept only after its session has ended, when the book may have forgotten the rig.
  if (known && (known.isListed || known.sessions.length > 0)) return known;
  const record = shared.rigBook.recordOf(login);
  submits.credited = { login, record };
  return record;
}

function reject(
  session: Session,
  { request, readAtMs }: Read,
  reason: Rejection,
  detail: string,
  shown: Shown = {},
): void {
  const login = session.authorized.find(request.login) ?? NOBODY;
  const tookMs = session.shared.clock.nowMs() - readAtMs;
  session.refuse(request.id, false, codeOfRejection(reason), detail);
  emit(session, request.jobId, login, reason, detail, shown, tookMs);
  countRefused(session, login, reason, detail);
}

function countRefused(session: Session, login: Login, reason: Rejection, detail: string): void {
  const { wrong, good } = session.submits;
  session.resumable.refuse(reason);
  session.hintRefused(reason, detail);
  if (!FAULTS.has(reason)) return;
  const nowMs = session.shared.clock.nowMs();
  const isTolerable = wrong.add(nowMs);
  const count = wrong.count(nowMs);
  if (isTolerable || count <= good.count(nowMs)) return;
  const why = `more than ${wrong.max} wrong submits; the last: ${detail}`;
  session.violated(login, { reason: why, wrong: count });
}

/** As a sentence. */
function limitPast({ submits, shared }: Session, tooFast: boolean): string | undefined {
  const { messagesPerSecond, pendingSubmits } = shared.rules.limits;
  if (tooFast) return `more than ${messagesPerSecond} messages a second: ask for a higher difficulty`;
  return submits.pending < pendingSubmits
    ? undefined
    : `${pendingSubmits} submits already wait for an answer`;
}

function emit(
  { shared, info }: Session,
  jobId: string,
  login: Login,
  outcome: 'accepted' | Rejection,
  detail: string,
  { spent, claimed, reached }: Shown,
  tookMs?: number,
): void {
  shared.events.emit('submit', {
    session: info,
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

/** Of a rig past its limit nothing but solutions gets so far that it could be a duplicate. */
function isOfSolution({ reason, solution }: Refusal): boolean {
  return solution !== undefined || reason === 'duplicate';
}

/** Neither share nor solution under this nonce1. */
function isNoHash(verdict: Verdict, past: string | undefined): boolean {
  if (verdict.accepted || isOfSolution(verdict)) return false;
  return past !== undefined || verdict.reason === 'lowDifficulty' || verdict.reason === 'unknownJob';
}
