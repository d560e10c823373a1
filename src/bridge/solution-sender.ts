/**
 * Posts solutions: at once, to the node that issued the work, again while an answer is missing and the work is live.
 *
 * A node forgets a work after one solution of it, good or bad. So only one solution of a work is under way at a time;
 * further ones wait for its answer, and are dropped when it was taken.
 */
import { toHex } from '../core/bytes.js';
import type { JobBook } from '../core/job.js';
import type { Log } from '../core/log.js';
import type { Solution } from '../core/share.js';
import type { BridgeEvents } from './events.js';
import type { SolutionAnswer, SolutionLog, SolutionSink, SolutionState, WorkSource } from './ports.js';

export interface SolutionSenderParts {
  readonly sink: SolutionSink;
  readonly solutions: SolutionLog;
  readonly book: JobBook;
  readonly source: WorkSource;
  readonly events: BridgeEvents;
  readonly log: Log;
  /** Pauses between posts of one solution; the last repeats. */
  readonly retryDelaysMs?: readonly number[];
}

const RETRY_DELAYS_MS = [50, 100, 200, 400, 800, 1600];
/** Posts of one solution once its work is stale: the node may have seen less than we have. */
const ATTEMPTS_WHEN_STALE = 3;
/** Solutions that wait behind one of the same work; on a network where this many come in an answer's time they are worthless. */
const MAX_WAITING = 64;
/** More works than can have submits under way. */
const MAX_SOLVED = 1024;

export class SolutionSender {
  readonly #parts: SolutionSenderParts;
  /** Node and payload -> solutions waiting behind the one under way. */
  readonly #waiting = new Map<string, Solution[]>();
  readonly #underWay = new Set<Promise<void>>();
  /** Works of which a node has taken a solution: it would answer another one with 404. Oldest first. */
  readonly #solved = new Set<string>();
  readonly #closing = new AbortController();

  constructor(parts: SolutionSenderParts) {
    this.#parts = parts;
  }

  /** Solutions without a last word. */
  get pending(): number {
    return this.#underWay.size;
  }

  /** Returns at once; the post is on its way when it does. */
  send(solution: Solution): void {
    const key = `${solution.job.node} ${toHex(solution.job.work.fields.payloadHash)}`;
    const waiting = this.#waiting.get(key);
    if (this.#solved.has(key) || (waiting && waiting.length >= MAX_WAITING)) {
      this.#parts.events.emit('solutionSuperseded', solution);
      return;
    }
    if (waiting) {
      waiting.push(solution);
      return;
    }
    this.#waiting.set(key, []);
    const settled = this.#settleAll(key, solution).finally(() => this.#underWay.delete(settled));
    this.#underWay.add(settled);
  }

  /** Gives posts under way their time, then stops trying. */
  async close(graceMs: number): Promise<void> {
    const timer = setTimeout(() => this.#closing.abort(), graceMs);
    await Promise.allSettled(this.#underWay);
    clearTimeout(timer);
  }

  async #settleAll(key: string, first: Solution): Promise<void> {
    for (let next: Solution | undefined = first; next; next = this.#waiting.get(key)?.shift()) {
      const state = await this.#settle(next);
      this.#parts.source.refresh();
      if (state !== 'received') continue;
      this.#rememberSolved(key);
      break;
    }
    for (const solution of this.#waiting.get(key) ?? [])
      this.#parts.events.emit('solutionSuperseded', solution);
    this.#waiting.delete(key);
  }

  #rememberSolved(key: string): void {
    this.#solved.add(key);
    const [oldest] = this.#solved;
    if (this.#solved.size > MAX_SOLVED && oldest) this.#solved.delete(oldest);
  }

  async #settle(solution: Solution): Promise<SolutionState> {
    const posted = this.#postUntilAnswered(solution);
    this.#parts.events.emit('solutionFound', solution);
    const recorded = this.#record(solution, 'found', '');
    const { state, detail } = await posted;
    await recorded;
    await this.#record(solution, state, detail);
    this.#parts.events.emit('solutionSettled', solution, state, detail);
    return state;
  }

  async #postUntilAnswered(solution: Solution): Promise<{ state: SolutionState; detail: string }> {
    const delays = this.#parts.retryDelaysMs ?? RETRY_DELAYS_MS;
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#parts.sink.postSolution(solution.job.node, solution.header);
      if (answer.outcome !== 'unanswered') return lastWord(answer, attempt);
      const live = this.#parts.book.find(solution.job.id).state === 'live';
      if (this.#closing.signal.aborted || (!live && attempt >= ATTEMPTS_WHEN_STALE)) {
        return { state: 'lost', detail: answer.error.message };
      }
      this.#parts.log.warn(
        { node: solution.job.node, attempt, error: answer.error.message },
        'solution unanswered',
      );
      await this.#pause(delays[Math.min(attempt, delays.length) - 1] ?? 0);
    }
  }

  async #pause(delayMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#closing.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, delayMs);
      this.#closing.signal.addEventListener('abort', done);
    });
  }

  /** A book that is away must not keep a solution from its node, so its failure is told and not thrown. */
  async #record(solution: Solution, state: SolutionState, detail: string): Promise<void> {
    try {
      await this.#parts.solutions.recordSolution(solution, state, detail);
    } catch (error) {
      const fields = { jobId: solution.job.id, state, error: (error as Error).message };
      this.#parts.log.error(fields, 'the ledger did not take a solution');
    }
  }
}

function lastWord(
  answer: Exclude<SolutionAnswer, { outcome: 'unanswered' }>,
  attempt: number,
): { state: SolutionState; detail: string } {
  if (answer.outcome === 'received') return { state: 'received', detail: '' };
  const forgotten = answer.status === 404 && attempt > 1;
  return { state: forgotten ? 'perhaps' : 'refused', detail: `${answer.status} ${answer.text}` };
}
