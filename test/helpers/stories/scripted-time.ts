/** Time for what waits, which passes when the test says so. */
import type { After } from '../../../src/devnode/clock.js';

export interface ScriptedTime {
  readonly after: After;
  /** How many wait. */
  readonly waiting: number;
  pass(ms: number): void;
}

export function scriptedTime(): ScriptedTime {
  const waiting = new Set<{ dueMs: number; run: () => void }>();
  let nowMs = 0;
  return {
    after(ms, run) {
      const one = { dueMs: nowMs + ms, run };
      waiting.add(one);
      return () => void waiting.delete(one);
    },
    get waiting() {
      return waiting.size;
    },
    pass(ms) {
      nowMs += ms;
      for (const one of [...waiting].filter(({ dueMs }) => dueMs <= nowMs)) {
        waiting.delete(one);
        one.run();
      }
    },
  };
}
