/**
 * A clock that all processes of a machine share and nobody sets: `performance.now()` of each begins with its own start, and the
 * time of day may be set between two starts.
 */
export function steadyMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** A time of {@link steadyMs} as `performance.now()` would have told it here. */
export function localMs(steady: number): number {
  return steady - (steadyMs() - performance.now());
}

/** A time of `performance.now()` here, for all processes of this machine. */
export function sharedMs(local: number): number {
  return local + (steadyMs() - performance.now());
}
