/** Values of a running bridge as views have them. */
import type { HashRate } from '../../core/shares/hash-rate.js';

export function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}

export function timeOrNull(ms: number | null | undefined): string | null {
  return ms === undefined || ms === null ? null : timeOf(ms);
}

export function hashesOrNull(difficulty: bigint | undefined): string | null {
  return difficulty === undefined ? null : String(difficulty);
}

/** Of what is estimated: six digits are more than it is good for. */
export function rounded(value: number): number {
  return Number(value.toPrecision(6));
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
