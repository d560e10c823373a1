/** Numbers with their units. Each takes the text of a flag or variable as well as the number or text of a file. */
import { z } from 'zod';
import type { Difficulty } from '../core/work/target.js';
import { noQuantity, readQuantity, readWhole, type Unit } from './units.js';

const numberOrText = (fault: string) => z.union([z.number(), z.string()], fault);

/** A number of `unit`, both bounds included; see units.ts for what may be written. */
export function numberOf(unit: Unit, min: number, max: number) {
  const fault = noQuantity(unit, min, max);
  return numberOrText(fault).transform((given, context): number => {
    const value = readQuantity(String(given), unit);
    if (value !== undefined && value >= min && value <= max) return value;
    context.addIssue(fault);
    return z.NEVER;
  });
}

/** `auto`, or such a number. */
export function numberOrAuto(unit: Unit, min: number, max: number) {
  return z.union([z.literal('auto'), numberOf(unit, min, max)], `${noQuantity(unit, min, max)}, nor auto`);
}

/** Expected hashes as a double: what vardiff reckons in. */
export const difficultyNumber = numberOf('hashes', 1, 2 ** 200);

/** A whole number of expected hashes, 1 or more: `1000000`, `1e6` or `1M`. */
export function parseDifficulty(text: string): Difficulty | undefined {
  const value = readWhole(text, 'count');
  return value !== undefined && value >= 1n && value <= 1n << 256n ? value : undefined;
}
