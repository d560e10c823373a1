/** A line in the log each few minutes while all is well: silence would look the same as a bridge that hangs. */
import type { Log } from '../../core/names/log.js';
import type { Summary } from '../../operations/state.js';

interface SignsOfLife {
  close(): void;
}

const INTERVAL_MS = 5 * 60_000;

/** @param look what is to be told, now. */
export function startSignsOfLife(
  look: () => object | Promise<object>,
  log: Log,
  intervalMs = INTERVAL_MS,
): SignsOfLife {
  const tell = async (): Promise<void> => {
    try {
      log.info({ event: 'alive', ...(await look()) }, 'at work');
    } catch (error) {
      log.warn({ event: 'alive', error: (error as Error).message }, 'at work, and cannot say how');
    }
  };
  const timer = setInterval(() => void tell(), intervalMs);
  return { close: () => clearInterval(timer) };
}

export function lifeOf({ sessions, hashesPerSecond, submits, solutions, queue, nodes }: Summary): object {
  const healthyNodes = nodes.filter(({ state }) => state === 'healthy').length;
  const { waiting = 0, heldBack = 0 } = queue;
  const counts = { accepted: submits.accepted, blocks: solutions.accepted, waiting, heldBack };
  return { sessions, hashesPerSecond, healthyNodes, ...counts };
}
