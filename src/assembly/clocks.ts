/** The two clocks of a bridge: parts are given the one that they need. */
import type { Clock } from '../bridge/ports.js';

/** The time of day: what is written into books. */
export const WALL_CLOCK: Clock = { nowMs: () => Date.now() };
/** Never jumps, whatever happens to the time of day: for all that measures how long something took. */
export const STEADY_CLOCK: Clock = { nowMs: () => performance.timeOrigin + performance.now() };
