/** Starting what may be told to stop at any moment, and stopping in order. */
import type { Log } from '../../core/names/log.js';
import type { Stop } from './signals.js';

/** Everything is down within this time of being told to stop. */
export const STOP_LIMIT_MS = 10_000;
/** Of that, for the process once its parts are down: so long to end by itself, and as long to be ended with its exit code. */
const ENDING_MS = 300;
/** In the middle of a start nothing is worth waiting for any longer. */
const STARTING_STOP_LIMIT_MS = 1_500;

/** A part that came up after the end; the start that made it is over. */
class StoppedError extends Error {
  override readonly name = 'StoppedError';
  readonly code = 'stopped';
}

interface Part {
  readonly name: string;
  readonly needsMs: number;
  close(withinMs: number): unknown;
}

/** Enough for what waits for nobody. */
const LITTLE_MS = 20;

/**
 * Closes in the reverse order of opening; every closer runs, whatever another one does. They share one time: each may take what is left,
 * but for what those after it need.
 */
export class CloseStack {
  readonly #parts: Part[] = [];
  readonly #late: Promise<void>[] = [];
  /** From {@link close} on. */
  #log: Log | undefined;
  /** On a rising clock. */
  #untilMs = Number.POSITIVE_INFINITY;

  /**
   * After {@link close} the part is closed at once, and the start that goes on regardless is ended by an error.
   *
   * @param close is told how long it may take. One that takes longer is left behind.
   * @param needsMs is kept for it, however long those take that are closed before it.
   */
  add(name: string, close: Part['close'], needsMs = LITTLE_MS): void {
    const part = { name, close, needsMs };
    if (this.#log) {
      this.#late.push(this.#close(part, this.#log));
      throw new StoppedError(`${name} is up after the stop`);
    }
    this.#parts.push(part);
  }

  /** @param withinMs for all of them. Without it none is left behind. */
  async close(log: Log, withinMs = Number.POSITIVE_INFINITY): Promise<void> {
    this.#log = log;
    this.#untilMs = performance.now() + withinMs;
    for (let last = this.#parts.pop(); last; last = this.#parts.pop()) await this.#close(last, log);
    await Promise.all(this.#late);
  }

  async #close(part: Part, log: Log): Promise<void> {
    const { name } = part;
    const withinMs = this.#timeOf(part);
    try {
      const closing = Promise.resolve(part.close(Math.min(STOP_LIMIT_MS, withinMs)));
      if (await hasEnded(closing, withinMs)) log.debug({ part: name }, 'stopped');
      else
        log.warn({ part: name, withinMs: Math.round(withinMs) }, 'did not stop in time, and is left behind');
    } catch (error) {
      log.error({ part: name, error: (error as Error).message }, 'did not stop properly');
    }
  }

  #timeOf({ needsMs }: Part): number {
    const others = this.#parts.reduce((sum, part) => sum + part.needsMs, 0);
    return Math.max(needsMs, this.#untilMs - performance.now() - others);
  }
}

async function hasEnded(closing: Promise<unknown>, withinMs: number): Promise<boolean> {
  const ended = closing.then(() => true);
  if (withinMs === Number.POSITIVE_INFINITY) return ended;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, withinMs, false);
  });
  return Promise.race([ended, late]).finally(() => clearTimeout(timer));
}

/** What is to stop, and how. */
interface Stopping {
  readonly stop: Stop;
  readonly open: CloseStack;
  readonly log: Log;
  /** Everything is down within this time. */
  readonly limitMs: number;
}

/**
 * Runs a start that adds its parts to `open`. Resolves with what it started, or with `undefined` when it was told to stop
 * before; then, as when the start fails, all parts are closed. A start that hangs is left behind with the whole process.
 */
export async function startUnlessStopped<T>(
  stopping: Stopping,
  start: () => Promise<T>,
): Promise<T | undefined> {
  const { stop, open, log } = stopping;
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
    await closeAll(stopping, { startFailed: (error as Error).message });
    endSoon();
    throw error;
  }
  await open.close(log);
  await starting.catch((error: Error) => log.debug({ error: error.message }, 'the start is over'));
  await open.close(log);
  log.info({ event: 'stopped' }, 'stopped');
  return undefined;
}

/** Closes what stands, and ends the process. */
export async function stopInOrder(stopping: Stopping): Promise<void> {
  await closeAll(stopping);
  stopping.log.info({ event: 'stopped' }, 'stopped');
  endSoon();
}

async function closeAll({ stop, open, log, limitMs }: Stopping, why: object = {}): Promise<void> {
  leaveAfter(limitMs, stop, log, why);
  await open.close(log, limitMs - 2 * ENDING_MS);
}

/** A process that ends would wait for these, maybe for ever: then {@link leaveAfter} ends it. */
const BLOCKING = /^(FSReq|GetAddrInfo|GetNameInfo)/;

/** What was left behind may keep the process alive. By then it has its exit code. */
function endSoon(): void {
  setTimeout(() => {
    if (!process.getActiveResourcesInfo().some((name) => BLOCKING.test(name))) process.exit();
  }, ENDING_MS).unref();
}

/** Ends the process when stopping takes longer than promised. */
function leaveAfter(limitMs: number, stop: Stop, log: Log, why: object = {}): void {
  setTimeout(() => {
    log.error({ limitMs, ...why }, 'stopping took too long; leaving');
    stop.leave();
  }, limitMs).unref();
}
