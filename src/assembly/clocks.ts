/** The two clocks of a bridge: parts are given the one that they need. */
import type { Clock } from '../bridge/ports.js';

/** The time of day here. What is written into books is of `books/books-clock.ts`. */
export const WALL_CLOCK: Clock = { nowMs: () => Date.now() };
/** Never jumps, whatever happens to the time of day: for all that measures how long something took. */
export const STEADY_CLOCK: Clock = { nowMs: () => performance.timeOrigin + performance.now() };
