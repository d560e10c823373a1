/** The chains' side: nodes, the way of solutions to them, and what becomes of blocks there. */
import type { SessionCounts } from '../../bridge/session-counts.js';
import type { SolutionSender } from '../../bridge/solution-sender.js';
import type { Miner } from '../../node-client/client.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Books } from '../books/books.js';
import type { Site } from '../site.js';
import { followChains } from './blocks.js';
import type { Jobs } from './jobs.js';
import { openNodes } from './nodes.js';
import { openSolutions } from './solutions.js';

export interface Chains {
  readonly upstream: Upstream;
  readonly sender: SolutionSender;
}

export function openChains(
  site: Site,
  miner: Miner,
  books: Books,
  jobs: Jobs,
  sessionCounts: SessionCounts,
): Chains {
  const upstream = openNodes(site, miner, jobs.dispatcher, sessionCounts);
  const sender = openSolutions(site, jobs, upstream, books.shares);
  followChains(site, books, upstream);
  return { upstream, sender };
}
