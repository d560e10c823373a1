/** `?offset=0&limit=100`: which part of a list a request wants. */
import type { Slice } from '../bridge/rig-watch.js';

const DEFAULT_LIMIT = 100;
export const MAX_LIMIT = 1000;
const MAX_OFFSET = 10_000_000;

/** A sentence that says what is wrong, or the slice. */
export function sliceOf(query: Readonly<Record<string, unknown>>): Slice | string {
  const unknown = Object.keys(query).find((name) => name !== 'offset' && name !== 'limit');
  if (unknown !== undefined) {
    return `there is no parameter ${JSON.stringify(unknown.slice(0, 40))}, only offset and limit`;
  }
  const offset = numberOf('offset', query['offset'], 0, MAX_OFFSET, 0);
  const limit = numberOf('limit', query['limit'], 1, MAX_LIMIT, DEFAULT_LIMIT);
  if (typeof offset === 'string') return offset;
  return typeof limit === 'string' ? limit : { offset, limit };
}

function numberOf(
  name: string,
  value: unknown,
  min: number,
  max: number,
  byDefault: number,
): number | string {
  if (value === undefined) return byDefault;
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  return `${name} is a whole number from ${min} to ${max}, not ${JSON.stringify(value).slice(0, 40)}`;
}
