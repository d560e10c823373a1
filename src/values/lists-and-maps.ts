/** Values of several parts. Each takes the text of a flag or variable as well as the value of a file. */
import { z } from 'zod';
import { NO_TEXT } from './words.js';

/** A list: of a file, of repeated flags, or of text parted by commas. */
export function listOf<T extends z.ZodType>(item: T) {
  const split = (given: unknown): unknown =>
    typeof given === 'string' ? given.split(',').filter(Boolean) : given;
  return z.preprocess(split, z.array(item, 'is no list'));
}

/** A map: of a file, of `NAME=VALUE` flags, or of text: parted by commas, or JSON. A name may hold `=`. */
export function mapOf<T extends z.ZodType>(item: T) {
  return mapBy(item, splitAtLast, (text) => text.split(',').filter(Boolean));
}

/** The same of secrets: a password may hold `=` and commas and begin with a blank, a name no `=`. */
export const passwords = mapBy(z.string(NO_TEXT).min(1, 'has an empty password'), splitAtFirst, (text) =>
  // What has no `=` goes on with the password before it.
  text.split(/,(?=[^,=]+=)/),
);

/** What every object has of its own: under such a name a value would be lost, or taken for another. */
const BUILT_IN = Object.getOwnPropertyNames(Object.prototype);

function mapBy<T extends z.ZodType>(
  item: T,
  splitPair: (pair: string) => [string, string | undefined],
  splitText: (text: string) => string[],
) {
  const read = (given: unknown): unknown => {
    const pairs =
      typeof given === 'string' ? (asJson(given) ?? (given === '' ? [] : splitText(given))) : given;
    if (!Array.isArray(pairs)) return pairs;
    return Object.fromEntries(pairs.map((pair) => splitPair(String(pair))));
  };
  return z.preprocess(
    (given, context) => {
      const map = read(given);
      const builtIn = Object.keys(map ?? {}).find((name) => BUILT_IN.includes(name));
      if (builtIn === undefined) return map;
      context.addIssue(`has the name ${builtIn}, which programs keep for themselves: choose another`);
      return z.NEVER;
    },
    z.record(z.string().min(1, 'has an empty name'), item, 'is no map of names to values'),
  );
}

function asJson(text: string): unknown {
  if (!text.startsWith('{')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it only begins like JSON
  }
}

function splitAtLast(pair: string): [string, string | undefined] {
  return splitAt(pair, pair.lastIndexOf('='));
}

function splitAtFirst(pair: string): [string, string | undefined] {
  return splitAt(pair, pair.indexOf('='));
}

function splitAt(pair: string, at: number): [string, string | undefined] {
  return at === -1 ? [pair, undefined] : [pair.slice(0, at), pair.slice(at + 1)];
}

/** A program and its arguments: a list, or text parted by blanks ("double quotes" keep blanks). */
export const commandLine = z.preprocess(
  (given) =>
    typeof given === 'string'
      ? Array.from(given.matchAll(/"([^"]*)"|\S+/g), ([word, quoted]) => quoted ?? word)
      : given,
  z.array(z.string(NO_TEXT), 'is no command: a program and its arguments'),
);
