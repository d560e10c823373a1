/** Starting what may be told to stop at any moment, and stopping in order. */
import type { Log } from '../../core/names/log.js';
import type { Stop } from './signals.js';

/** Everything is down within this time of being told to stop. */
export const STOP_LIMIT_MS = 10_000;
/** In the middle of a start nothing is worth waiting for any longer. */
const STARTING_STOP_LIMIT_MS = 1_500;

/** A part that came up after the end; the start that made it is over. */
class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly code = 'stopped';
}

/** Closes in the reverse order of opening; every closer runs, whatever another one does. */
export class CloseStack {
  readonly #closers: { name: string; close: () => unknown }[] = [];
  readonly #late: Promise<void>[] = [];
  /** From {@link close} on. */
  #log: Log | undefined;

  /** After {@link close} the part is closed at once, and the start that goes on regardless is ended by an error. */
  add(name: string, close: () => unknown): void {
    if (this.#log) {
      this.#late.push(closeOne(name, close, this.#log));
      throw new StoppedError(`${name} is up after the stop`);
    }
    this.#closers.push({ name, close });
  }

  async close(log: Log): Promise<void> {
    this.#log = log;
    for (let last = this.#closers.pop(); last; last = this.#closers.pop()) {
      await closeOne(last.name, last.close, log);
    }
    await Promise.all(this.#late);
  }
}

async function closeOne(name: string, close: () => unknown, log: Log): Promise<void> {
  try {
    await close();
    log.debug({ part: name }, 'stopped');
  } catch (error) {
    log.error({ part: name, error: (error as Error).message }, 'did not stop properly');
  }
}

/**
 * Runs a start that adds its parts to `open`. Resolves with what it started, or with `undefined` when it was told to stop
 * before; then, as when the start fails, all parts are closed. A start that hangs is left behind with the whole process.
 */
export async function startUnlessStopped<T>(
  stop: Stop,
  open: CloseStack,
  log: Log,
  start: () => Promise<T>,
): Promise<T | undefined> {
  let isUp = false;
  const asked = stop.asked.then((reason) => {
    if (isUp) return undefined;
    leaveAfter(STARTING_STOP_LIMIT_MS, stop, log);
    log.info({ event: 'stopping', reason }, 'stopping in the middle of the start');
    return undefined;
  });
  log.debug({ event: 'starting' }, 'starting');
  const starting = start();
  try {
    const started = await Promise.race([starting, asked]);
    isUp = started !== undefined;
    if (isUp) return started;
  } catch (error) {
    // Nobody else would say why, if a part that stands does not close.
    leaveAfter(STOP_LIMIT_MS, stop, log, { startFailed: (error as Error).message });
    await open.close(log);
    throw error;
  }
  await open.close(log);
  await starting.catch((error: Error) => log.debug({ error: error.message }, 'the start is over'));
  await open.close(log);
  log.info({ event: 'stopped' }, 'stopped');
  return undefined;
}

/**
 * Closes what stands within {@link STOP_LIMIT_MS}, or ends the process.
 *
 * @param staysOn the process goes on without all that: otherwise what keeps it alive has as long to end.
 */
export async function stopInOrder(stop: Stop, open: CloseStack, log: Log, staysOn = false): Promise<void> {
  const timer = leaveAfter(STOP_LIMIT_MS, stop, log);
  await open.close(log);
  log.info({ event: 'stopped' }, 'stopped');
  if (staysOn) clearTimeout(timer);
}

/** Ends the process when stopping takes longer than promised. */
function leaveAfter(limitMs: number, stop: Stop, log: Log, why: object = {}): NodeJS.Timeout {
  return setTimeout(() => {
    log.error({ limitMs, ...why }, 'stopping took too long; leaving');
    stop.leave();
  }, limitMs).unref();
}
