/** The way of a solution: to the node that issued its work, and into the journal. */
import { SolutionSender } from '../../bridge/solution-sender.js';
import type { Upstream } from '../../node/upstream.js';
import type { SolutionJournal } from '../../queue/solutions/solution-journal.js';
import type { Site } from '../site.js';
import type { Jobs } from './jobs.js';

/** Posts under way at the end get this long. */
const GRACE_MS = 2_000;

export function openSolutions(
  { log, open, events }: Site,
  { book, roller, deadWorks }: Jobs,
  upstream: Upstream,
  journal: SolutionJournal,
): SolutionSender {
  const sender = new SolutionSender({
    sink: upstream,
    source: upstream,
    solutions: journal,
    book,
    deadWorks,
    events,
    log,
    untilReachedMs: (job) => roller.untilReachedMs(job),
  });
  open.add('solutions', () => sender.close(GRACE_MS));
  return sender;
}
