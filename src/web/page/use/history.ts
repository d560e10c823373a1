/** What was done over time, asked for again as often as there may be something new. */
import type { Range } from '../../../operations/enums.js';
import type { History } from '../reading/answers.js';
import { type Asked, useAnswer } from './reading.js';

/** The bridge answers anew once in a twelfth of a step, and at least every 15 s. */
const HOUR_EVERY_MS = 5_000;
const EVERY_MS = 15_000;

/** @param of `pool`, `account:NAME` or `rig:ACCOUNT.RIG`. */
export function useHistory(metric: History['metric'], range: Range, of = 'pool'): Asked<History> {
  const query = new URLSearchParams({ metric, of, range }).toString();
  return useAnswer(`/api/v1/history?${query}`, range === '1h' ? HOUR_EVERY_MS : EVERY_MS);
}
