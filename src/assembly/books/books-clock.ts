/**
 * The time that shares and solutions are written down with: that of the database, by which the books go. By a clock of this machine that is
 * wrong, shares would count for other blocks than those that they were there for, and a settlement that waits for them would wait too long,
 * or not long enough.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../bridge/ports.js';
import { clockSkewMs, skewWords } from '../../ledger/database/clocks.js';
import type { Ledger } from '../../ledger/ledger.js';
import { STEADY_CLOCK } from '../clocks.js';
import type { Site } from '../site.js';

const LOOK_MS = 10_000;
/** Clocks that are kept right differ by less. */
const TOLERATED_MS = 1000;
/** A start waits so long for a database that answers; of one that is away the time is known later. */
const FIRST_LOOK_MS = 500;

/** Until the database has answered, it is the time of day here. */
export async function startBooksClock(
  { pool, ready }: Pick<Ledger, 'pool' | 'ready'>,
  { log, open }: Pick<Site, 'log' | 'open'>,
): Promise<Clock> {
  let aheadMs = 0;
  const look = async (): Promise<void> => {
    const skewMs = await clockSkewMs(pool, STEADY_CLOCK.nowMs);
    if (Math.abs(skewMs - aheadMs) <= TOLERATED_MS) return;
    aheadMs = skewMs;
    const words = `${skewWords(skewMs)}: shares and blocks are written down by that of the database`;
    log.warn({ skewMs: Math.round(skewMs) }, words);
  };
  const closing = new AbortController();
  const { signal } = closing;
  const first = ready.then(look);
  const keepLooking = async (): Promise<void> => {
    await first.catch(() => {}); // it is asked again
    while (!signal.aborted) {
      await pause(LOOK_MS, undefined, { signal }).catch(() => {}); // ended, which the loop sees
      if (!signal.aborted)
        await look().catch((error: Error) =>
          log.debug({ error: error.message }, 'the time of the database cannot be asked now'),
        );
    }
  };
  void keepLooking();
  open.add('clock of the books', () => closing.abort());
  // What failed was told, and is looked at again.
  await Promise.race([first.catch(() => {}), pause(FIRST_LOOK_MS, undefined, { signal })]);
  return { nowMs: () => STEADY_CLOCK.nowMs() - aheadMs };
}
