/** Whom the pool owes what, and the payouts by which it is paid. */
import { useState } from 'preact/hooks';
import type { Route } from '../../route.js';
import { Balances } from './balances.js';
import { Payer, usePayer } from './payer.js';
import { Payouts } from './payouts.js';

export function Money({ route }: { route: Route }) {
  // Raised by each order: what it has changed is asked for at once.
  const [orders, setOrders] = useState(0);
  const ordered = (): void => setOrders((before) => before + 1);
  const payer = usePayer(orders);
  const isPaying = payer.value?.payer[0]?.isPaying ?? false;
  return (
    <>
      <Payer asked={payer} ordered={ordered} />
      <Payouts route={route} orders={orders} isOnChain={isPaying} ordered={ordered} />
      <Balances orders={orders} />
    </>
  );
}
