/** Numbers with their units. Each takes the text of a flag or variable as well as the number or text of a file. */
import { z } from 'zod';
import type { Difficulty } from '../core/work/target.js';
import { type Bound, boundOf, noQuantity, readQuantity, readWhole, type Unit } from './units.js';

/** A number of `unit`, both bounds included; see units.ts for what may be written. */
export function numberOf(unit: Unit, min: Bound, max: Bound) {
  const [least, most] = [boundOf(min, unit), boundOf(max, unit)];
  const fault = noQuantity(unit, min, max);
  return z.union([z.number(), z.string()], fault).transform((given, context): number => {
    const value = readQuantity(String(given), unit);
    if (value !== undefined && value >= least && value <= most) return value;
    context.addIssue(fault);
    return z.NEVER;
  });
}

/** Expected hashes as a double: what vardiff reckons in. */
export const difficultyNumber = numberOf('hashes', 1, 2 ** 200);

/** A whole number of expected hashes, 1 or more: `1000000`, `1e6` or `1M`. */
export function parseDifficulty(text: string): Difficulty | undefined {
  const value = readWhole(text, 'count');
  return value !== undefined && value >= 1n && value <= 1n << 256n ? value : undefined;
}
