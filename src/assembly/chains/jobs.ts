/** Where works become jobs: numbered, timed, handed on. */
import { DeadWorks } from '../../bridge/dead-works.js';
import { Dispatcher } from '../../bridge/dispatcher.js';
import { JobRoller, residueOfInstance } from '../../bridge/job-roller.js';
import { JOB_BOOK_LIMITS, JobBook } from '../../core/jobs/job.js';
import type { Instance } from '../books/instance.js';
import { STEADY_CLOCK } from '../clocks.js';
import type { FormerStart } from '../rigs/former-rigs.js';
import type { Site } from '../site.js';

export interface Jobs {
  readonly book: JobBook;
  /** The first sink of the dispatcher, so that it notes when works come before anybody has jobs of them. */
  readonly roller: JobRoller;
  readonly deadWorks: DeadWorks;
  readonly dispatcher: Dispatcher;
}

/** @param firstNumber above those of all jobs of earlier starts. */
export function makeJobs(
  firstNumber: number,
  instance: Pick<Instance, 'number'>,
  { events, log }: Pick<Site, 'events' | 'log'>,
  former: FormerStart | undefined,
): Jobs {
  const residue = residueOfInstance(instance.number ?? 0);
  const book = new JobBook(firstNumber, JOB_BOOK_LIMITS, residue, STEADY_CLOCK.nowMs);
  const roller = new JobRoller(book, STEADY_CLOCK);
  if (former) goOn({ book, roller }, former, log);
  const deadWorks = new DeadWorks();
  const dispatcher = new Dispatcher(book, events, {
    handedOut: (work, node) => deadWorks.handedOut(work, node),
    notBefore: (work) => roller.nodeTime(work),
  });
  dispatcher.addSink(roller);
  return { book, roller, deadWorks, dispatcher };
}

/** Late submits are judged as before the restart. */
function goOn(
  { book, roller }: Pick<Jobs, 'book' | 'roller'>,
  { jobs, agoMs }: FormerStart,
  log: Site['log'],
): void {
  try {
    roller.knowFormer(book.restore(jobs, agoMs));
  } catch (error) {
    const words = 'the jobs of the last start cannot be used: late shares of them are refused';
    log.warn({ error: (error as Error).message }, words);
  }
}
