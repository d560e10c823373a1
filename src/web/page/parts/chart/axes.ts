/** Axes of a plot: times as who looks has them, and numbers of one unit. */
import type uPlot from 'uplot';
import { dayInUtcOf, dayOf, timeOf } from '../../words/times.js';
import type { Steps } from './drawing.js';
import type { Inks } from './inks.js';

const FONT = '12px system-ui, sans-serif';
const DAY_MS = 86_400_000;
/** Room that a word on the axis needs, in pixels. */
const TIME_ROOM = 64;
const NUMBER_ROOM = 32;

interface AxesNow {
  inks(): Inks;
  steps(): Steps;
  divisor(): number;
}

export function axesFor({ inks, steps, divisor }: AxesNow): uPlot.Axis[] {
  const common = (room: number): uPlot.Axis => ({
    font: FONT,
    stroke: () => inks().words,
    space: room,
    ticks: { show: false },
  });
  return [
    {
      ...common(TIME_ROOM),
      grid: { show: false },
      size: 28,
      values: (_plot, splits) => once(splits.map((seconds) => timeWords(seconds * 1000, steps()))),
    },
    {
      ...common(NUMBER_ROOM),
      grid: { stroke: () => inks().grid, width: 1 },
      size: 48,
      values: (_plot, splits) => numberWords(splits, divisor()),
    },
  ];
}

/** Of a short time several stand within a minute: it is said at the first of them. */
function once(words: readonly string[]): string[] {
  return words.map((each, i) => (each === words[i - 1] ? '' : each));
}

/** Of days in UTC the axis has their dates, of shorter steps the times of who looks; midnight is told by its day. */
function timeWords(atMs: number, { stepMs }: Steps): string {
  if (stepMs >= DAY_MS) return dayInUtcOf(atMs);
  const time = timeOf(atMs);
  return time === '00:00' ? dayOf(atMs) : time;
}

/** With as many digits as they have: a line at 0.25 is not at 0.3. */
export function numberWords(splits: readonly number[], divisor: number): string[] {
  const shown = splits.map((value) => value / divisor);
  const isWhole = (places: number): boolean =>
    shown.every((value) => Math.abs(Number(value.toFixed(places)) - value) < 1e-9 * Math.max(1, value));
  const places = [0, 1, 2].find(isWhole) ?? MOST_PLACES;
  return shown.map((value) => value.toFixed(places));
}

const MOST_PLACES = 3;
