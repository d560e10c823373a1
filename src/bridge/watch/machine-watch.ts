/** The bridges of this machine, as who asks any of them sees them; implemented by assembly, shown by the web. */
import type { Drain } from '../../operations/drain.js';
import type { Handler } from '../../operations/entry/operation.js';
import type { Replacement, replace } from '../../operations/replace.js';

export interface MachineWatch {
  /** Of all of them. */
  drain(): Promise<Drain>;
  /** Why none of them lets rigs in; `undefined` where one does. */
  missing(): Promise<string | undefined>;
  readonly replace: Handler<typeof replace>;
  /** Of the last order; `undefined` where no primary takes any. */
  replacement(): Promise<Replacement | undefined>;
}
