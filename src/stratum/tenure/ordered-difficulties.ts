/** Share difficulties at which an operator holds rigs. */
import type { OrderedDifficulty } from '../../bridge/orders/steering.js';
import { loginText, type Name } from '../../core/names.js';
import type { Difficulty } from '../../core/target.js';

/** Each is written down with every order. */
export const MAX_ORDERED_DIFFICULTIES = 10_000;

export class OrderedDifficulties {
  readonly #byLogin = new Map<string, OrderedDifficulty>();

  /** @param kept those that outlived a restart. */
  constructor(kept: readonly OrderedDifficulty[] = []) {
    for (const order of kept) this.#byLogin.set(loginText(order), order);
  }

  /** Longest in force first. */
  get all(): readonly OrderedDifficulty[] {
    return [...this.#byLogin.values()];
  }

  of(rig: Name): Difficulty | undefined {
    return this.#byLogin.size === 0 ? undefined : this.#byLogin.get(loginText(rig))?.difficulty;
  }

  /** False when there are too many. */
  set(order: OrderedDifficulty): boolean {
    const login = loginText(order);
    if (!this.#byLogin.has(login) && this.#byLogin.size >= MAX_ORDERED_DIFFICULTIES) return false;
    this.#byLogin.delete(login);
    this.#byLogin.set(login, order);
    return true;
  }

  /** False when there is none. */
  clear(rig: Name): boolean {
    return this.#byLogin.delete(loginText(rig));
  }
}
