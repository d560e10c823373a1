import { describe, expect, it } from 'vitest';
import { Dispatcher } from '../../src/bridge/dispatcher.js';
import { createBridgeEvents } from '../../src/bridge/events.js';
import { createJudge, verdictOn } from '../../src/bridge/judge.js';
import type { Submit } from '../../src/bridge/ports.js';
import { JOB_BOOK_LIMITS, type Job, JobBook } from '../../src/core/jobs/job.js';
import { composeNonce, halvesOf, type Nonce1, type Nonce2 } from '../../src/core/jobs/nonce.js';
import { hashSubmit, type Share, type Solution } from '../../src/core/shares/share.js';
import { difficultyOf, MAX_TARGET, type Target, targetOf } from '../../src/core/work/target.js';
import { logBy } from '../helpers/rigs/shares.js';
import { makeWork, type WorkOptions } from '../helpers/rigs/works.js';

const NONCE1 = 0x0123 as Nonce1;
const HARD = targetOf(1n << 200n);

interface SetUp {
  append?: (share: Share) => Promise<void>;
  noncesPerJob?: number;
  live?: number;
}

function setUp(options: SetUp = {}) {
  const { noncesPerJob = 1000, live = 1000 } = options;
  const book = new JobBook(1, { ...JOB_BOOK_LIMITS, noncesPerJob, live });
  const shares: Share[] = [];
  const solutions: Solution[] = [];
  const jobs: Job[] = [];
  const dispatcher = new Dispatcher(book, createBridgeEvents());
  dispatcher.addSink({ offerJob: (job) => jobs.push(job), retireChains: () => {} });
  const judge = createJudge({
    book,
    shares: logBy(options.append ?? (async (share) => void shares.push(share))),
    sendSolution: (solution) => solutions.push(solution),
    clock: { nowMs: () => 1000 },
  });
  const offer = (work: WorkOptions): Job => {
    dispatcher.offerWork(makeWork(work), 'node');
    return jobs.at(-1) ?? expect.fail('no job came');
  };
  const submit = (job: Job, nonce2: number, shareTarget: Target | undefined = MAX_TARGET) =>
    verdictOn(judge, submitOf(job.id, nonce2, shareTarget));
  return { book, dispatcher, shares, solutions, jobs, offer, submit, judge };
}

function submitOf(jobId: string, nonce2: number, shareTarget: Target | undefined): Omit<Submit, 'settled'> {
  const rest = { account: 'k:a', rig: 'r', shareTargetOf: () => shareTarget };
  return { jobId, nonce1: NONCE1, nonce2: nonce2 as Nonce2, ...rest };
}

