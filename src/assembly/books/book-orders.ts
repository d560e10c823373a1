/** Orders about payouts to a bridge that runs: the books, and the nodes that are asked for the blocks behind a payout. */
import { lookAgain } from '../../ledger/blocks/look-again.js';
import { bookOrders } from '../../ledger/watch/orders.js';
import type { BookOrderHandlers } from '../../operations/orders/book-orders.js';
import { createChainReader } from '../../upstream/chain-reader.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Site } from '../site.js';
import type { Books } from './books.js';
import { readCommand } from './command-reader.js';
import { rulesOf } from './ledger.js';

export function bookOrdersOf(
  { config, log }: Pick<Site, 'config' | 'log'>,
  { ledger }: Pick<Books, 'ledger'>,
  upstream: Pick<Upstream, 'clients'>,
): BookOrderHandlers {
  const chain = createChainReader(
    () => upstream.clients(),
    config['node.urls'].length,
    config['node.development'],
  );
  const { pool } = ledger;
  const rules = rulesOf(ledger, { config });
  return bookOrders({
    ...{ pool, check: readCommand, minimum: config['payouts.minimum'] },
    look: () => lookAgain({ pool, chain, rules, log }, 'paying'),
    isOnChain: config['payouts.mode'] !== 'manual',
    chains: () =>
      [...upstream.clients().values()].flatMap(({ address }) => address.info?.nodeChains?.map(Number) ?? []),
  });
}
