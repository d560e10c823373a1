/** Payouts by order of who steers the bridge: the books, and the nodes that are asked for the blocks behind a payout. */
import type { PayoutDesk } from '../../bridge/orders/payout-desk.js';
import { lookAgain } from '../../ledger/blocks/look-again.js';
import { openPayoutDesk } from '../../ledger/payments/payout-desk.js';
import { createChainReader } from '../../upstream/chain-reader.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Site } from '../site.js';
import type { Books } from './books.js';
import { rulesOf } from './ledger.js';

export function payoutDeskOf(
  { config, log }: Pick<Site, 'config' | 'log'>,
  { ledger }: Pick<Books, 'ledger'>,
  upstream: Pick<Upstream, 'clients'>,
): PayoutDesk {
  const chain = createChainReader(
    () => upstream.clients(),
    config['node.urls'].length,
    config['node.development'],
  );
  const { pool } = ledger;
  const rules = rulesOf(ledger, { config });
  const look = () => lookAgain({ pool, chain, rules, log }, 'paying');
  return openPayoutDesk({ pool, minimum: config['payouts.minimum'], look });
}
