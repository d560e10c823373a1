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

/** `new` or `k:` and a public key, and perhaps `=` and an amount of coins. */
export const fundedAccount = text.regex(
  /^(new|k:[0-9a-f]{64})(=\d{1,12}(\.\d{1,12})?)?$/,
  'is neither new nor k: and a public key of 64 hex digits; behind = may stand an amount such as 1000.5',
);

/** One of a few words, or the path of a JSON file. */
export function nameOrFile(...names: string[]) {
  return text.refine(
    (value) => names.includes(value) || /\.json$|[/\\]/.test(value),
    `is none of ${names.join(', ')}, and no file such as ./my-own.json`,
  );
}

const MOMENT = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:\d\d)?$/;

/** A time of the calendar, UTC where it names no zone, or the one word. */
export function momentOr<const T extends string>(word: T) {
  return text.transform((given, context): Date | T => {
    if (given === word) return word;
    const zone = MOMENT.exec(given);
    const moment = new Date(zone && !zone[1] && given.length > 10 ? `${given.replace(' ', 'T')}Z` : given);
    if (zone && !Number.isNaN(moment.getTime())) return moment;
    context.addIssue(`is neither ${word} nor a time such as 2026-12-01 or 2026-12-01T06:30 (UTC)`);
    return z.NEVER;
  });
}

export const switchedOn = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean('is neither true nor false'),
);

/** Of this machine, as it is asked for. */
export const hostName = text
  .toLowerCase()
  .regex(
    /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*$/,
    'is no host name such as pool.example: without scheme, port and path',
  );

/** As browsers name them. */
export const webOrigin = text.refine(
  (value) => value === '*' || (URL.canParse(value) && new URL(value).origin === value),
  'is no origin such as https://pool.example, which has no path and no slash at its end, nor *',
);

/** Of the page. */
export const webUrl = text
  .transform((value) => value.replace(/\/$/, ''))
  .refine(
    (value) =>
      value === '' || (/^https?:/.test(value) && URL.canParse(value) && new URL(value).origin === value),
    'is no address of a page such as https://pool.example, which has no path',
  );

export const publicKey = text.regex(/^[0-9a-f]{64}$/, 'is no public key of 64 lower-case hex digits');
