/** Times and ages as people read them. */

const BLANK = '\u00a0';
const DAY_MS = 86_400_000;
// Made once: to make one takes a third of a millisecond, and a list tells hundreds of times each second.
const IN_FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const EXACT_TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const DAY_AND_YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const DAY_IN_UTC = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** The two largest units that count: `3 h 12 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const at = UNITS.findIndex(([, size]) => seconds >= size);
  if (at === -1) return `0${BLANK}s`;
  const parts = UNITS.slice(at, at + 2).map(([unit, size], i) => {
    const larger = i === 0 ? undefined : UNITS[at]?.[1];
    const amount = Math.floor((larger === undefined ? seconds : seconds % larger) / size);
    return { amount, words: `${amount}${BLANK}${unit}` };
  });
  return parts
    .filter(({ amount }) => amount > 0)
    .map(({ words }) => words)
    .join(' ');
}

/** `12 s ago`, `3 min ago`: the largest unit alone; a clock that is a little behind gives no age below nothing. */
export function ago(ms: number): string {
  return ms < 1000 ? 'now' : `${duration(ms).split(' ')[0]} ago`;
}

/** `14:03`, and the day before it when that is another one than `nowMs` has; in the time of who looks. */
export function since(atMs: number, nowMs: number): string {
  return [dayWords(atMs, nowMs), timeOf(atMs)].filter(Boolean).join(', ');
}

/** `21 Nov`, with its year when that is another one than `nowMs` has; empty for the same day. In the time of who looks. */
export function dayWords(atMs: number, nowMs: number): string {
  const [at, now] = [new Date(atMs), new Date(nowMs)];
  if (at.toDateString() === now.toDateString()) return '';
  return (at.getFullYear() === now.getFullYear() ? DAY : DAY_AND_YEAR).format(at);
}

/** `in 47 s`, within a day; later the day and the time, in the time of who looks. What is past is due now. */
export function until(atMs: number, nowMs: number): string {
  const leftMs = atMs - nowMs;
  if (leftMs <= 0) return 'now';
  return leftMs < DAY_MS ? `in ${duration(leftMs)}` : since(atMs, nowMs);
}

/** In full, with the zone: what a time is called when the pointer rests on it. */
export function inFull(atMs: number): string {
  return IN_FULL.format(atMs);
}

/** When a step of time begins, as exactly as the step is long: `14:03`, `21 Nov, 14:00`, and of a day in UTC `21 Nov`. */
export function moment(atMs: number, stepMs: number): string {
  if (stepMs >= DAY_MS) return dayInUtcOf(atMs);
  const time = timeOf(atMs);
  return stepMs > DAY_MS / 144 ? `${dayOf(atMs)}, ${time}` : time;
}

/** `14:03`, in the time of who looks. */
export function timeOf(atMs: number): string {
  return TIME.format(atMs);
}

/** `14:03:27`, in the time of who looks. */
export function exactTimeOf(atMs: number): string {
  return EXACT_TIME.format(atMs);
}

/** `Today`, or as {@link dayWords} says it: above what happened then. */
export function dayTitle(atMs: number, nowMs: number): string {
  return dayWords(atMs, nowMs) || 'Today';
}

/** `21 Nov`, in the time of who looks. */
export function dayOf(atMs: number): string {
  return DAY.format(atMs);
}

/** `21 Nov`. */
export function dayInUtcOf(atMs: number): string {
  return DAY_IN_UTC.format(atMs);
}
