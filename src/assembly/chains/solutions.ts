/** The way of a solution: to the node that issued its work, and into the journal. */
import type { SolutionSink } from '../../bridge/ports.js';
import { SolutionSender } from '../../bridge/solution-sender.js';
import type { SolutionJournal } from '../../queue/solutions/solution-journal.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Site } from '../site.js';
import type { Jobs } from './jobs.js';

/** Posts under way at the end get this long. */
const GRACE_MS = 2_000;
/** However long others take. */
const NEEDS_MS = 1_000;

export function openSolutions(
  { log, open, events }: Site,
  { book, roller, deadWorks }: Jobs,
  upstream: Upstream,
  { journal, sink }: { readonly journal: SolutionJournal; readonly sink: SolutionSink },
): SolutionSender {
  const sender = new SolutionSender({
    sink,
    source: upstream,
    solutions: journal,
    // Of a front's job only the work is known here.
    isLive: ({ id, work, node }) => book.find(id).state === 'live' || book.holds(work, node),
    deadWorks,
    events,
    log,
    // A front tells of a solution when it may be posted: its jobs are not in this book.
    untilReachedMs: (job) => (book.find(job.id).job === job ? roller.untilReachedMs(job) : 0),
  });
  open.add('solutions', (withinMs) => sender.close(Math.min(GRACE_MS, withinMs)), NEEDS_MS);
  return sender;
}
