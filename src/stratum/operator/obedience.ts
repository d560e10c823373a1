/** What another front or the operator has changed is carried out here. */
import type { OrderChange } from '../../bridge/fleet/state.js';
import type { KeptOrders, OrderedDifficulty, RigLabel } from '../../bridge/orders/steering.js';
import type { Bans } from '../door/bans.js';
import type { AddressOrders } from './address-orders.js';
import type { RigOrders } from './rig-orders.js';
import type { SessionSteering } from './steering.js';

export interface ObedienceParts {
  readonly bans: Bans;
  readonly ordered: RigOrders<OrderedDifficulty>;
  readonly labels: RigOrders<RigLabel>;
  readonly listed: AddressOrders;
  readonly steering: SessionSteering;
}

export class Obedience {
  readonly #parts: ObedienceParts;

  constructor(parts: ObedienceParts) {
    this.#parts = parts;
  }

  /** These are in force and no others. */
  begin({ bans, difficulties, labels, addresses }: KeptOrders): void {
    this.#parts.bans.begin(bans);
    this.#parts.ordered.begin(difficulties);
    this.#parts.labels.begin(labels);
    this.#parts.listed.begin(addresses);
  }

  /** @returns how many sessions these meet. */
  obey(changes: readonly OrderChange[]): number {
    return changes.reduce((met, change) => met + this.#obey(change), 0);
  }

  #obey(change: OrderChange): number {
    const { bans, steering } = this.#parts;
    switch (change.kind) {
      case 'ban':
        bans.learn(change.ban);
        // What the bridge itself bans is kept out, and ended by what it does.
        return change.ban.by === '' ? 0 : steering.closeWhomItMeets(change.ban);
      case 'unban':
        bans.forget(change.ban);
        return 0;
      case 'difficulty':
        setOrClear(this.#parts.ordered, change);
        return steering.difficultyOrdered(change);
      case 'label':
        setOrClear(this.#parts.labels, change);
        return 0;
      case 'addresses':
        if (change.order) this.#parts.listed.set(change.order);
        else this.#parts.listed.clear(change);
        return steering.closeWhoIsShut();
    }
  }
}

function setOrClear<T extends OrderedDifficulty | RigLabel>(
  orders: RigOrders<T>,
  change: { readonly account: string; readonly rig: string; readonly order: T | undefined },
): void {
  if (change.order) orders.set(change.order);
  else orders.clear(change);
}
