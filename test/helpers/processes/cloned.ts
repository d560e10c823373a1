/** An object as another process has it: what goes there and what comes back is copied, so nothing else can slip through. */

/** @param is whether it answers now. */
export function cloned<T extends object>(target: T, is: { silent: boolean } = { silent: false }): T {
  return new Proxy(target, {
    get(from, name) {
      const method: unknown = Reflect.get(from, name);
      if (typeof method !== 'function') throw new TypeError(`${String(name)} is no method`);
      return (...args: unknown[]): unknown => {
        const result: unknown = is.silent
          ? Promise.reject(new Error('no answer in time'))
          : Reflect.apply(method, from, structuredClone(args));
        if (result === undefined) return undefined;
        if (!(result instanceof Promise)) throw new TypeError(`${String(name)} answers at once`);
        return result.then((answer: unknown) => structuredClone(answer));
      };
    },
  });
}
