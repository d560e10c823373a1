/** This machine's clock beside the database's, by which the books go. */
import type pg from 'pg';
import { rowOf, statementsOf } from './statements.js';

export const SQL = statementsOf('database/clocks.sql');

/** Clocks that are kept right differ by far less. */
export const TOLERATED_SKEW_MS = 60_000;

/** How far this machine is ahead of the database (below zero: behind), as little as the time of the question allows. */
export async function clockSkewMs(pool: pg.Pool, nowMs: () => number): Promise<number> {
  const askedAtMs = nowMs();
  const thereMs = (await rowOf(pool, SQL.clock))?.ms ?? Number.NaN;
  const answeredAtMs = nowMs();
  if (thereMs < askedAtMs) return askedAtMs - thereMs;
  return Math.min(0, answeredAtMs - thereMs);
}

export function skewWords(skewMs: number): string {
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  return `the clock of this machine is ${seconds} s ${skewMs < 0 ? 'behind' : 'ahead of'} that of the database`;
}
