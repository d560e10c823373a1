/** Values of a running bridge as views have them. */
import type { HashRate } from '../core/shares/hash-rate.js';

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function timeOrNull(ms: number | undefined): string | null {
  return ms === undefined ? null : timeOf(ms);
}

export function hashesOrNull(difficulty: bigint | undefined): string | null {
  return difficulty === undefined ? null : String(difficulty);
}

/** The highest difficulty that a share has reached, 0 for none: a double, without the digits that it does not know. */
export function reachedOrNull(reached: number): string | null {
  return reached === 0 ? null : String(BigInt(Math.round(reached)));
}

export function ratesOf(rates: readonly HashRate[]) {
  return rates.map(({ windowMs, hashesPerSecond, standardError }) => ({
    minutes: windowMs / 60_000,
    hashesPerSecond: Math.round(hashesPerSecond),
    standardError: Math.round(standardError),
  }));
}
