/** What becomes of each solution on its chain: by the nodes' header streams, and by asking. */
import type { NodeReport } from '../../bridge/events.js';
import { type BlockFollower, startBlockFollower } from '../../ledger/blocks/block-follower.js';
import { type Clients, createChainReader, HeaderWatch } from '../../upstream/chain-reader.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Books } from '../books/books.js';
import { rulesOf } from '../books/ledger.js';
import type { Site } from '../site.js';

export function followBlocks(site: Site, books: Books, upstream: Upstream): void {
  const follower = startFollower(site, books, upstream);
  site.events.on('solutionKept', () => follower.lookForNew());
  resumeSolutions(site, books, upstream, follower);
}

function startFollower(
  { config, log, open }: Site,
  { ledger, leader }: Books,
  upstream: Upstream,
): BlockFollower {
  const clients: Clients = () => upstream.clients();
  const chain = createChainReader(clients, config['node.urls'].length, config['node.development']);
  const rules = rulesOf(ledger, { config });
  const follower = startBlockFollower({
    pool: ledger.pool,
    chain,
    rules,
    log,
    onChange: () => leader.soon(),
  });
  open.add('block follower', () => follower.close());
  const watch = new HeaderWatch(config['node.urls'], clients, follower, log);
  open.add('header streams', () => watch.close());
  return follower;
}

/** Once a node can be asked, solutions whose post a crash cut off are posted again. */
function resumeSolutions(
  { log, events }: Site,
  { clock, journal, timeline }: Books,
  upstream: Upstream,
  follower: BlockFollower,
): void {
  const resume = ({ state }: NodeReport): void => {
    if (state !== 'healthy') return;
    events.off('node', resume);
    journal
      .resume(upstream, clock.nowMs, (...settled) => timeline.tellLate(...settled))
      .then(() => follower.lookForNew())
      .catch((error: Error) => {
        log.error({ error: error.message }, 'solutions of an earlier run could not be settled');
      });
  };
  events.on('node', resume);
}
