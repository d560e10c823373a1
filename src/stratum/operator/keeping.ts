/**
 * Writes down what is to outlive a restart: an order when it is given, and bans of the bridge itself a little later, as a
 * storm of strangers may bring many a second.
 */
import type { Spread } from '../../bridge/fleet/state.js';
import type { KeptOrders, OrderKeeper } from '../../bridge/orders/steering.js';
import type { Log } from '../../core/names/log.js';
import type { SharedOrders } from './shared-orders.js';

export interface KeepingParts {
  /** Without one nothing outlives a restart. */
  readonly keeper: OrderKeeper | undefined;
  /** The hub keeps them, where this is one of several fronts. */
  readonly shared: SharedOrders | undefined;
  /** All that is in force. */
  orders(): KeptOrders;
  /** Rises with each ban that comes or goes. */
  banChanges(): number;
  readonly log: Log;
}

const BANS_EVERY_MS = 10_000;
const NOWHERE: Spread = { sessions: 0, isKept: false };

export class Keeping {
  readonly #parts: KeepingParts;
  /** What stands written, or is being written, counts so many changes of bans. */
  #changes: number;
  #bansAtMs = Number.NEGATIVE_INFINITY;
  #isWriting = false;

  constructor(parts: KeepingParts) {
    this.#parts = parts;
    this.#changes = parts.banChanges();
  }

  /** What was ordered is in force, whether or not it can be written down. */
  async keep(): Promise<Spread> {
    const { log } = this.#parts;
    const changes = this.#parts.banChanges();
    try {
      const spread = await this.#spread();
      this.#changes = Math.max(this.#changes, changes);
      return spread;
    } catch (error) {
      const words =
        'what is ordered or banned is in force and cannot be written down: the next start knows nothing of it';
      log.error({ error: (error as Error).message }, words);
      return NOWHERE;
    }
  }

  async #spread(): Promise<Spread> {
    const { keeper, shared, orders } = this.#parts;
    if (shared) return await shared.spread();
    await keeper?.keep(orders());
    return { sessions: 0, isKept: keeper !== undefined };
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
