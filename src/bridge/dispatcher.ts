/** Work in, jobs out: numbers what a node hands out and gives it to every sink. */
import type { JobBook } from '../core/jobs/job.js';
import type { Work } from '../core/work/work.js';
import type { BridgeEvents } from './events.js';
import type { JobSink, WorkSink } from './ports.js';

interface DispatcherOptions {
  /** Milliseconds on the clock of `causedAtMs`, rising. */
  readonly now?: () => number;
  /** Creation time, microseconds since the epoch, of the first job of a work; by default the work's own. */
  readonly notBefore?: (work: Work) => bigint;
  /** Told of every work that a node hands out, also of one that is held already. */
  readonly handedOut?: (work: Work, node: string) => void;
}

export class Dispatcher implements WorkSink {
  readonly #book: JobBook;
  readonly #events: BridgeEvents;
  readonly #options: DispatcherOptions;
  readonly #sinks = new Set<JobSink>();

  constructor(book: JobBook, events: BridgeEvents, options: DispatcherOptions = {}) {
    this.#book = book;
    this.#events = events;
    this.#options = options;
  }

  /** From now on the sink gets every job, and at once the newest of each chain. */
  addSink(sink: JobSink): void {
    this.#sinks.add(sink);
    for (const job of this.#book.newestJobs) sink.offerJob(job);
  }

  /** The same work handed out once more by the same node is nothing new. */
  offerWork(work: Work, node: string, causedAtMs = this.#now()): void {
    this.#options.handedOut?.(work, node);
    if (!this.#book.holds(work, node)) this.#add(work, node, false, causedAtMs);
  }

  retireWork(chainId: number, causedAtMs = this.#now()): void {
    this.#retire([chainId], causedAtMs);
  }

  /** Jobs of the former node stay live where their cut still stands: shares of them count until the chain moves on. */
  replaceWorks(works: readonly Work[], node: string, causedAtMs = this.#now()): void {
    const gone = new Set(this.#book.newestJobs.map((job) => job.work.chainId));
    for (const work of works) {
      gone.delete(work.chainId);
      this.#options.handedOut?.(work, node);
      this.#add(work, node, true, causedAtMs);
    }
    if (gone.size > 0) this.#retire([...gone], causedAtMs);
  }

  /** The newest work of each chain once more, as a clean job: rigs are to leave those that they have at once. */
  renewJobs(causedAtMs = this.#now()): void {
    for (const { work, node } of this.#book.newestJobs) this.#add(work, node, true, causedAtMs);
  }

  #retire(chainIds: readonly number[], causedAtMs: number): void {
    for (const chainId of chainIds) this.#book.retire(chainId);
    for (const sink of this.#sinks) sink.retireChains(chainIds);
    this.#events.emit('chainsRetired', chainIds, this.#now() - causedAtMs);
  }

  #add(work: Work, node: string, clean: boolean, causedAtMs: number): void {
    const notBefore = this.#options.notBefore?.(work);
    const job = this.#book.add(work, node, notBefore === undefined ? { clean } : { clean, notBefore });
    for (const sink of this.#sinks) sink.offerJob(job);
    this.#events.emit('job', job);
    this.#events.emit('jobSent', job, this.#now() - causedAtMs);
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }
}
