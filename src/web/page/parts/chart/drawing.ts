/** What a chart draws: values a step of time, and what happened meanwhile. */
import type { History } from '../../reading/answers.js';
import type { Unit } from '../../words/units.js';

export interface Steps {
  readonly fromMs: number;
  readonly stepMs: number;
  /** The last step is counted to here. */
  readonly untilMs: number;
}

/** A colour of chart.css. */
export type Ink = 'main' | 'good' | 'warning' | 'fault' | 'soft';

type Column = readonly (number | null)[];

export interface Line {
  readonly name: string;
  readonly ink: Ink;
  /** One a step; `null` where there was no data, and the line has a gap. */
  readonly values: Column;
  /** Standard errors of the values. */
  readonly errors?: Column | undefined;
}

/** Blocks of a moment, or of a step. */
export interface Marker {
  readonly atMs: number;
  readonly count: number;
  readonly says: string;
}

/** A time over which something was so. */
export interface Band {
  readonly fromMs: number;
  /** `undefined` while it lasts. */
  readonly untilMs: number | undefined;
  readonly says: string;
  readonly ink: 'good' | 'warning' | 'fault';
}

export interface Drawing {
  readonly steps: Steps;
  readonly lines: readonly Line[];
  readonly unit: Unit;
  /** `stack`: bars that stand on each other, from the first line up. */
  readonly look: 'lines' | 'stack';
  readonly markers: readonly Marker[];
  readonly bands: readonly Band[];
  /** What was so by turns, as a ribbon above the lines. */
  readonly ribbon?: readonly Band[];
}

export function stepsOf({ from, stepMs, until }: History): Steps {
  return { fromMs: Date.parse(from), stepMs, untilMs: Date.parse(until) };
}

export function stepCount({ lines }: Drawing): number {
  return lines[0]?.values.length ?? 0;
}

export function isEmpty({ lines }: Drawing): boolean {
  return lines.every(({ values }) => values.every((value) => value === null));
}

/** In the middle of what a step has counted. */
export function middleOf({ fromMs, stepMs, untilMs }: Steps, index: number): number {
  const startMs = fromMs + index * stepMs;
  return (startMs + Math.max(startMs, Math.min(untilMs, startMs + stepMs))) / 2;
}

/** When the last step is over. */
export function endOf(drawing: Drawing): number {
  return drawing.steps.fromMs + stepCount(drawing) * drawing.steps.stepMs;
}

/** Each line on top of those before it. What has no value anywhere in a step has none there. */
export function stacked(lines: readonly Line[]): Column[] {
  const tops: Column[] = [];
  for (const { values } of lines) {
    const below = tops.at(-1);
    tops.push(values.map((value, i) => sum(below?.[i], value)));
  }
  return tops;
}

function sum(below: number | null | undefined, value: number | null): number | null {
  if (value === null) return below ?? null;
  return (below ?? 0) + value;
}

/** What a value is known to lie in, two of three times; never below nothing. */
export function boundsOf({ values, errors = [] }: Line): { low: Column; high: Column } {
  const off = (sign: 1 | -1) =>
    values.map((value, i) => (value === null ? null : Math.max(0, value + sign * (errors[i] ?? 0))));
  return { low: off(-1), high: off(1) };
}

/** The highest that is drawn: a value, what it may be by its error, or the top of a stack. */
export function greatestOf({ lines, look }: Drawing): number {
  const columns = look === 'stack' ? stacked(lines) : lines.map((line) => boundsOf(line).high);
  return columns.flat().reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
}

/** Steps whose neighbours have no value: no line leads there, so that they need a point. */
export function lonely(values: Column): number[] {
  const has = (index: number): boolean => values[index] !== null && values[index] !== undefined;
  return values.flatMap((_, i) => (has(i) && !has(i - 1) && !has(i + 1) ? [i] : []));
}
