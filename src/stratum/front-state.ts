/** This server as one of several fronts: what its hub may ask of it, and what it tells once a second. */
import type {
  AddressUse,
  Claim,
  FleetNews,
  FleetState,
  FrontState,
  KnownTenure,
  LateSubmit,
  LateVerdict,
  OrderChange,
} from '../bridge/fleet/state.js';
import type { KeptOrders } from '../bridge/orders/steering.js';
import type { Addresses } from './door/address.js';
import { Obedience, type ObedienceParts } from './operator/obedience.js';
import type { SharedOrders } from './operator/shared-orders.js';
import type { SharedParts } from './server-parts.js';
import type { FleetTenures } from './tenure/fleet-tenures.js';

export interface FrontParts {
  readonly hub: FleetState;
  readonly tenures: FleetTenures;
  readonly orders: SharedOrders;
  readonly addresses: Addresses;
  readonly obedience: Obedience;
  readonly nowMs: () => number;
}

interface OwnParts extends Pick<ObedienceParts, 'labels' | 'listed' | 'steering'> {
  readonly orders: SharedOrders | undefined;
  readonly nowMs: () => number;
}

/** `undefined` where the server was made as no front. */
export function frontOf(
  hub: FleetState,
  { fleet: tenures, addresses, bans, ordered }: SharedParts,
  { orders, labels, listed, steering, nowMs }: OwnParts,
): FrontOfFleet | undefined {
  const obedience = new Obedience({ bans, ordered, labels, listed, steering });
  return tenures && orders && new FrontOfFleet({ hub, tenures, orders, addresses, obedience, nowMs });
}

/** Addresses that are told of at once, the busiest first. */
const MAX_ADDRESSES = 500;

export class FrontOfFleet implements FrontState {
  readonly #parts: FrontParts;

  constructor(parts: FrontParts) {
    this.#parts = parts;
  }

  async begin(orders: KeptOrders): Promise<void> {
    const { obedience, orders: own, tenures } = this.#parts;
    tenures.tellAnew();
    obedience.begin(orders);
    obedience.obey(own.pending);
  }

  hear({ addresses }: FleetNews): void {
    this.#parts.addresses.elsewhere(addresses, this.#parts.nowMs());
  }

  async giveUp(claim: Claim): Promise<KnownTenure | undefined> {
    return this.#parts.tenures.giveUp(claim);
  }

  judge(submit: LateSubmit): Promise<LateVerdict> {
    return this.#parts.tenures.judge(submit);
  }

  async obey(changes: readonly OrderChange[]): Promise<number> {
    return this.#parts.obedience.obey(changes);
  }

  /** Called each tick. */
  turn(): void {
    this.#parts.tenures.turn();
  }

  /** Called about once a second. */
  tick(): void {
    const { hub, tenures, orders, addresses, nowMs } = this.#parts;
    const uses: readonly AddressUse[] = addresses.takeUses(MAX_ADDRESSES, nowMs());
    hub.tell({ ...tenures.take(), addresses: uses });
    orders.tick();
  }
}
