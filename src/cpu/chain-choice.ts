/** Which of several chains' jobs to work on: stays on its chain until that is retired, then takes another live one. */
import type { Job } from '../core/jobs/job.js';

export class ChainChoice {
  readonly #newest = new Map<number, Job>();
  #current: Job | undefined;

  /** What to work on; `undefined` while no chain is live. */
  get current(): Job | undefined {
    return this.#current;
  }

  /** True when there is something else to work on now. */
  offer(job: Job): boolean {
    const { chainId } = job.work;
    this.#newest.set(chainId, job);
    if (this.#current && this.#current.work.chainId !== chainId) return false;
    this.#current = job;
    return true;
  }

  /** True when there is something else to work on now, or nothing. */
  retire(...chainIds: readonly number[]): boolean {
    for (const chainId of chainIds) this.#newest.delete(chainId);
    if (!this.#current || !chainIds.includes(this.#current.work.chainId)) return false;
    this.#current = [...this.#newest.values()].at(-1);
    return true;
  }
}
