/** Where rigs connect to. */
import type { Listener } from '../../operations/state.js';

export interface Listeners {
  /** Rigs can come, where there are ports at all. */
  readonly areOpen: boolean;
  /** Those that are open. */
  readonly ports: readonly Listener[];
}