describe('judge', () => {
  it('credits a share with the difficulty its job was issued with', async () => {
    const { offer, submit, shares } = setUp();
    const job = offer({ difficulty: 1n << 200n });
    const verdict = await submit(job, 1);
    expect(verdict.accepted).toBe(true);
    expect(shares).toEqual([
      {
        account: 'k:a',
        rig: 'r',
        jobId: job.id,
        chainId: 3,
        height: 7,
        difficulty: 1n,
        blockDifficulty: difficultyOf(job.blockTarget),
        acceptedAtMs: 1000,
      },
    ]);
  });

  it('sends a solution of a job that was never issued to its finder, and credits nobody', async () => {
    const { offer, judge, shares, solutions } = setUp();
    const job = offer({ difficulty: 1n });
    const verdict = await verdictOn(judge, submitOf(job.id, 1, undefined));
    expect(verdict).toMatchObject({ accepted: false, reason: 'unknownJob', solution: { job } });
    expect([shares.length, solutions.length]).toEqual([0, 1]);
    const hopeless = offer({ difficulty: 1n << 200n, parent: 2 });
    expect(await verdictOn(judge, submitOf(hopeless.id, 1, undefined))).toMatchObject({
      reason: 'unknownJob',
    });
    expect(solutions).toHaveLength(1);
  });

  it('refuses a hash above the share target, and says by how much', async () => {
    const { offer, submit, shares } = setUp();
    const verdict = await submit(offer({ difficulty: 1n << 200n }), 1, HARD);
    expect(verdict).toMatchObject({ accepted: false, reason: 'lowDifficulty' });
    expect(verdict.accepted === false && verdict.detail).toMatch(
      /^hash [0-9a-f]{64} is above the share target 0{50}/,
    );
    expect(shares).toEqual([]);
  });

  it('never refuses a solution as low difficulty, and sends it before the share is kept', async () => {
    const sentWhenKept: number[] = [];
    const parts = setUp({ append: async () => void sentWhenKept.push(parts.solutions.length) });
    const job = parts.offer({ difficulty: 1n });
    expect((await parts.submit(job, 9, HARD)).accepted).toBe(true);
    expect(sentWhenKept).toEqual([1]);
    const [solution] = parts.solutions;
    expect(solution?.nonce).toBe(composeNonce(NONCE1, 9 as Nonce2));
    expect(solution?.powHash).toEqual(hashSubmit(job, solution?.nonce ?? 0n).powHash);
  });

  it('takes one of two equal submits in flight', async () => {
    let keep: () => void = () => {};
    const { offer, submit } = setUp({ append: () => new Promise((resolve) => (keep = resolve)) });
    const job = offer({ difficulty: 1n << 200n });
    const first = submit(job, 5);
    const second = await submit(job, 5);
    keep();
    expect((await first).accepted).toBe(true);
    expect(second).toMatchObject({ accepted: false, reason: 'duplicate' });
  });

  it('lets a rig try again when the share could not be kept', async () => {
    let full = true;
    const { offer, submit } = setUp({
      append: async () => {
        if (full) throw new Error('disk full');
      },
    });
    const job = offer({ difficulty: 1n << 200n });
    expect(await submit(job, 5)).toMatchObject({ accepted: false, reason: 'tryAgain', detail: /disk full/ });
    full = false;
    expect((await submit(job, 5)).accepted).toBe(true);
  });

  it('keeps unknown, stale and not-issued jobs apart', async () => {
    const { offer, submit, judge } = setUp();
    const job = offer({ parent: 1, difficulty: 1n << 200n });
    expect(await verdictOn(judge, submitOf('beef', 1, MAX_TARGET))).toMatchObject({ reason: 'unknownJob' });
    expect(await verdictOn(judge, submitOf(job.id, 1, undefined))).toMatchObject({ reason: 'unknownJob' });
    offer({ parent: 2 });
    expect(await submit(job, 1)).toMatchObject({ accepted: false, reason: 'stale' });
  });

  it('tells what a rejected submit would have been credited, where its job is known', async () => {
    const { offer, submit, judge } = setUp({
      append: async () => {
        throw new Error('disk full');
      },
    });
    const claimed = difficultyOf(HARD);
    const job = offer({ parent: 1, difficulty: 1n << 250n });
    expect(await submit(job, 1, HARD)).toMatchObject({ reason: 'lowDifficulty', claimed });
    expect(await submit(job, 2)).toMatchObject({ reason: 'tryAgain', claimed: 1n });
    offer({ parent: 2 });
    expect(await submit(job, 3)).toMatchObject({ reason: 'stale', claimed: 1n });
    expect(await submit(job, 3)).toMatchObject({ reason: 'duplicate', claimed: 1n });
    expect(await verdictOn(judge, submitOf('beef', 1, MAX_TARGET))).not.toHaveProperty('claimed');
    expect(await verdictOn(judge, submitOf(job.id, 1, undefined))).not.toHaveProperty('claimed');
  });

  it('R16: sends and credits a solution of a job that holds no more shares', async () => {
    const { offer, submit, shares, solutions, book } = setUp({ noncesPerJob: 2 });
    const job = offer({ difficulty: 2n });
    const solves = (nonce2: number): boolean =>
      hashSubmit(job, composeNonce(NONCE1, nonce2 as Nonce2)).solves;
    const numbers = Array.from({ length: 100 }, (_, i) => i);
    for (const nonce of [-1n, -2n]) expect(book.reserve(job, halvesOf(nonce))).toBe('reserved');
    const [share = expect.fail()] = numbers.filter((n) => !solves(n));
    expect(await submit(job, share)).toMatchObject({ reason: 'tryAgain' });
    const [one = expect.fail(), two = expect.fail(), three = expect.fail()] = numbers.filter(solves);
    expect((await submit(job, one)).accepted).toBe(true);
    expect(await submit(job, one)).toMatchObject({ reason: 'duplicate' });
    expect((await submit(job, two)).accepted).toBe(true);
    // Nothing grows without end: what is forgotten is the oldest.
    expect((await submit(job, three)).accepted).toBe(true);
    expect(await submit(job, three)).toMatchObject({ reason: 'duplicate' });
    expect(await submit(job, one)).toMatchObject({ reason: 'duplicate' });
    expect(await submit(job, share)).toMatchObject({ reason: 'tryAgain' });
    expect([shares.length, solutions.length]).toEqual([3, 3]);
  });

  it('R7: says of a job that counts no more whether its chain has moved on, was given up, or has newer jobs', async () => {
    const { offer, submit, dispatcher } = setUp({ live: 1 });
    const hard = { difficulty: 1n << 200n };
    const pushedOut = offer({ ...hard, payload: 1 });
    const moved = offer({ ...hard, payload: 2 });
    const givenUp = offer({ ...hard, parent: 2 });
    const detailOf = async (job: Job): Promise<unknown> => {
      const verdict = await submit(job, 1);
      return verdict.accepted || [verdict.reason, verdict.detail];
    };
    dispatcher.retireWork(givenUp.work.chainId);
    expect([await detailOf(pushedOut), await detailOf(moved), await detailOf(givenUp)]).toEqual([
      ['stale', `job ${pushedOut.id} is too old: newer jobs of its chain have taken its place`],
      ['stale', `the chain has moved on since job ${moved.id}`],
      ['stale', `chain 3 of job ${givenUp.id} is not mined here any more`],
    ]);
  });

  it('R16: takes nothing but a solution where the submit may bring nothing else', async () => {
    const { offer, judge, shares, solutions } = setUp();
    const [easy, hard] = [offer({ difficulty: 1n }), offer({ difficulty: 1n << 200n, payload: 2 })];
    const only = (job: Job) => verdictOn(judge, { ...submitOf(job.id, 1, MAX_TARGET), onlySolutions: true });
    expect(await only(hard)).toMatchObject({ accepted: false, reason: 'tryAgain' });
    expect((await only(easy)).accepted).toBe(true);
    expect([shares.length, solutions.length]).toEqual([1, 1]);
    // What was refused was not counted as submitted.
    expect((await verdictOn(judge, submitOf(hard.id, 1, MAX_TARGET))).accepted).toBe(true);
  });

  it('sends a solution of a stale job all the same', async () => {
    const { offer, submit, solutions } = setUp();
    const job = offer({ parent: 1 });
    offer({ parent: 2 });
    expect(await submit(job, 1)).toMatchObject({ accepted: false, reason: 'stale' });
    expect(solutions).toHaveLength(1);
  });
});

