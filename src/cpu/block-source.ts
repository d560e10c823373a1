/**
 * Blocks without searching, for networks whose nodes take any nonce; what makes one is a wait, a tick, or a request. What
 * is sent skips the judge, which would find no proof of work; it is recorded and posted as any solution.
 *
 * Of each chain one block of the same parent is made: a refreshed work of it would make a sibling, which nodes take and
 * forget. A block that the node does not receive gives its parent back.
 */
import type { SolutionState } from '../bridge/ports.js';
import { bytesEqual } from '../core/bytes/bytes.js';
import type { Job } from '../core/jobs/job.js';
import { hashSubmit, type Solution } from '../core/shares/share.js';
import { CPU_RIG } from './cpu.js';
import type { Cpu, CpuOptions } from './options.js';

/** How a block ended. */
interface Settlement {
  readonly state: SolutionState;
  /** The node's words. */
  readonly detail: string;
}

export class BlockSource implements Cpu {
  readonly #options: CpuOptions;
  readonly #changed: () => void;
  readonly #stopped: () => void;
  /** The newest job of each chain that has no block yet, those that wait longest first. */
  readonly #free = new Map<number, Job>();
  /** The parent of the block made last of each chain, and the newest job with it that is live. */
  readonly #used = new Map<number, { readonly parent: Uint8Array; job: Job | undefined }>();
  readonly #sent = new Map<Solution, (settlement: Settlement) => void>();

  /** @param changed called when other jobs are free than before. @param stopped called at its end. */
  constructor(options: CpuOptions, changed: () => void, stopped: () => void) {
    this.#options = options;
    this.#changed = changed;
    this.#stopped = stopped;
    options.events.on('solutionSettled', this.#onSettled);
    options.events.on('solutionSuperseded', this.#onSuperseded);
  }

  offerJob(job: Job): void {
    const { chainId, fields } = job.work;
    const used = this.#used.get(chainId);
    if (used && bytesEqual(used.parent, fields.parent)) {
      used.job = job;
      return;
    }
    this.#free.set(chainId, job);
    this.#changed();
  }

  retireChains(chainIds: readonly number[]): void {
    for (const chainId of chainIds) {
      this.#free.delete(chainId);
      const used = this.#used.get(chainId);
      if (used) used.job = undefined;
    }
    this.#changed();
  }

  async close(): Promise<void> {
    this.#options.events.off('solutionSettled', this.#onSettled);
    this.#options.events.off('solutionSuperseded', this.#onSuperseded);
    this.#stopped();
    // A stop does not wait for a node: whoever sends the solution does that, and later.
    for (const settle of this.#sent.values())
      settle({ state: 'lost', detail: 'the bridge stops before it has an answer' });
    this.#sent.clear();
  }

  /** The first of these chains, or of all, that has a job without a block. */
  freeJob(chainIds: Iterable<number> = this.#free.keys()): Job | undefined {
    for (const chainId of chainIds) {
      const job = this.#free.get(chainId);
      if (job) return job;
    }
    return undefined;
  }

  /** Makes and sends a block of a free job, its work as it was given and its nonce zero. Never rejects. */
  make(job: Job): Promise<Settlement> {
    const { account, clock, send } = this.#options;
    const { chainId, fields } = job.work;
    this.#free.delete(chainId);
    this.#used.set(chainId, { parent: fields.parent, job });
    const solution: Solution = {
      job,
      header: job.header,
      nonce: 0n,
      powHash: hashSubmit(job, 0n).powHash,
      account,
      rig: CPU_RIG,
      foundAtMs: clock.nowMs(),
    };
    const settled = new Promise<Settlement>((resolve) => this.#sent.set(solution, resolve));
    send(solution);
    this.#changed();
    return settled;
  }

  readonly #onSettled = (solution: Solution, state: SolutionState, detail: string): void => {
    const settle = this.#sent.get(solution);
    if (!settle) return;
    this.#sent.delete(solution);
    settle({ state, detail });
    if (state !== 'received' && state !== 'perhaps') this.#giveBack(solution.job);
  };

  readonly #onSuperseded = (solution: Solution): void =>
    this.#onSettled(solution, 'refused', 'another solution of the same work came first');

  #giveBack({ work: { chainId, fields } }: Job): void {
    const used = this.#used.get(chainId);
    if (!used || !bytesEqual(used.parent, fields.parent)) return;
    this.#used.delete(chainId);
    if (used.job) this.offerJob(used.job);
  }
}
