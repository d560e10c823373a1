/** Solutions on their way to the hub: each is told again until the hub has it for good. */
import { setTimeout as pause } from 'node:timers/promises';
import { workKey } from '../../bridge/dead-works.js';
import type { HubDesk, PlainAnswer, PlainSolution } from '../../bridge/fleet/ports.js';
import type { Posted, SolutionAnswer, SolutionSink } from '../../bridge/ports.js';
import type { Job } from '../../core/jobs/job.js';
import type { Log } from '../../core/names/log.js';
import type { Solution } from '../../core/shares/share.js';
import { creationTimeOf } from '../../core/work/header.js';
import { encodeWork } from '../../core/work/work.js';

export interface SolutionsOutParts {
  readonly desk: Pick<HubDesk, 'takeSolution' | 'answered'>;
  /** This front's own connections to the nodes. */
  readonly sink: SolutionSink & { has(node: string): boolean };
  /** Milliseconds until the node's clock has surely reached the job's creation time: before that it would refuse the block. */
  untilReachedMs(job: Job): number;
  /** Writes down all that the hub has not taken, for the next start after a crash. */
  keep(solutions: readonly PlainSolution[]): Promise<void>;
  readonly log: Log;
}

const AGAIN_MS = 200;
/** More works than are alive at a time. */
const MAX_POSTED = 1024;

export class SolutionsOut {
  readonly #parts: SolutionsOutParts;
  readonly #waiting = new Set<PlainSolution>();
  /** Works of which one was posted. */
  readonly #posted = new Set<string>();
  /** What nodes said to those that were posted from here. */
  readonly #answers = new WeakMap<PlainSolution, PlainAnswer>();
  readonly #closing = new AbortController();
  /** More has changed than is written down, or being so. */
  #isStale = false;
  #writing: Promise<void> | undefined;

  constructor(parts: SolutionsOutParts) {
    this.#parts = parts;
  }

  /** Returns at once; it is on its way when it does, unless the job's creation time is still to come. */
  send(solution: Solution): void {
    const untilMs = this.#parts.untilReachedMs(solution.job);
    if (untilMs <= 0) {
      this.#post(solution);
      return;
    }
    const plain = plainSolution(solution, 'no');
    this.#waiting.add(plain);
    this.#keep();
    // A timer may be early, so it is looked at again.
    setTimeout(() => {
      this.#waiting.delete(plain);
      this.send(solution);
    }, Math.ceil(untilMs));
  }

  /** One of an earlier start, too. */
  tell(solution: PlainSolution): void {
    this.#waiting.add(solution);
    this.#keep();
    void this.#untilTaken(solution);
  }

  /** The first of a work goes to its node from here: by way of the hub it would wait for what the hub does just now. */
  #post(solution: Solution): void {
    const { job, header, powHash } = solution;
    const { sink, desk } = this.#parts;
    const isPosted = sink.has(job.node) && this.#isFirstOf(solution);
    const answer = isPosted ? sink.postSolution(job.node, header) : undefined;
    const plain = plainSolution(solution, isPosted ? 'now' : 'no');
    this.tell(plain);
    void answer?.then((given) => {
      const told = plainAnswer(given);
      this.#answers.set(plain, told);
      desk.answered(powHash, told);
    });
  }

  /** A node forgets a work after one solution of it: which of several counts, the hub decides. */
  #isFirstOf({ job: { work, node } }: Solution): boolean {
    const key = workKey(work, node);
    if (this.#posted.has(key)) return false;
    this.#posted.add(key);
    const [oldest] = this.#posted;
    if (this.#posted.size > MAX_POSTED && oldest !== undefined) this.#posted.delete(oldest);
    return true;
  }

  /** Gives those under way so long; those that the hub has not taken then are written down when it resolves. */
  async close(graceMs: number): Promise<void> {
    const untilMs = performance.now() + graceMs;
    while (this.#waiting.size > 0 && performance.now() < untilMs) await pause(20);
    this.#closing.abort();
    await this.#writing;
  }

  /** One write at a time: what changes meanwhile goes with the next. */
  #keep(): void {
    this.#isStale = true;
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    while (this.#isStale) {
      this.#isStale = false;
      await this.#parts.keep([...this.#waiting]).catch((error: Error) => {
        const words = 'solutions that the hub has not taken cannot be written down';
        this.#parts.log.error({ error: error.message }, words);
      });
    }
    this.#writing = undefined;
  }

  async #untilTaken(solution: PlainSolution): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        const taken = this.#parts.desk.takeSolution(solution);
        // It may have come while there was no hub to hear it.
        const answer = this.#answers.get(solution);
        if (answer) this.#parts.desk.answered(solution.powHash, answer);
        await taken;
        this.#waiting.delete(solution);
        this.#keep();
        return;
      } catch (error) {
        const fields = { error: (error as Error).message };
        this.#parts.log.warn(fields, 'the hub has not taken a solution yet; it is told again');
      }
      await pause(AGAIN_MS, undefined, { signal }).catch(() => {}); // who closes has it
    }
  }
}

function plainSolution(
  { job, nonce, powHash, account, rig, foundAtMs }: Solution,
  posted: Posted,
): PlainSolution {
  const { number, group, clean, node, header, work } = job;
  return {
    work: { bytes: encodeWork(work), node },
    job: { number, group, clean, time: creationTimeOf(header) },
    ...{ posted, nonce, powHash, account, rig, foundAtMs },
  };
}

function plainAnswer(answer: SolutionAnswer): PlainAnswer {
  return answer.outcome === 'unanswered' ? { ...answer, error: answer.error.message } : answer;
}
