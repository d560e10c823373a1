/** Addresses that an operator has allowed or denied while the bridge runs, beside those of the settings. */

import type { AddressListName } from '../../operations/enums.js';
import type { ListedAddresses } from '../../operations/orders/by-order.js';
import { listedOf } from '../../operations/orders/standing.js';
import { AddressList } from '../admission/address-list.js';

/** Of both lists together. Each is written down with every order. */
export const MAX_ORDERED_ADDRESSES = 1000;

export class AddressOrders {
  readonly #orders = new Map<string, ListedAddresses>();
  #lists: Readonly<Record<AddressListName, AddressList>>;

  /** @param kept those that outlived a restart. */
  constructor(kept: readonly ListedAddresses[] = []) {
    for (const order of kept) this.#orders.set(listedOf(order), order);
    this.#lists = this.#listed();
  }

  /** Longest in force first. */
  get all(): readonly ListedAddresses[] {
    return [...this.#orders.values()];
  }

  get allow(): AddressList {
    return this.#lists.allow;
  }

  get deny(): AddressList {
    return this.#lists.deny;
  }

  /** False when there are too many. */
  set(order: ListedAddresses): boolean {
    const key = listedOf(order);
    if (!this.#orders.has(key) && this.#orders.size >= MAX_ORDERED_ADDRESSES) return false;
    this.#orders.delete(key);
    this.#orders.set(key, order);
    this.#lists = this.#listed();
    return true;
  }

  /** Given at another bridge; null: taken back there. @param listed as {@link listedOf} says. */
  hear(listed: string, order: ListedAddresses | null): void {
    this.#orders.delete(listed);
    if (order) this.#orders.set(listed, order);
    this.#lists = this.#listed();
  }

  /** False when there is none. */
  clear(order: Pick<ListedAddresses, 'list' | 'addresses'>): boolean {
    const isThere = this.#orders.delete(listedOf(order));
    if (isThere) this.#lists = this.#listed();
    return isThere;
  }

  #listed(): Readonly<Record<AddressListName, AddressList>> {
    const of = (name: AddressListName): AddressList =>
      new AddressList(this.all.flatMap(({ list, addresses }) => (list === name ? [addresses] : [])));
    return { allow: of('allow'), deny: of('deny') };
  }
}
