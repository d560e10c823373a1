/** What becomes of each solution on its chain: its post, and the follower of chains. */
import type { NodeReport } from '../../bridge/events.js';
import { startFollowing } from '../../ledger/chains/following.js';
import { payerReading } from '../../payouts/payer/facts.js';
import { settleEarlierSolutions } from '../../queue/earlier-solutions.js';
import { sightOfChains } from '../../upstream/chains-in-sight.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Books } from '../books/books.js';
import { rulesOf } from '../books/ledger.js';
import type { Site } from '../site.js';

export function followChains(site: Site, books: Books, upstream: Upstream): void {
  const { config, log, open } = site;
  const { pool } = books.ledger;
  const following = startFollowing({
    ...{ pool, log, rules: rulesOf(books.ledger, site), payerReading },
    see: sightOfChains({
      // What one says is believed for what it shows: one that is far behind a liar may be the only one that is right.
      clients: () => upstream.clients('all'),
      count: config['node.urls'].length,
      said: config['node.development'],
    }),
    onChange: () => books.leader.soon(),
  });
  open.add('following of chains', () => following.close());
  resumeSolutions(site, books, upstream);
}

/** Once a node can be asked, solutions whose post a crash cut off are posted again. */
function resumeSolutions(
  { log, events, open }: Site,
  { clock, shares, timeline }: Books,
  upstream: Upstream,
): void {
  const closing = new AbortController();
  open.add('solutions of earlier runs', () => closing.abort());
  const resume = ({ state }: NodeReport): void => {
    if (state !== 'healthy') return;
    events.off('node', resume);
    settleEarlierSolutions({
      ...{ shares, sink: upstream, nowMs: clock.nowMs, log, signal: closing.signal },
      onSettled: (...settled) => timeline.tellLate(...settled),
    }).catch((error: Error) => {
      log.error({ error: error.message }, 'solutions of an earlier run could not be settled');
    });
  };
  events.on('node', resume);
}
