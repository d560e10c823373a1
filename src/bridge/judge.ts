/** Submit in, verdict out. Everything that decides happens before the first await. */
import type { Job, JobBook } from '../core/jobs/job.js';
import { composeHigh, composeLow, type NonceHalves } from '../core/jobs/nonce.js';
import type { Staleness } from '../core/jobs/staleness.js';
import type { Rejection } from '../core/shares/rejections.js';
import {
  HashedSubmit,
  isShare,
  type Refusal,
  type Share,
  type Solution,
  type Verdict,
} from '../core/shares/share.js';
import {
  type Difficulty,
  difficultyOf,
  type Target,
  targetFromBytes,
  targetToHexBigEndian,
} from '../core/work/target.js';
import type { Clock, Judge, ShareLog, ShareWaiter, Submit } from './ports.js';

interface JudgeParts {
  readonly book: JobBook;
  readonly shares: ShareLog;
  /** Takes a solution and returns at once. */
  readonly sendSolution: (solution: Solution) => void;
  readonly clock: Clock;
}

export function createJudge(parts: JudgeParts): Judge {
  const judging = { ...parts, priceOf: rememberedDifficulties() };
  return { judge: (submit) => judge(judging, submit) };
}

/** For who has time to wait for it. */
export function verdictOn(judge: Judge, submit: Omit<Submit, 'settled'>): Promise<Verdict> {
  return new Promise((resolve) => {
    const verdict = judge.judge({ ...submit, settled: resolve });
    if (verdict) resolve(verdict);
  });
}

interface Judging extends JudgeParts {
  priceOf(target: Target): Difficulty;
}

/** The same few targets come with every submit, and dividing 257 bits takes as long as hashing. */
function rememberedDifficulties(): (target: Target) => Difficulty {
  const known = new WeakMap<Target, Difficulty>();
  return (target) => {
    const remembered = known.get(target);
    if (remembered !== undefined) return remembered;
    const difficulty = difficultyOf(target);
    known.set(target, difficulty);
    return difficulty;
  };
}

function judge(parts: Judging, submit: Submit): Verdict | undefined {
  const found = parts.book.find(submit.jobId);
  if (found.state === 'unknown') return rejected('unknownJob', `no job ${submit.jobId}`);
  const { job } = found;
  const shareTarget = submit.shareTargetOf(job);
  const { nonce1, nonce2 } = submit;
  const hashed = new HashedSubmit(job, composeLow(nonce1, nonce2), composeHigh(nonce2));
  // A solution goes to the node even when nobody can be credited for it.
  if (!shareTarget && !hashed.solves) return notIssued(job);
  if (submit.onlySolutions && !hashed.solves) return rejected('tryAgain', 'only a solution is taken now');
  if (shareTarget && !isShare(hashed, shareTarget)) {
    return claiming(parts, shareTarget, rejected('lowDifficulty', explainLow(hashed, shareTarget)));
  }
  const reservation = parts.book.reserve(job, hashed, hashed.solves);
  if (reservation === 'duplicate')
    return claiming(parts, shareTarget, rejected('duplicate', 'this nonce was submitted before'));
  // Never so of a solution.
  if (reservation === 'full') {
    const detail = `job ${job.id} has all the shares it can hold`;
    return claiming(parts, shareTarget, rejected('tryAgain', detail));
  }
  const solution = hashed.solves ? solutionOf(parts.clock, submit, job, hashed) : undefined;
  if (solution) parts.sendSolution(solution);
  if (!shareTarget) return notIssued(job, solution);
  if (found.state === 'stale') {
    const spent = { chainId: job.work.chainId, difficulty: parts.priceOf(shareTarget) };
    const stale = rejected('stale', WHY_STALE[found.because](job), solution);
    return claiming(parts, shareTarget, { ...stale, spent });
  }
  const share = shareOf(parts, submit, job, shareTarget);
  const { reached } = hashed;
  parts.shares.append(share, reached, new Credit(parts, submit, job, hashed, share, reached, solution));
  return undefined;
}

/** A submit that meets its target, while its share is made durable. */
class Credit implements ShareWaiter, NonceHalves {
  readonly #parts: Judging;
  readonly #submit: Submit;
  readonly #job: Job;
  /** The nonce: the hash itself need not wait. */
  readonly low: number;
  readonly high: number;
  readonly #share: Share;
  readonly #reached: number;
  readonly #solution: Solution | undefined;

  constructor(
    parts: Judging,
    submit: Submit,
    job: Job,
    { low, high }: NonceHalves,
    share: Share,
    reached: number,
    solution: Solution | undefined,
  ) {
    this.#parts = parts;
    this.#submit = submit;
    this.#job = job;
    this.low = low;
    this.high = high;
    this.#share = share;
    this.#reached = reached;
    this.#solution = solution;
  }

  kept(): void {
    const [share, reached, solution] = [this.#share, this.#reached, this.#solution];
    this.#submit.settled(
      solution ? { accepted: true, share, reached, solution } : { accepted: true, share, reached },
    );
  }

  lost(error: Error): void {
    this.#parts.book.unreserve(this.#job, this);
    const refusal = rejected('tryAgain', `the share could not be kept: ${error.message}`, this.#solution);
    this.#submit.settled({ ...refusal, claimed: this.#share.difficulty });
  }
}

function shareOf({ clock, priceOf }: Judging, submit: Submit, job: Job, shareTarget: Target): Share {
  return {
    account: submit.account,
    rig: submit.rig,
    jobId: job.id,
    chainId: job.work.chainId,
    height: job.work.fields.height,
    difficulty: priceOf(shareTarget),
    blockDifficulty: priceOf(job.blockTarget),
    acceptedAtMs: clock.nowMs(),
  };
}

function solutionOf(clock: Clock, submit: Submit, job: Job, hashed: HashedSubmit): Solution {
  const { header, powHash, nonce } = hashed;
  const { account, rig } = submit;
  return { job, header, nonce, powHash, account, rig, foundAtMs: clock.nowMs() };
}

const WHY_STALE: Readonly<Record<Staleness, (job: Job) => string>> = {
  cut: ({ id }) => `the chain has moved on since job ${id}`,
  givenUp: ({ id, work }) => `chain ${work.chainId} of job ${id} is not mined here any more`,
  pushedOut: ({ id }) => `job ${id} is too old: newer jobs of its chain have taken its place`,
};

function notIssued(job: Job, solution?: Solution): Verdict {
  return rejected('unknownJob', `job ${job.id} was not issued to this session`, solution);
}

/** With what the submit would have been credited, where it was issued a target. */
function claiming(parts: Judging, shareTarget: Target | undefined, refusal: Refusal): Refusal {
  return shareTarget ? { ...refusal, claimed: parts.priceOf(shareTarget) } : refusal;
}

function rejected(reason: Rejection, detail: string, solution?: Solution): Refusal {
  return solution ? { accepted: false, reason, detail, solution } : { accepted: false, reason, detail };
}

function explainLow(hashed: HashedSubmit, shareTarget: Target): string {
  const hash = targetToHexBigEndian(targetFromBytes(hashed.powHash));
  return `hash ${hash} is above the share target ${targetToHexBigEndian(shareTarget)}`;
}
