/** Waiting for the end, and stopping in order. */
import type { Log } from '../core/log.js';

/** Everything is down within this time of being told to stop. */
export const STOP_LIMIT_MS = 10_000;

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Resolves with the reason when this process is told to stop: by a signal, or by the end of the process that started
 * it with an IPC channel (so that no child outlives a parent that was killed).
 */
export async function untilStopped(): Promise<string> {
  return new Promise((resolve) => {
    const stop = (reason: string): void => {
      for (const signal of SIGNALS) process.off(signal, stop);
      // A second signal must not kill a process that is putting its books away; the time limit does.
      for (const signal of SIGNALS) process.on(signal, () => {});
      resolve(reason);
    };
    for (const signal of SIGNALS) process.on(signal, stop);
    process.once('disconnect', () => stop('parent ended'));
  });
}

/** Closes in the reverse order of opening; every closer runs, whatever another one does. */
export class CloseStack {
  readonly #closers: { name: string; close: () => unknown }[] = [];

  add(name: string, close: () => unknown): void {
    this.#closers.push({ name, close });
  }

  async close(log: Log): Promise<void> {
    for (let last = this.#closers.pop(); last; last = this.#closers.pop()) {
      try {
        await last.close();
        log.debug({ part: last.name }, 'stopped');
      } catch (error) {
        log.error({ part: last.name, error: (error as Error).message }, 'did not stop properly');
      }
    }
  }
}

/** Ends the process when stopping takes longer than promised. */
export function exitAfter(limitMs: number, log: Log): void {
  setTimeout(() => {
    log.error({ limitMs }, 'stopping took too long; leaving');
    process.exit(1);
  }, limitMs).unref();
}
