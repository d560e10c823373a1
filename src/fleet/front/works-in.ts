/** Works as the hub tells them, for this front's own dispatcher: it numbers them itself. None before the front has its number. */
import type { FrontWorks, PlainWork } from '../../bridge/fleet/ports.js';
import type { WorkSink } from '../../bridge/ports.js';
import { decodeWork, type Work } from '../../core/work/work.js';
import { localMs } from '../channel/steady.js';

export interface WorksInParts {
  readonly sink: WorkSink;
  /** Its node handed it out so long ago. */
  aged(work: Work, ageMs: number): void;
  /** The number is this from now on: jobs to come are made by it. */
  moveTo(instance: number): void;
  /** All live works once more as clean jobs. */
  renewJobs(): void;
  booksClock(aheadMs: number): void;
}

export class WorksIn implements FrontWorks {
  readonly #parts: WorksInParts;
  /** Chain -> what came before there was a number; absent from then on. */
  #early: Map<number, { readonly work: Work; readonly node: string }> | undefined = new Map();
  #handsOut = new Set<number>();
  /** The number that jobs are made by. */
  instance: number | undefined;

  constructor(parts: WorksInParts) {
    this.#parts = parts;
  }

  mayBeginOn(chainId: number): boolean {
    return this.#handsOut.has(chainId);
  }

  offerWork({ bytes, node }: PlainWork, causedAtMs: number, ageMs: number): void {
    const work = decodeWork(bytes);
    this.#parts.aged(work, ageMs);
    if (this.#early) this.#early.set(work.chainId, { work, node });
    else this.#parts.sink.offerWork(work, node, localMs(causedAtMs));
  }

  retireWork(chainId: number, causedAtMs: number): void {
    if (this.#early) this.#early.delete(chainId);
    else this.#parts.sink.retireWork(chainId, localMs(causedAtMs));
  }

  replaceWorks(works: readonly PlainWork[], node: string, causedAtMs: number): void {
    const decoded = works.map(({ bytes }) => decodeWork(bytes));
    if (!this.#early) {
      this.#parts.sink.replaceWorks(decoded, node, localMs(causedAtMs));
      return;
    }
    this.#early.clear();
    for (const plain of works) this.offerWork(plain, causedAtMs, 0);
  }

  handsOut(chainIds: readonly number[]): void {
    this.#handsOut = new Set(chainIds);
  }

  number(instance: number): void {
    // Of a hub that has taken the front over, and knows no better.
    if (instance === this.instance) return;
    this.instance = instance;
    this.#parts.moveTo(instance);
    const early = this.#early;
    this.#early = undefined;
    if (!early) {
      this.#parts.renewJobs();
      return;
    }
    for (const { work, node } of early.values()) this.#parts.sink.offerWork(work, node, performance.now());
  }

  booksClock(aheadMs: number): void {
    this.#parts.booksClock(aheadMs);
  }
}
