/**
 * Says aloud when the queue's backend lost what it had taken, as a Redis does that is flushed or forgets at its end: then
 * the ledger has fewer entries of this bridge than were acknowledged, although nothing waits any more.
 */
import type { EntryCounts } from '../bridge/ports.js';
import type { Log } from '../core/log.js';
import type { ShareQueue } from './share-queue.js';

export interface LossWatchOptions {
  readonly queue: ShareQueue;
  readonly entries: EntryCounts;
  readonly log: Log;
  readonly intervalMs?: number;
}

export interface LossWatch {
  /** Entries known to be lost. */
  readonly lost: number;
  /** Looks now. */
  look(): Promise<void>;
  close(): Promise<void>;
}

const INTERVAL_MS = 60_000;

export function watchForLoss(options: LossWatchOptions): LossWatch {
  const { queue, entries, log, intervalMs = INTERVAL_MS } = options;
  let lost = 0;
  let looking: Promise<void> | undefined;
  const lookOnce = async (): Promise<void> => {
    const departed = await queue.departed();
    if (!departed) return;
    const missing = departed.entries - (await entries.countEntries(queue.producerId, departed.last));
    if (missing <= lost) return;
    const words =
      'the share queue lost entries that were acknowledged; the README says which settings prevent it';
    log.error({ entries: missing - lost }, words);
    lost = missing;
  };
  const look = (): Promise<void> => {
    looking ??= lookOnce()
      .catch((error: Error) => log.debug({ error: error.message }, 'nothing can be said of lost entries now'))
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const timer = setInterval(() => void look(), intervalMs);
  return {
    get lost() {
      return lost;
    },
    look,
    close: async () => {
      clearInterval(timer);
      await looking;
    },
  };
}
