/** Steps of the times that history is shown of. */
import type { Range } from '../../operations/enums.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Steps of one length, the last one that of now. */
interface Span {
  readonly stepMs: number;
  readonly steps: number;
}

/** Of a year the last step is that of today, in UTC. */
export const SPANS: Readonly<Record<Range, Span>> = {
  '1h': { stepMs: MINUTE_MS, steps: 60 },
  '24h': { stepMs: 10 * MINUTE_MS, steps: 144 },
  '7d': { stepMs: HOUR_MS, steps: 168 },
  '30d': { stepMs: 3 * HOUR_MS, steps: 240 },
  '1y': { stepMs: DAY_MS, steps: 365 },
};
