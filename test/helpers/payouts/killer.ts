/** Ends a payer at one of its calls, of whatever part: before it did anything, or after it has done all of it. */

export class Killed extends Error {}

export interface Killer {
  /** The payer dies at this call from now on, counted from 0. */
  arm(calls: number, when: 'before' | 'after'): void;
  /** To stand around each part. */
  around<T extends object>(part: T): T;
}

export function killer(): Killer {
  let left = Number.POSITIVE_INFINITY;
  let how: 'before' | 'after' = 'before';
  let isDead = false;
  const die = (at: string): never => {
    isDead = true;
    throw new Killed(at);
  };
  return {
    arm(calls, when) {
      left = calls;
      how = when;
    },
    around: (part) =>
      calling(part, async (name, call) => {
        // What a process leaves behind is closed for it.
        if (name === 'close') return call();
        // Nothing of a dead one does anything more.
        if (isDead) throw new Killed(name);
        const isLast = left-- === 0;
        if (isLast && how === 'before') die(name);
        const result = await call();
        return isLast ? die(name) : result;
      }),
  };
}

/** A part whose calls go through somebody. */
export function calling<T extends object>(
  part: T,
  through: (name: string, call: () => Promise<unknown>) => Promise<unknown>,
): T {
  return new Proxy(part, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => through(String(name), async () => value.apply(target, given));
    },
  });
}
