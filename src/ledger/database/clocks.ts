/** This machine's clock beside the database's: upkeep that follows a wrong one would move shares out of the blocks they earned. */
import type pg from 'pg';
import type { Log } from '../../core/log.js';

/** Clocks that are kept right differ by far less. */
export const TOLERATED_SKEW_MS = 60_000;

/** How far this machine is ahead of the database (below zero: behind), as little as the time of the question allows. */
export async function clockSkewMs(pool: pg.Pool, nowMs: () => number): Promise<number> {
  const askedAtMs = nowMs();
  const { rows } = await pool.query<{ ms: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  const answeredAtMs = nowMs();
  const thereMs = rows[0]?.ms ?? Number.NaN;
  if (thereMs < askedAtMs) return askedAtMs - thereMs;
  return Math.min(0, answeredAtMs - thereMs);
}

export interface ClockWatch {
  /** Whether the clocks agree well enough; says so when they cease to, and when they do again. */
  agree(skewMs: number): boolean;
}

export function watchClocks(log: Log): ClockWatch {
  let agreed = true;
  return {
    agree: (skewMs) => {
      const agree = Math.abs(skewMs) <= TOLERATED_SKEW_MS;
      if (!agree && agreed) log.error({ skewMs: Math.round(skewMs) }, `${skewWords(skewMs)}: ${WAITS}`);
      if (agree && !agreed) log.info({}, 'the clocks agree again, and the upkeep of the ledger goes on');
      agreed = agree;
      return agree;
    },
  };
}

const WAITS =
  'the upkeep of the ledger waits until they agree; shares are recorded meanwhile. Keep both clocks right with NTP';

export function skewWords(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return `the clock of this machine is ${seconds} s ${skewMs < 0 ? 'behind' : 'ahead of'} that of the database`;
}
