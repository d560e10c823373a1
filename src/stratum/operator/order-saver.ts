/**
 * Writes down what is to outlive a restart: an order when it is given, and bans of the bridge itself a little later, as a
 * storm of strangers may bring many a second.
 */
import type { Log } from '../../core/names/log.js';
import type { Ban } from '../../operations/bans.js';
import type { ListedAddresses, OrderedDifficulty, RigLabel } from '../../operations/orders/by-order.js';
import type { UntoldOrder } from '../../operations/orders/standing.js';

/** What outlives a restart. */
export interface KeptOrders {
  readonly addresses: readonly ListedAddresses[];
  /** Those of the bridge itself too, its longest ago first. */
  readonly bans: readonly Ban[];
  readonly difficulties: readonly OrderedDifficulty[];
  readonly labels: readonly RigLabel[];
  /** What other bridges are still to be told: the ledger was away. */
  readonly untold: readonly UntoldOrder[];
}

/** Where other bridges on the same ledger are told of what is ordered here. */
export interface OrderSharing {
  readonly untold: readonly UntoldOrder[];
  /** Resolves once it is told, or known to be told later. */
  tell(order: UntoldOrder): Promise<void>;
}

/** Where it is kept. */
export interface OrderKeeper {
  /** All of it anew. Resolves once it would survive a crash; rejects when it would not. */
  keep(orders: KeptOrders): Promise<void>;
}

interface OrderSaverParts {
  /** Without one nothing outlives a restart. */
  readonly keeper: OrderKeeper | undefined;
  /** All that is in force. */
  orders(): KeptOrders;
  /** Rises with each ban that comes or goes. */
  banChanges(): number;
  readonly log: Log;
}

const BANS_EVERY_MS = 10_000;

export class OrderSaver {
  readonly #parts: OrderSaverParts;
  /** What stands written, or is being written, counts so many changes of bans. */
  #changes: number;
  #bansAtMs = Number.NEGATIVE_INFINITY;
  #isWriting = false;

  constructor(parts: OrderSaverParts) {
    this.#parts = parts;
    this.#changes = parts.banChanges();
  }

  /** What was ordered is in force, whether or not it can be written down. Resolves with whether it outlives a restart. */
  async keep(): Promise<boolean> {
    const { keeper, orders, log } = this.#parts;
    const changes = this.#parts.banChanges();
    try {
      await keeper?.keep(orders());
      this.#changes = Math.max(this.#changes, changes);
      return keeper !== undefined;
    } catch (error) {
      const words =
        'what is ordered or banned is in force and cannot be written down: the next start knows nothing of it';
      log.error({ error: (error as Error).message }, words);
      return false;
    }
  }

  /** Called about once a second. */
  tick(nowMs: number): void {
    const sinceMs = nowMs - this.#bansAtMs;
    if (this.#isWriting || (sinceMs >= 0 && sinceMs < BANS_EVERY_MS)) return;
    if (this.#changes === this.#parts.banChanges()) return;
    this.#bansAtMs = nowMs;
    this.#isWriting = true;
    void this.keep().then(() => {
      this.#isWriting = false;
    });
  }

  /** Resolves once all that is known is written, or cannot be. */
  async close(): Promise<void> {
    if (this.#changes !== this.#parts.banChanges()) await this.keep();
  }
}
