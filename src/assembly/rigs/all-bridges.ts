/** Orders of the rigs' side, carried out at whichever bridge on the ledger they are about. */
import { OrderPassing } from '../../ledger/orders/passing.js';
import { RIG_ORDERS, type RigOrderHandlers } from '../../operations/orders/rig-orders.js';
import type { Books } from '../books/books.js';
import type { Site } from '../site.js';

/** @param here that of this bridge. */
export function atAllBridges(
  { log }: Pick<Site, 'log'>,
  { ledger, instance, bridges }: Pick<Books, 'ledger' | 'instance' | 'bridges'>,
  here: RigOrderHandlers,
): RigOrderHandlers {
  const bridgeOf = (banId: string) => bridges.others.bans.find(({ id }) => id === banId)?.bridge;
  const passing = new OrderPassing({ ledger, number: () => instance.number, bridgeOf, log }, here);
  const names = Object.keys(RIG_ORDERS) as (keyof RigOrderHandlers)[];
  const own = Object.fromEntries(names.map((name) => [name, here[name].bind(here)]));
  return {
    ...(own as unknown as RigOrderHandlers),
    closeSession: (given, by) => passing.closeSession(given, by),
    message: (given, by) => passing.message(given, by),
    unban: (given, by) => passing.unban(given, by),
  };
}
