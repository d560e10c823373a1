/** The way of a solution: to the node that issued its work, and into the log. */

import type { SolutionLog } from '../../bridge/ports.js';
import { SolutionSender } from '../../bridge/solution-sender.js';
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
  solutions: SolutionLog,
): SolutionSender {
  const sender = new SolutionSender({
    sink: upstream,
    source: upstream,
    solutions,
    isLive: ({ id }) => book.find(id).state === 'live',
    deadWorks,
    events,
    log,
    untilReachedMs: (job) => roller.untilReachedMs(job),
  });
  open.add('solutions', (withinMs) => sender.close(Math.min(GRACE_MS, withinMs)), NEEDS_MS);
  return sender;
}
