/** Fields that many answers and questions of the API have. */
import { z } from 'zod';
import { NAME_BYTES, nameFault, textFault } from '../../core/names/names.js';
import { formatQuantity, readQuantity, readWhole } from '../../values/units.js';
import { readMoment } from '../../values/words.js';
import { timeOf } from './values.js';

/** As in JSON: ISO 8601, in UTC. */
export const TIME = z.iso.datetime();

/** Difficulties and work pass 2^53. */
export const HASHES = z.string().regex(/^\d+$/).describe('expected hashes, as a decimal');

export const AMOUNT = z
  .string()
  .regex(/^-?\d+\.\d{12}$/)
  .describe('of the coin, as a decimal');

/** Of a query: digits and nothing else, so that `1e3`, ` 5` and an empty word are told and not guessed at. */
export function wholeNumber(min: number, max: number) {
  const says = `a whole number from ${min} to ${max}`;
  const number = z.int(says).min(min, says).max(max, says);
  return z.preprocess((value) => (isDigits(value) ? Number(value) : value), number);
}

function isDigits(value: unknown): boolean {
  return typeof value === 'string' && /^\d{1,15}$/.test(value);
}

/** Items of one answer. */
export const MOST_AT_ONCE = 1000;

/** Which part of a list is asked for. */
export const SLICE = {
  offset: wholeNumber(0, 10_000_000).default(0).describe('items before the first one that is wanted'),
  limit: wholeNumber(1, MOST_AT_ONCE).default(100),
};

/** The same of lists that grow at their head. */
export const PAGE = {
  before: z
    .string()
    .regex(/^\d{1,18}$/, 'the `next` of a page before')
    .optional()
    .describe('the `next` of the page before: what comes meanwhile moves no page'),
};

/** As a part of a path. */
export function numberOf(thing: 'block' | 'payout') {
  return z.string().regex(/^\d{1,18}$/, `the number of a ${thing}`);
}

/** As a part of a path. One that nobody can have is told as such: it is no rig or account that is merely away. */
export function nameOf(part: 'account' | 'rig') {
  const says = `the name of ${part === 'account' ? 'an account' : 'a rig'}: at most ${NAME_BYTES[part]} bytes in UTF-8, without control characters`;
  return z
    .string()
    .refine((name) => nameFault({ account: '', rig: '', [part]: name }) === undefined, says)
    .describe('percent-encoded');
}

/** A part of a list, with the place that it has in the whole. */
export function partOf<const K extends string, T extends z.ZodType>(name: K, item: T) {
  const whole = { total: z.int().describe('items of the whole list'), offset: z.int(), limit: z.int() };
  return z.object({ ...whole, [name]: z.array(item) } as typeof whole & Record<K, z.ZodArray<T>>);
}

export const HASH_RATE = z
  .object({
    minutes: z.number().describe('of the window, or the time since the rig came, if that is shorter'),
    hashesPerSecond: z.number(),
    standardError: z.number().describe('shares come by chance: two of three times the rate is within this'),
  })
  .meta({ id: 'HashRate', description: 'From the work of accepted shares as issued' });

export const BEST_EVER = z
  .object({ difficulty: HASHES, at: TIME.describe('the minute of it') })
  .nullable()
  .describe('highest difficulty that a share ever reached, at whatever bridge; null before the first');
export type BestEver = z.output<typeof BEST_EVER>;

export const FAULT = z
  .object({ error: z.string().describe('what is wrong, in a sentence'), detail: z.string().optional() })
  .meta({ id: 'Fault' });

export const COUNT = z.int().nonnegative();

/** Of what is sent, where it is no object. */
export const BODY = 'a JSON object';

/** For people to read, and kept. */
export function line(maxCharacters: number) {
  const says = `a text of 1 to ${maxCharacters} characters, without control characters`;
  return z.string(says).refine((text) => textFault('it', text, maxCharacters) === undefined, says);
}

const ACCOUNT_SAYS = `the name of an account: 1 to ${NAME_BYTES.account} bytes in UTF-8, without dots and control characters`;
/** Without a dot: what follows the first one in a login is the rig. */
const ACCOUNT = z.string(ACCOUNT_SAYS).refine((account) => {
  return account !== '' && !account.includes('.') && nameFault({ account, rig: '' }) === undefined;
}, ACCOUNT_SAYS);

const RIG_SAYS = `the name of a rig: at most ${NAME_BYTES.rig} bytes in UTF-8, without control characters`;

/** Whom an order is about. */
export const OF_ACCOUNT = { account: ACCOUNT };
export const OF_RIG = {
  ...OF_ACCOUNT,
  rig: z
    .string(RIG_SAYS)
    .refine((rig) => nameFault({ account: '', rig }) === undefined, RIG_SAYS)
    .describe('empty for the login that names none'),
};

const GIVEN_TIME_SAYS = 'a time such as 2026-12-01, 2026-12-01T06:30 (UTC) or 2026-11-22T15:26:37.123Z';
/** As people write it, of any offset; read as one in UTC. */
export const GIVEN_TIME = z.string(GIVEN_TIME_SAYS).transform((text, context) => {
  const moment = readMoment(text);
  if (moment) return timeOf(moment.getTime());
  context.addIssue(GIVEN_TIME_SAYS);
  return z.NEVER;
});

/** Read as milliseconds. */
export function duration(minMs: number, maxMs: number) {
  const says = 'a time such as 90s, 10m or 1d';
  const [least, most] = [formatQuantity(minMs, 'time'), formatQuantity(maxMs, 'time')];
  return z.string(says).transform((text, context) => {
    const ms = readQuantity(text, 'time');
    if (ms !== undefined && ms >= minMs && ms <= maxMs) return ms;
    context.addIssue(ms === undefined ? says : `${says}, from ${least} to ${most}`);
    return z.NEVER;
  });
}

const CHAIN_SAYS = 'the number of a chain';

/** As a number or as text. @param word what stands for none in particular. */
export function givenChain<const W extends string = never>(word?: W) {
  const says = word === undefined ? CHAIN_SAYS : `${word}, or ${CHAIN_SAYS}`;
  return z.union([z.int(), z.string()], says).transform((given, context): number | W => {
    if (given === word) return given as W;
    const chain = /^\d{1,10}$/.test(String(given)) ? Number(given) : Number.NaN;
    if (chain < 2 ** 31) return chain;
    context.addIssue(says);
    return z.NEVER;
  });
}

const MAX_DIFFICULTY = 2n ** 200n;

/** As people write it; read as a decimal. */
export const GIVEN_HASHES = z
  .string('a number of expected hashes such as 4T or 4e12')
  .transform((text, context) => {
    const hashes = readWhole(text, 'count');
    if (hashes !== undefined && hashes >= 1n && hashes <= MAX_DIFFICULTY) return String(hashes);
    context.addIssue('a number of expected hashes such as 4T or 4e12, from 1 to 2^200');
    return z.NEVER;
  })
  .describe('expected hashes of a share, from 1 to 2^200: 4T, 4e12, or all digits');

/** Of an order that is in force at once. */
export const KEPT = {
  isKept: z
    .boolean()
    .describe(
      'it outlives a restart; false where it could not be written down, which the log tells: it is in force all the same',
    ),
};

/** One of these tells the kinds of a body apart; or there is no object at all. */
export function kindFault(words: readonly string[]) {
  return ({ code }: { readonly code?: string }) =>
    code === 'invalid_type' ? BODY : `one of ${words.join(', ')}`;
}
