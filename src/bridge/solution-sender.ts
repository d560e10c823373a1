/**
 * Posts solutions: at once, to the node that issued the work, again while an answer is missing and the work is live.
 *
 * A node forgets a work after one solution of it, good or bad. So only one solution of a work is under way at a time;
 * further ones wait for its answer, and are dropped when it was taken or the work is forgotten.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Job } from '../core/jobs/job.js';
import { faultOf, type Log } from '../core/names/log.js';
import type { Solution } from '../core/shares/share.js';
import { type DeadWorks, workKey } from './dead-works.js';
import type { BridgeEvents } from './events.js';
import type { SolutionAnswer, SolutionLog, SolutionSink, SolutionState, WorkSource } from './ports.js';

interface SolutionSenderParts {
  readonly sink: SolutionSink;
  readonly solutions: SolutionLog;
  /** Its work still stands: a solution of it may win. */
  isLive(job: Job): boolean;
  readonly deadWorks: DeadWorks;
  readonly source: WorkSource;
  readonly events: BridgeEvents;
  readonly log: Log;
  /** Milliseconds until the node's clock has surely reached the job's creation time: before that it would refuse the block. */
  untilReachedMs(job: Job): number;
  /** Pauses between posts of one solution; the last repeats. */
  readonly retryDelaysMs?: readonly number[];
}

const RETRY_DELAYS_MS = [50, 100, 200, 400, 800, 1600];
/**
 * Posts of one solution once its work is stale: its node may have seen less than we have, or we work for another since. With
 * the pauses above about a minute.
 */
const ATTEMPTS_WHEN_STALE = 40;
/** Solutions that wait behind one of the same work; on a network where this many come in an answer's time they are worthless. */
const MAX_WAITING = 64;

/** A node's answer to a solution of a work that it does not know (any more). */
const FORGOTTEN = 404;

interface LastWord {
  readonly state: SolutionState;
  readonly detail: string;
  /** The node will take no other solution of this work. */
  readonly isDead: boolean;
}

export class SolutionSender {
  readonly #parts: SolutionSenderParts;
  /** Node and payload -> solutions waiting behind the one under way. */
  readonly #waiting = new Map<string, Solution[]>();
  readonly #underWay = new Set<Promise<void>>();
  readonly #closing = new AbortController();

  constructor(parts: SolutionSenderParts) {
    this.#parts = parts;
  }

  /** Works with a solution that has no last word yet. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** Returns at once; the post is on its way when it does, unless the job's creation time is still to come. */
  send(solution: Solution): void {
    const key = workKey(solution.job.work, solution.job.node);
    const waiting = this.#waiting.get(key);
    if (this.#parts.deadWorks.has(solution.job) || (waiting && waiting.length >= MAX_WAITING)) {
      this.#parts.events.emit('solutionSuperseded', solution);
      return;
    }
    if (waiting) {
      waiting.push(solution);
      return;
    }
    this.#waiting.set(key, []);
    const settled = this.#settleAll(key, solution).catch((error: unknown) => {
      this.#waiting.delete(key);
      throw error;
    });
    this.#track(settled);
  }

  /** Gives posts under way their time, then stops trying. */
  async close(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(), graceMs);
    while (this.#underWay.size > 0) await Promise.allSettled(this.#underWay);
    clearTimeout(timer);
  }

  async #settleAll(key: string, first: Solution): Promise<void> {
    for (let next: Solution | undefined = first; next; next = this.#waiting.get(key)?.shift()) {
      const { isDead, state } = await this.#settle(next);
      if (!isDead) continue;
      this.#parts.deadWorks.add(next.job, state === 'received');
      break;
    }
    for (const late of this.#waiting.get(key) ?? []) this.#parts.events.emit('solutionSuperseded', late);
    // Before anything is awaited: what comes now is not to wait behind nobody.
    this.#waiting.delete(key);
  }

  /** Books that are slow or away delay neither the next post nor fresh work. */
  async #settle(solution: Solution): Promise<LastWord> {
    const answered = this.#postUntilAnswered(solution);
    this.#parts.events.emit('solutionFound', solution);
    this.#track(this.#recordBoth(solution, answered));
    const word = await answered;
    this.#parts.source.refresh(solution.job.work.chainId);
    this.#parts.events.emit('solutionSettled', solution, word.state, word.detail);
    return word;
  }

  async #recordBoth(solution: Solution, posted: Promise<LastWord>): Promise<void> {
    const found = this.#record(solution, 'found', '');
    const { state, detail } = await posted;
    // A ledger that keeps silent must not keep the last word from the disk.
    await Promise.all([found, this.#record(solution, state, detail)]);
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) =>
        this.#parts.log.error(faultOf(error), 'an unexpected error while a solution was settled'),
      )
      .finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #postUntilAnswered(solution: Solution): Promise<LastWord> {
    const delays = this.#parts.retryDelaysMs ?? RETRY_DELAYS_MS;
    const { untilReachedMs } = this.#parts;
    const { job } = solution;
    // A timer may be early, so it is looked at again.
    for (let ms = untilReachedMs(job); ms > 0 && !this.#closing.signal.aborted; ms = untilReachedMs(job)) {
      await this.#pause(Math.ceil(ms));
    }
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#parts.sink.postSolution(solution.job.node, solution.header);
      if (answer.outcome !== 'unanswered') return lastWord(answer, attempt);
      const live = this.#parts.isLive(solution.job);
      if (this.#closing.signal.aborted || (!live && attempt >= ATTEMPTS_WHEN_STALE)) {
        return { state: 'lost', detail: answer.error.message, isDead: false };
      }
      // A lost block, unless a later post arrives.
      this.#parts.log[attempt === 1 ? 'error' : 'warn'](
        { node: solution.job.node, attempt, error: answer.error.message },
        'a solution has no answer of its node, and is posted again',
      );
      await this.#pause(delays[Math.min(attempt, delays.length) - 1] ?? 0);
    }
  }

  async #pause(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#closing.signal }).catch(() => {}); // ended, which the loop sees
  }

  /** A book that is away must not keep a solution from its node, so its failure is told and not thrown. */
  async #record(solution: Solution, state: SolutionState, detail: string): Promise<void> {
    try {
      await this.#parts.solutions.recordSolution(solution, state, detail);
    } catch (error) {
      const fields = { jobId: solution.job.id, state, error: (error as Error).message };
      this.#parts.log.error(fields, 'a solution is not kept yet');
    }
  }
}

function lastWord(answer: Exclude<SolutionAnswer, { outcome: 'unanswered' }>, attempt: number): LastWord {
  if (answer.outcome === 'received') return { state: 'received', detail: '', isDead: true };
  const detail = `${answer.status} ${answer.text}`;
  if (answer.status !== FORGOTTEN) return { state: 'refused', detail, isDead: false };
  return { state: attempt > 1 || answer.isRepeated ? 'perhaps' : 'refused', detail, isDead: true };
}
