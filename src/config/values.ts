/** Types of setting values. Each takes the text of a flag or variable as well as the value of a file. */
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import type { ListenAddress } from '../core/listening.js';
import type { Difficulty } from '../core/target.js';

export type { ListenAddress };

const HOST_AND_PORT = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]*]*):)?(\d{1,5})$/;
const INTEGER = /^\d+(?:[eE]\+?\d{1,2})?$/;

/** `host:port`, `[v6]:port`, `:port` or `port`; without a host, the loopback address. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = HOST_AND_PORT.exec(text.trim());
  const port = Number(match?.[2]);
  if (!match || port > 65_535) return undefined;
  const host = match[1]?.replace(/^\[|\]$/g, '') || '127.0.0.1';
  return { host, port };
}

/** What is wrong with one that is none; `example` is one that is. */
function noAddress(given: string, example: string): string {
  const text = given.trim();
  const host = text.slice(0, Math.max(0, text.lastIndexOf(':')));
  const port = text.slice(host.length + 1);
  if (host === '*')
    return `is no address: all of this machine are 0.0.0.0:${port}, and those of IPv6 [::]:${port}`;
  const isWhole = isIPv6(host) && /^\d{1,5}$/.test(port);
  const bracketed = isWhole ? `[${host}]:${port}` : `[${text}]:PORT`;
  if (isWhole || isIPv6(text)) return `is no address: an IPv6 address stands in brackets, ${bracketed}`;
  return `is no address: host:port, for example ${example}`;
}

const listenText = z.union([z.string(), z.number().transform(String)]);

export const listenAddress = listenText.transform((text, context): ListenAddress => {
  const address = parseListenAddress(text);
  if (address) return address;
  context.addIssue(noAddress(text, '127.0.0.1:1920'));
  return z.NEVER;
});

/** An address, or `off`; YAML reads a bare `off` as false. */
export const listenAddressOrOff = z.union([listenText, z.literal(false)]).transform((given, context) => {
  if (given === false || given === 'off') return 'off' as const;
  const address = parseListenAddress(given);
  if (address) return address;
  context.addIssue(noAddress(given, '0.0.0.0:1917, or off'));
  return z.NEVER;
});

export const shareDifficulty = z.union([z.string(), z.number()]).transform((given, context) => {
  if (given === 'vardiff' || given === 'block') return given;
  const difficulty = parseDifficulty(String(given));
  if (difficulty !== undefined) return difficulty;
  context.addIssue('is none of vardiff, block, or a number of expected hashes such as 4e12');
  return z.NEVER;
});

/** A whole number of expected hashes, 1 or more: `1000000` or `1e6`. */
export function parseDifficulty(text: string): Difficulty | undefined {
  if (!INTEGER.test(text)) return undefined;
  const [digits = '', exponent = '0'] = text.toLowerCase().replace('+', '').split('e');
  const value = BigInt(digits) * 10n ** BigInt(exponent);
  return value >= 1n && value <= 1n << 256n ? value : undefined;
}

export function integer(min: number, max: number) {
  const shape = `is no whole number from ${min} to ${max}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^-?\d+$/, shape)
          .transform(Number),
      ],
      shape,
    )
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, shape);
}

export function oneOf<const T extends string>(...values: T[]) {
  return z.preprocess(
    (given) => (given === false ? 'off' : given),
    z.enum(values, `is none of ${values.join(', ')}`),
  );
}

export const chains = z.union(
  [z.literal('auto'), integer(1, 20)],
  'is neither auto nor a number of chains from 1 to 20',
);

export const instance = z.union(
  [z.literal('auto'), integer(0, 127)],
  'is neither auto nor a whole number from 0 to 127',
);

/** A list: of a file, of repeated flags, or of text parted by commas. */
export function listOf<T extends z.ZodType>(item: T) {
  const split = (given: unknown): unknown =>
    typeof given === 'string' ? given.split(',').filter(Boolean) : given;
  return z.preprocess(split, z.array(item));
}

export const text = z.string('is no text').trim();

export function urlOf(...protocols: string[]) {
  const shape = `is no URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  return text.refine((value) => hasProtocol(value, protocols), shape).transform(withReadableLogin);
}