describe('dispatcher', () => {
  it('makes no job of a work that only has a later time', () => {
    const { offer, jobs } = setUp();
    offer({ creationTime: 1_700_000_000_000_000n });
    offer({ creationTime: 1_700_000_000_000_009n });
    expect(jobs).toHaveLength(1);
  });

  it('R3: makes a clean job of a work whose neighbour was reorganised, and the earlier ones stale', async () => {
    const { offer, jobs, submit } = setUp();
    const before = offer({ adjacent: 1, difficulty: 1n << 200n });
    const after = offer({ adjacent: 9, difficulty: 1n << 200n });
    expect([jobs.length, after.clean]).toEqual([2, true]);
    expect(await submit(before, 1)).toMatchObject({ accepted: false, reason: 'stale' });
    expect((await submit(after, 1)).accepted).toBe(true);
  });

  it('R3: takes a work for new when any byte but time and nonce differs', () => {
    const { offer, jobs } = setUp();
    offer({ payload: 1 });
    const refreshed = offer({ payload: 1, height: 8 });
    expect([jobs.length, refreshed.clean]).toEqual([2, false]);
  });

  it('gives a late sink the newest job', () => {
    const book = new JobBook(1);
    const dispatcher = new Dispatcher(book, createBridgeEvents());
    dispatcher.offerWork(makeWork({ parent: 1 }), 'node');
    dispatcher.offerWork(makeWork({ parent: 2 }), 'node');
    const jobs: Job[] = [];
    dispatcher.addSink({ offerJob: (job) => jobs.push(job), retireChains: () => {} });
    expect(jobs.map((job) => job.id)).toEqual(['2']);
  });
});
