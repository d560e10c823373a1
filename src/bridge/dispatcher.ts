/** Work in, jobs out: numbers what a node hands out and gives it to every sink. */
import type { Job, JobBook } from '../core/job.js';
import { samePayload, type Work } from '../core/work.js';
import type { BridgeEvents } from './events.js';
import type { JobSink, WorkSink } from './ports.js';

export class Dispatcher implements WorkSink {
  readonly #book: JobBook;
  readonly #events: BridgeEvents;
  readonly #sinks = new Set<JobSink>();

  constructor(book: JobBook, events: BridgeEvents) {
    this.#book = book;
    this.#events = events;
  }

  /** From now on the sink gets every job, and at once the newest, if there is a live one. */
  addSink(sink: JobSink): void {
    this.#sinks.add(sink);
    const newest = this.#book.liveJobs.at(-1);
    if (newest) sink.offerJob(newest);
  }

  /** The same payload handed out once more by the same node is nothing new. */
  offerWork(work: Work, node: string): void {
    const known = (job: Job): boolean => job.node === node && samePayload(job.work, work);
    if (this.#book.liveJobs.some(known)) return;
    const job = this.#book.add(work, node);
    for (const sink of this.#sinks) sink.offerJob(job);
    this.#events.emit('job', job);
  }

  retireWork(chainId: number): void {
    this.#book.retire(chainId);
  }
}
