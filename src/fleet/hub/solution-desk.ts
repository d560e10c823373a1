/** Takes the solutions of fronts: each once, however often it is told, and says so when it is in the journal. */
import type { BridgeEvents } from '../../bridge/events.js';
import type { PlainAnswer, PlainSolution } from '../../bridge/fleet/ports.js';
import type { Posted } from '../../bridge/ports.js';
import { toHex } from '../../core/bytes/bytes.js';
import { NumberedJob } from '../../core/jobs/job.js';
import type { Solution } from '../../core/shares/share.js';
import { withNonce } from '../../core/work/header.js';
import { decodeWork } from '../../core/work/work.js';
import type { FrontPosts } from './front-posts.js';

export interface SolutionDeskParts {
  /** Posts it, and returns at once. */
  send(solution: Solution, posted: Posted): void;
  readonly events: Pick<BridgeEvents, 'on' | 'off'>;
  readonly posts: FrontPosts;
}

/** A front tells one again only while it waits for an answer. */
const MAX_KNOWN = 4096;

export class SolutionDesk {
  readonly #parts: SolutionDeskParts;
  /** By hash: resolved once it is kept, or was found for a work that another solution has solved. */
  readonly #known = new Map<string, Promise<void>>();
  readonly #waiting = new Map<Solution, () => void>();
  readonly #kept = (solution: Solution): void => this.#done(solution);

  constructor(parts: SolutionDeskParts) {
    this.#parts = parts;
    parts.events.on('solutionKept', this.#kept);
    parts.events.on('solutionSuperseded', this.#kept);
  }

  take(plain: PlainSolution): Promise<void> {
    const key = toHex(plain.powHash);
    const known = this.#known.get(key);
    if (known) return known;
    const solution = solutionOf(plain);
    const kept = new Promise<void>((resolve) => this.#waiting.set(solution, resolve));
    this.#known.set(key, kept);
    if (plain.posted === 'now') this.#parts.posts.expect(plain.powHash, solution.header);
    this.#parts.send(solution, plain.posted);
    this.#forget();
    return kept;
  }

  /** What the node said to a front's own post. */
  answered(powHash: Uint8Array, answer: PlainAnswer): void {
    this.#parts.posts.answered(powHash, answer);
  }

  close(): void {
    this.#parts.posts.close();
    this.#parts.events.off('solutionKept', this.#kept);
    this.#parts.events.off('solutionSuperseded', this.#kept);
  }

  #done(solution: Solution): void {
    this.#waiting.get(solution)?.();
    this.#waiting.delete(solution);
  }

  #forget(): void {
    const [oldest] = this.#known.keys();
    if (this.#known.size > MAX_KNOWN && oldest !== undefined) this.#known.delete(oldest);
  }
}

/** Throws WorkFormatError. */
function solutionOf(plain: PlainSolution): Solution {
  const { work, job, nonce, powHash, account, rig, foundAtMs } = plain;
  const { bytes, node } = work;
  const found = new NumberedJob(decodeWork(bytes), node, job.number, job.group, job.clean, job.time);
  const header = withNonce(found.header, nonce);
  return { job: found, header, nonce, powHash, account, rig, foundAtMs };
}
