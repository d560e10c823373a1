/** Payouts by order of who steers the bridge: the books, and the nodes that are asked for the blocks behind a payout. */
import type { PayerDesk } from '../../bridge/orders/payer-desk.js';
import type { PayoutDesk } from '../../bridge/orders/payout-desk.js';
import { lookAgain } from '../../ledger/blocks/look-again.js';
import { openPayoutDesk } from '../../ledger/payments/payout-desk.js';
import { openPayerDesk } from '../../ledger/transactions/payer-desk.js';
import { createChainReader } from '../../upstream/chain-reader.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Site } from '../site.js';
import type { Books } from './books.js';
import { readCommand } from './command-reader.js';
import { rulesOf } from './ledger.js';

/** Of payouts, and of those that a bridge pays on chain. */
export function desksOf(...of: Parameters<typeof payoutDeskOf>): {
  readonly payouts: PayoutDesk;
  readonly payer: PayerDesk;
} {
  const [{ config }, { ledger }, upstream] = of;
  const chains = () =>
    [...upstream.clients().values()].flatMap(({ address }) => address.info?.nodeChains?.map(Number) ?? []);
  const terms = { check: readCommand, minimum: config['payouts.minimum'], chains };
  return { payouts: payoutDeskOf(...of), payer: openPayerDesk({ pool: ledger.pool, ...terms }) };
}

function payoutDeskOf(
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
  const isOnChain = config['payouts.mode'] !== 'manual';
  return openPayoutDesk({ pool, minimum: config['payouts.minimum'], look, isOnChain });
}