/** The same, or nothing at all. */
export function urlOrNothing(...protocols: string[]) {
  const url = urlOf(...protocols);
  return text.transform((value, context) => {
    if (value === '') return value;
    const { data, error } = url.safeParse(value);
    if (data !== undefined) return data;
    context.addIssue(error?.issues[0]?.message ?? 'is no URL');
    return z.NEVER;
  });
}

/** URLs: of a file, of repeated flags, or of text parted by commas; commas of a password part nothing. */
export function urlsOf(item: z.ZodType<string>, whenEmpty: string) {
  const split = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.flatMap(split);
    return typeof given === 'string' ? given.match(URL_IN_LIST) : given;
  };
  return z.preprocess((given) => split(given) ?? [], z.array(item).min(1, whenEmpty));
}

/** A scheme with or without a login, and all up to the next comma. */
const URL_IN_LIST = /(?:[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?)?[^,]+/gi;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Base URL of a node; a bare `host:port` is one of plain HTTP. */
export const nodeUrl = text
  .transform((value) => (SCHEME.test(value) || value === '' ? value : `http://${value}`))
  .refine(
    (value) => hasProtocol(value, ['http:', 'https:']),
    'is no URL of a node: host:port, or one that begins with http:// or https://',
  )
  .refine(
    (value) => !/[?#]/.test(value),
    'has a part behind ? or #, which nodes are never sent: give credentials as http://user:password@host, with %3F and %23 for ? and #',
  )
  .transform(withReadableLogin);

function hasProtocol(value: string, protocols: readonly string[]): boolean {
  return URL.canParse(value) && protocols.includes(new URL(value).protocol);
}

/** A percent sign that begins no code stands for itself: who reads the login decodes it. */
function withReadableLogin(value: string): string {
  const login = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(value)?.[1];
  if (login === undefined || isDecodable(login)) return value;
  return value.replace(login, () => login.replaceAll('%', '%25'));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false; // this is the question
  }
}

export const publicKey = text.regex(/^[0-9a-f]{64}$/, 'is no public key of 64 lower-case hex digits');

export const switchedOn = z.preprocess(
  (given) => (given === 'true' ? true : given === 'false' ? false : given),
  z.boolean('is neither true nor false'),
);

/** A whole number of 64 bits. */
export const wholeNumber64 = z.union([z.string(), z.number()]).transform((given, context) => {
  const text = String(given);
  const number = /^\d{1,20}$/.test(text) ? BigInt(text) : 1n << 64n;
  if (number < 1n << 64n) return number;
  context.addIssue('is no whole number below 2^64');
  return z.NEVER;
});

export function numberFrom(min: number, max: number) {
  const shape = `is no number from ${min} to ${max}`;
  return z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d+(\.\d+)?(e\+?\d+)?$/i, shape)
          .transform(Number),
      ],
      shape,
    )
    .refine((value) => value >= min && value <= max, shape);
}

/** Expected hashes as a double: what vardiff reckons in. */
export const difficultyNumber = numberFrom(1, 2 ** 200);

/** A map: of a file, of `NAME=VALUE` flags, or of text: parted by commas, or JSON. A name may hold `=`. */
export function mapOf<T extends z.ZodType>(item: T) {
  return mapBy(item, splitAtLast, (text) => text.split(',').filter(Boolean));
}

/** The same of secrets: a password may hold `=` and commas and begin with a blank, a name no `=`. */
export const passwords = mapBy(z.string('is no text').min(1, 'has an empty password'), splitAtFirst, (text) =>
  // What has no `=` goes on with the password before it.
  text.split(/,(?=[^,=]+=)/),
);

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
    read,
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
  z.array(z.string(), 'is no command'),
);
