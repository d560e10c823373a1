/** How fresh jobs are, on its way to the books: now and then, and at the end. */
import { setTimeout as pause } from 'node:timers/promises';
import { JobDelays } from '../../bridge/watch/job-delays.js';
import type { Log } from '../../core/names/log.js';
import { addDelays } from '../../ledger/history/freshness.js';
import type { Ledger } from '../../ledger/ledger.js';
import { WALL_CLOCK } from '../clocks.js';
import type { Site } from '../site.js';

interface DelayKeeper {
  /** Writes what is left, as far as the books take it at once. */
  close(withinMs?: number): Promise<void>;
}

const INTERVAL_MS = 10_000;
const PATIENCE_MS = 1_500;
const NEEDS_MS = 100;

/** Of all jobs from now on, until the bridge stops. */
export function openDelays({ events, log, open }: Site, ledger: Ledger): void {
  const keeper = keepDelays(new JobDelays(events, WALL_CLOCK), ledger, log);
  open.add('how fresh jobs are', (withinMs) => keeper.close(withinMs), NEEDS_MS);
}

export function keepDelays(
  delays: JobDelays,
  ledger: Pick<Ledger, 'pool'>,
  log: Log,
  intervalMs = INTERVAL_MS,
): DelayKeeper {
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    const minutes = delays.take();
    if (minutes.length === 0) return;
    try {
      await addDelays(ledger.pool, minutes, WALL_CLOCK.nowMs());
    } catch (error) {
      delays.giveBack(minutes);
      log.debug({ error: (error as Error).message }, 'how fresh jobs are cannot be written now');
    }
  };
  const timer = setInterval(() => {
    writing ??= write().finally(() => {
      writing = undefined;
    });
  }, intervalMs);
  return {
    close: async (withinMs = PATIENCE_MS) => {
      clearInterval(timer);
      const late = pause(Math.min(PATIENCE_MS, withinMs), undefined, { ref: false });
      await Promise.race([late, (writing ?? Promise.resolve()).then(write)]);
    },
  };
}
