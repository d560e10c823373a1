/** Times and ages as people read them. */

const BLANK = '\u00a0';
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
  const at = new Date(atMs);
  const time = at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  const withYear = at.getFullYear() !== new Date(nowMs).getFullYear();
  const day = at.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'short',
    ...(withYear ? { year: 'numeric' } : {}),
  });
  return `${day}, ${time}`;
}

/** In full, with the zone: what a time is called when the pointer rests on it. */
export function inFull(atMs: number): string {
  return new Date(atMs).toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'long' });
}

const DAY_MS = 86_400_000;

/** When a step of time begins, as exactly as the step is long: `14:03`, `21 Nov, 14:00`, and of a day in UTC `21 Nov`. */
export function moment(atMs: number, stepMs: number): string {
  if (stepMs >= DAY_MS) return dayOf(atMs, 'UTC');
  const time = timeOf(atMs);
  return stepMs > DAY_MS / 144 ? `${dayOf(atMs)}, ${time}` : time;
}

/** `14:03`, in the time of who looks. */
export function timeOf(atMs: number): string {
  return new Date(atMs).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/** `21 Nov`. */
export function dayOf(atMs: number, timeZone?: string): string {
  const zone = timeZone === undefined ? {} : { timeZone };
  return new Date(atMs).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...zone });
}
