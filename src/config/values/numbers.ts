/** Numbers with their units. Each takes the text of a flag or variable as well as the number or text of a file. */
import { z } from 'zod';
import type { Difficulty } from '../../core/work/target.js';
import { noQuantity, readQuantity, readWhole, type Unit } from './units.js';

const numberOrText = (fault: string) => z.union([z.number(), z.string()], fault);

/** A number of `unit`, both bounds included; see units.ts for what may be written. */
export function quantity(unit: Unit, min: number, max: number) {
  const fault = noQuantity(unit, min, max);
  return numberOrText(fault).transform((given, context): number => {
    const value = readQuantity(String(given), unit);
    if (value !== undefined && value >= min && value <= max) return value;
    context.addIssue(fault);
    return z.NEVER;
  });
}

/** `auto`, or such a number. */
export function quantityOrAuto(unit: Unit, min: number, max: number) {
  return z.union([z.literal('auto'), quantity(unit, min, max)], `${noQuantity(unit, min, max)}, nor auto`);
}

/** Expected hashes as a double: what vardiff reckons in. */
export const difficultyNumber = quantity('hashes', 1, 2 ** 200);

/** A whole number of 64 bits. */
export const wholeNumber64 = numberOrText('is no whole number below 2^64').transform((given, context) => {
  const number = readWhole(String(given), 'count');
  if (number !== undefined && number < 1n << 64n) return number;
  context.addIssue('is no whole number below 2^64');
  return z.NEVER;
});

export const shareDifficulty = numberOrText(
  'is none of vardiff, block, or a number of expected hashes such as 4T or 4e12',
).transform((given, context) => {
  if (given === 'vardiff' || given === 'block') return given;
  const difficulty = parseDifficulty(String(given));
  if (difficulty !== undefined) return difficulty;
  context.addIssue('is none of vardiff, block, or a number of expected hashes such as 4T or 4e12');
  return z.NEVER;
});

/** A whole number of expected hashes, 1 or more: `1000000`, `1e6` or `1M`. */
export function parseDifficulty(text: string): Difficulty | undefined {
  const value = readWhole(text, 'count');
  return value !== undefined && value >= 1n && value <= 1n << 256n ? value : undefined;
}
