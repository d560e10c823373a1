/** Where works become jobs: numbered, timed, handed on. */
import { DeadWorks } from '../../bridge/dead-works.js';
import { Dispatcher } from '../../bridge/dispatcher.js';
import type { BridgeEvents } from '../../bridge/events.js';
import { JobRoller, residueOfInstance } from '../../bridge/job-roller.js';
import { JOB_BOOK_LIMITS, JobBook } from '../../core/job.js';
import type { Instance } from '../books/instance.js';
import { STEADY_CLOCK } from '../clocks.js';

export interface Jobs {
  readonly book: JobBook;
  /** The first sink of the dispatcher, so that it notes when works come before anybody has jobs of them. */
  readonly roller: JobRoller;
  readonly deadWorks: DeadWorks;
  readonly dispatcher: Dispatcher;
}

/** @param firstNumber above those of all jobs of earlier starts. */
export function makeJobs(firstNumber: number, instance: Instance, events: BridgeEvents): Jobs {
  const residue = residueOfInstance(instance.number ?? 0);
  const book = new JobBook(firstNumber, JOB_BOOK_LIMITS, residue, STEADY_CLOCK.nowMs);
  const roller = new JobRoller(book, STEADY_CLOCK);
  const deadWorks = new DeadWorks();
  const dispatcher = new Dispatcher(book, events, {
    handedOut: (work, node) => deadWorks.handedOut(work, node),
  });
  dispatcher.addSink(roller);
  return { book, roller, deadWorks, dispatcher };
}
