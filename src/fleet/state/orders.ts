/**
 * Owner of all bans and orders of a fleet: what one front has changed holds here first, goes from here to the others, and is
 * kept over a restart. A front checks an order before it changes anything, so nothing is checked twice.
 */
import type { OrderChange } from '../../bridge/fleet/state.js';
import type { Ban, KeptOrders, OrderKeeper } from '../../bridge/orders/steering.js';
import type { Log } from '../../core/names/log.js';
import { loginText } from '../../core/names/names.js';

/** Told of each ban as it comes and goes, once for the whole fleet. */
export interface BanListener {
  banned(ban: Ban): void;
  /** @param by absent when it was over. */
  unbanned(ban: Ban, by: string | undefined): void;
}

export interface OrdersParts {
  /** As they outlived a restart. */
  readonly kept: KeptOrders;
  readonly keeper: OrderKeeper;
  readonly bans: BanListener;
  readonly log: Log;
  /** Bans of the bridge itself that are known, the oldest forgotten first. */
  readonly maxOwnBans: number;
}

const BANS_EVERY_MS = 10_000;

export class FleetOrders {
  readonly #parts: OrdersParts;
  /** By whom and what they meet. */
  readonly #bans = new Map<string, Ban>();
  readonly #difficulties = new Map<string, KeptOrders['difficulties'][number]>();
  readonly #labels = new Map<string, KeptOrders['labels'][number]>();
  readonly #addresses = new Map<string, KeptOrders['addresses'][number]>();
  #ownBans = 0;
  /** Something has changed that is not written down yet. */
  #isDirty = false;
  #writtenAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: OrdersParts) {
    const { bans, difficulties, labels, addresses } = parts.kept;
    this.#parts = parts;
    for (const ban of bans) this.#enter(ban);
    for (const order of difficulties) this.#difficulties.set(loginText(order), order);
    for (const order of labels) this.#labels.set(loginText(order), order);
    for (const order of addresses) this.#addresses.set(listed(order), order);
  }

  get all(): KeptOrders {
    return {
      bans: [...this.#bans.values()],
      difficulties: [...this.#difficulties.values()],
      labels: [...this.#labels.values()],
      addresses: [...this.#addresses.values()],
    };
  }

  /** What holds from now on; a ban as it holds, under the id that one of the same had. */
  change(changes: readonly OrderChange[]): OrderChange[] {
    if (changes.length > 0) this.#isDirty = true;
    return changes.map((change) => this.#change(change));
  }

  /** Writes all down. False where that cannot be: it is in force all the same. */
  async keep(): Promise<boolean> {
    this.#isDirty = false;
    try {
      await this.#parts.keeper.keep(this.all);
      return true;
    } catch (error) {
      this.#isDirty = true;
      const words =
        'what is ordered or banned is in force and cannot be written down: the next start knows nothing of it';
      this.#parts.log.error({ error: (error as Error).message }, words);
      return false;
    }
  }

  /** Called about once a second: bans that are over are forgotten, and what has changed is written a little later. */
  async tick(nowMs: number): Promise<void> {
    for (const ban of this.#bans.values()) {
      if (ban.untilMs === undefined || ban.untilMs > nowMs) continue;
      this.#remove(ban);
      this.#isDirty = true;
      this.#parts.bans.unbanned(ban, undefined);
    }
    if (!this.#isDirty || nowMs - this.#writtenAtMs < BANS_EVERY_MS) return;
    this.#writtenAtMs = nowMs;
    await this.keep();
  }

  /** Resolves once all that is known is written, or cannot be. */
  async close(): Promise<void> {
    if (this.#isDirty) await this.keep();
  }

  #change(change: OrderChange): OrderChange {
    switch (change.kind) {
      case 'ban':
        return { kind: 'ban', ban: this.#ban(change.ban) };
      case 'unban':
        this.#unban(change.ban, change.by);
        break;
      case 'difficulty':
        setOrClear(this.#difficulties, loginText(change), change.order);
        break;
      case 'label':
        setOrClear(this.#labels, loginText(change), change.order);
        break;
      case 'addresses':
        setOrClear(this.#addresses, listed(change), change.order);
    }
    return change;
  }

  /** Two fronts may ban the same at once: that which ends later holds, under the first one's id. */
  #ban(ban: Ban): Ban {
    const former = this.#bans.get(keyOf(ban));
    const isLater = ban.by !== '' || endOf(ban) >= endOf(former ?? ban);
    const entered = former ? { ...(isLater ? ban : former), id: former.id } : ban;
    if (former) this.#remove(former);
    this.#enter(entered);
    if (!former || isLater) this.#parts.bans.banned(entered);
    return entered;
  }

  #unban(ban: Ban, by: string): void {
    const known = this.#bans.get(keyOf(ban));
    if (!known) return;
    this.#remove(known);
    this.#parts.bans.unbanned(known, by);
  }

  #enter(ban: Ban): void {
    this.#bans.set(keyOf(ban), ban);
    if (ban.by !== '') return;
    this.#ownBans++;
    for (const oldest of this.#bans.values()) {
      if (this.#ownBans <= this.#parts.maxOwnBans) return;
      if (oldest.by === '') this.#remove(oldest);
    }
  }

  #remove(ban: Ban): void {
    if (this.#bans.delete(keyOf(ban)) && ban.by === '') this.#ownBans--;
  }
}

function setOrClear<T>(orders: Map<string, T>, key: string, order: T | undefined): void {
  orders.delete(key);
  if (order !== undefined) orders.set(key, order);
}

function endOf({ untilMs }: Ban): number {
  return untilMs ?? Number.POSITIVE_INFINITY;
}

/** An operator's ban of the same stands beside one of the bridge itself. */
function keyOf({ kind, login, address, by }: Ban): string {
  return JSON.stringify([by === '', kind, login, address]);
}

function listed({ list, addresses }: { readonly list: string; readonly addresses: string }): string {
  return `${list} ${addresses}`;
}
