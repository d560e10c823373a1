/** Orders about the books to a bridge that runs. */
import { bookOrders } from '../../ledger/watch/orders.js';
import type { BookOrderHandlers } from '../../operations/orders/book-orders.js';
import type { Upstream } from '../../upstream/upstream.js';
import type { Books } from './books.js';

export function bookOrdersOf(
  { ledger }: Pick<Books, 'ledger'>,
  upstream: Pick<Upstream, 'clients'>,
): BookOrderHandlers {
  return bookOrders({
    pool: ledger.pool,
    chains: () =>
      [...upstream.clients().values()].flatMap(({ address }) => address.info?.nodeChains?.map(Number) ?? []),
  });
}
