/** Payouts by order of who steers the bridge: the books, and the nodes that are asked for the blocks behind a payout. */
import type { PayoutDesk } from '../../bridge/orders/payout-desk.js';
import { lookAgain } from '../../ledger/blocks/look-again.js';
import { openPayoutDesk } from '../../ledger/payments/payout-desk.js';
import { createChainReader } from '../../node/chain-reader.js';
import type { Upstream } from '../../node/upstream.js';
import type { Site } from '../site.js';
import { rewardRulesFrom } from './book-settings.js';
import type { Books } from './books.js';

export function payoutDeskOf(
  { config, log }: Pick<Site, 'config' | 'log'>,
  { ledger: { pool } }: Pick<Books, 'ledger'>,
  upstream: Pick<Upstream, 'clients'>,
): PayoutDesk {
  const chain = createChainReader(() => upstream.clients(), config['node.urls'].length);
  const rules = rewardRulesFrom(config);
  const look = () => lookAgain({ pool, chain, rules, log }, 'paying');
  return openPayoutDesk({ pool, minimum: config['payouts.minimum'], look });
}
