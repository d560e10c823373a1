/** Where rigs connect to. */
import type { Door } from '../../operations/state.js';

export interface Doors {
  /** Rigs can come, where there are ports at all. */
  readonly areOpen: boolean;
  /** Those that are open. */
  readonly ports: readonly Door[];
}
