/** Texts, and words of which there are few. Each takes the text of a flag or variable as well as the value of a file. */
import { z } from 'zod';

/** YAML reads bare digits as a number, which has lost its leading zeros. */
export const NO_TEXT = 'is no text: in a file, quotes make text of a number';

export const text = z.string(NO_TEXT).trim();

/** YAML reads a bare `off` as false. */
export function oneOf<const T extends string>(...values: T[]) {
  return z.preprocess(
    (given) => (given === false ? 'off' : given),
    z.enum(values, `is none of ${values.join(', ')}`),
  );
}

/** `auto`, or what `type` takes; `fault` says what is wrong with all else. */
export function autoOr<T extends z.ZodType>(type: T, fault: string) {
  return z.union([z.literal('auto'), type], fault);
}

/** The same of another word. */
export function wordOr<const W extends string, T extends z.ZodType>(word: W, type: T, fault: string) {
  return z.union([z.literal(word), type], fault);
}

const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:\d\d)?$/;

/** A time of the calendar, UTC where it names no zone; `undefined` for all else. */
export function readMoment(given: string): Date | undefined {
  const zone = MOMENT.exec(given);
  if (!zone) return undefined;
  const moment = new Date(!zone[1] && given.length > 10 ? `${given.replace(' ', 'T')}Z` : given);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** The same, or the one word. */
export function momentOr<const T extends string>(word: T) {
  return text.transform((given, context): Date | T => {
    if (given === word) return word;
    const moment = readMoment(given);
    if (moment) return moment;
    context.addIssue(`is neither ${word} nor a time such as 2026-12-01 or 2026-12-01T06:30 (UTC)`);
    return z.NEVER;
  });
}

export const switchedOn = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean('is neither true nor false'),
);

export const publicKey = text.regex(/^[0-9a-f]{64}$/, 'is no public key of 64 lower-case hex digits');
