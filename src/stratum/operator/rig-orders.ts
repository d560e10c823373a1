/** What an operator has ordered for single rigs, whether or not they are here: share difficulties, labels. */
import { loginText, type Name } from '../../core/names/names.js';

/** Of each kind. Each is written down with every order. */
export const MAX_RIG_ORDERS = 10_000;

export class RigOrders<T extends Name> {
  readonly #byLogin = new Map<string, T>();

  /** @param kept those that outlived a restart. */
  constructor(kept: readonly T[] = []) {
    for (const order of kept) this.#byLogin.set(loginText(order), order);
  }

  /** Longest in force first. */
  get all(): readonly T[] {
    return [...this.#byLogin.values()];
  }

  of(rig: Name): T | undefined {
    return this.#byLogin.size === 0 ? undefined : this.#byLogin.get(loginText(rig));
  }

  /** False when there are too many. */
  set(order: T): boolean {
    const login = loginText(order);
    if (!this.#byLogin.has(login) && this.#byLogin.size >= MAX_RIG_ORDERS) return false;
    this.#byLogin.delete(login);
    this.#byLogin.set(login, order);
    return true;
  }

  /** Given at another bridge; null: taken back there. */
  hear(login: string, order: T | null): void {
    this.#byLogin.delete(login);
    if (order) this.#byLogin.set(login, order);
  }

  /** False when there is none. */
  clear(rig: Name): boolean {
    return this.#byLogin.delete(loginText(rig));
  }
}
