/** When payouts are due: `daily 06:00 UTC`, `weekly Mon 06:00 UTC`, `hourly`, `every 5m`, `off`. UTC alone: no hour of it comes twice. */

export type Schedule =
  | { readonly is: 'off' }
  /** At whole steps since 1970, so that every bridge and every start has the same. */
  | { readonly is: 'every'; readonly stepMs: number }
  | { readonly is: 'daily'; readonly minuteOfDay: number }
  /** 0: Sunday. */
  | { readonly is: 'weekly'; readonly day: number; readonly minuteOfDay: number };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** 1970-01-01 was a Thursday. */
const FIRST_DAY = 4;
const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const FORMS = 'off, hourly, every 5m, every 6h, daily 06:00 UTC or weekly Mon 06:00 UTC';

/** A sentence for what is none. */
export function parseSchedule(text: string): Schedule | string {
  const [kind = '', ...rest] = text.trim().toLowerCase().split(/\s+/);
  if (kind === 'off' && rest.length === 0) return { is: 'off' };
  if (kind === 'hourly' && rest.length === 0) return { is: 'every', stepMs: HOUR_MS };
  if (kind === 'every' && rest.length === 1) return parseStep(rest[0] ?? '');
  if (kind === 'daily') {
    const minuteOfDay = parseTime(rest);
    return typeof minuteOfDay === 'string' ? minuteOfDay : { is: 'daily', minuteOfDay };
  }
  if (kind === 'weekly') return parseWeekly(rest);
  return `a schedule is ${FORMS}, and not ${JSON.stringify(text.slice(0, 50))}`;
}

function parseStep(text: string): Schedule | string {
  const [, count, unit = ''] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const stepMs = Number(count) * (UNITS[unit] ?? Number.NaN);
  if (stepMs >= MINUTE_MS && stepMs <= 31 * DAY_MS) return { is: 'every', stepMs };
  return `a step is 1m to 31d, in minutes (m), hours (h) or days (d), and not ${JSON.stringify(text.slice(0, 20))}`;
}

function parseWeekly([name = '', ...rest]: readonly string[]): Schedule | string {
  const day = DAYS.indexOf(name);
  if (day < 0)
    return `a day of the week is Mon, Tue, Wed, Thu, Fri, Sat or Sun, and not ${JSON.stringify(name.slice(0, 20))}`;
  const minuteOfDay = parseTime(rest);
  return typeof minuteOfDay === 'string' ? minuteOfDay : { is: 'weekly', day, minuteOfDay };
}

function parseTime([time = '', zone = '', ...more]: readonly string[]): number | string {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (hour === undefined)
    return `a time of day is 00:00 to 23:59, and not ${JSON.stringify(time.slice(0, 20))}`;
  if (zone !== 'utc' || more.length > 0)
    return `behind ${time} stands UTC, and nothing else: other zones have hours that come twice or not at all`;
  return Number(hour) * 60 + Number(minute);
}

/** The first time after that one, in milliseconds since the epoch; `undefined` for none. */
export function nextAfter(schedule: Schedule, afterMs: number): number | undefined {
  if (schedule.is === 'off') return undefined;
  if (schedule.is === 'every') return stepAfter(afterMs, schedule.stepMs, 0);
  const ofDayMs = schedule.minuteOfDay * MINUTE_MS;
  if (schedule.is === 'daily') return stepAfter(afterMs, DAY_MS, ofDayMs);
  const days = (schedule.day - FIRST_DAY + 7) % 7;
  return stepAfter(afterMs, 7 * DAY_MS, days * DAY_MS + ofDayMs);
}

/** The first of `offset + n * step` that is later. */
function stepAfter(afterMs: number, stepMs: number, offsetMs: number): number {
  return offsetMs + (Math.floor((afterMs - offsetMs) / stepMs) + 1) * stepMs;
}

/** As it is parsed. */
export function scheduleText(schedule: Schedule): string {
  if (schedule.is === 'off') return 'off';
  if (schedule.is === 'every') {
    if (schedule.stepMs === HOUR_MS) return 'hourly';
    const unit = ['d', 'h', 'm'].find((one) => schedule.stepMs % (UNITS[one] ?? 1) === 0) ?? 'm';
    return `every ${schedule.stepMs / (UNITS[unit] ?? 1)}${unit}`;
  }
  const two = (number: number): string => String(number).padStart(2, '0');
  const { minuteOfDay } = schedule;
  const time = `${two(Math.floor(minuteOfDay / 60))}:${two(minuteOfDay % 60)} UTC`;
  if (schedule.is === 'daily') return `daily ${time}`;
  const name = DAYS[schedule.day] ?? '';
  return `weekly ${name[0]?.toUpperCase()}${name.slice(1)} ${time}`;
}
