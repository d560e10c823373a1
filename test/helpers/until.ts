/** Waits for something that happens in its own time. */
const STEP_MS = 5;
/** Looks grow rarer, so that they do not themselves keep the machine busy. */
const LONGEST_STEP_MS = 250;
const STEP_OF_WAIT = 0.05;
/** What never comes fails a test; what comes late, on a machine that others keep busy, does not. */
export const PATIENCE_MS = 120_000;

/** Resolves with the first value that is neither `undefined` nor `false`; fails with `what` after `timeoutMs`. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const startedMs = performance.now();
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen as T;
    const waitedMs = performance.now() - startedMs;
    if (waitedMs > timeoutMs) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    const stepMs = Math.min(LONGEST_STEP_MS, Math.max(STEP_MS, waitedMs * STEP_OF_WAIT));
    await new Promise((resolve) => setTimeout(resolve, stepMs));
  }
}

/** The same for a condition that says by its own text what is waited for. */
export async function untilTrue(condition: () => boolean, timeoutMs = PATIENCE_MS): Promise<void> {
  await until(condition.toString(), condition, timeoutMs);
}
