/** Waits for something that happens in its own time. */
const STEP_MS = 5;
/** What never comes fails a test; what comes late, on a machine that others keep busy, does not. */
export const PATIENCE_MS = 150_000;

/** Resolves with the first value that is neither `undefined` nor `false`; fails with `what` after `timeoutMs`. */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen as T;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

/** The same for a condition that says by its own text what is waited for. */
export async function untilTrue(condition: () => boolean, timeoutMs = PATIENCE_MS): Promise<void> {
  await until(condition.toString(), condition, timeoutMs);
}
