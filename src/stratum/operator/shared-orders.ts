/**
 * Bans and orders where this server is one of several fronts: what is changed here is told to the hub, which keeps it and tells
 * the others; what they have changed is in force here, and told to nobody again.
 */
import type { FleetState, OrderChange, Spread } from '../../bridge/fleet/state.js';
import type { Ban } from '../../bridge/orders/steering.js';
import type { Log } from '../../core/names/log.js';

/** Told at once. Of a storm that goes on longer, what came first is forgotten. */
const MAX_CHANGES = 10_000;

/** The hub as the keeper of a front. */
export class SharedOrders {
  readonly #hub: Pick<FleetState, 'change'>;
  readonly #log: Log;
  #changes: OrderChange[] = [];

  constructor(hub: Pick<FleetState, 'change'>, log: Log) {
    this.#hub = hub;
    this.#log = log;
  }

  changed(change: OrderChange): void {
    this.#changes.push(change);
    if (this.#changes.length > MAX_CHANGES) this.#changes.shift();
  }

  banned(ban: Ban): void {
    this.changed({ kind: 'ban', ban });
  }

  /** One that is over is so everywhere. */
  unbanned(ban: Ban, by: string | undefined): void {
    if (by !== undefined) this.changed({ kind: 'unban', ban, by });
  }

  /** What the hub has not been told yet. */
  get pending(): readonly OrderChange[] {
    return this.#changes;
  }

  /** The hub keeps what was changed, and the others hear of it. Rejects where it does not answer. */
  async spread(): Promise<Spread> {
    if (this.#changes.length === 0) return { sessions: 0, isKept: true };
    const changes = this.#changes;
    this.#changes = [];
    return await this.#hub.change(changes);
  }

  /** Called about once a second, as bans of the bridge itself come at any time. */
  tick(): void {
    this.spread().catch((error: Error) => {
      this.#log.error(
        { error: error.message },
        'a ban is in force here, and other fronts may not know of it',
      );
    });
  }
}
