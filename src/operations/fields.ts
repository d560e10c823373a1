/** Fields that many answers and questions of the API have. */
import { z } from 'zod';
import { NAME_BYTES, nameFault } from '../core/names/names.js';

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
