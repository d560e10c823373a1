/** A chart in words: what it shows as a whole, and at one step. */
import { counted } from '../../words/numbers.js';
import { duration, moment } from '../../words/times.js';
import { sayWithError } from '../../words/units.js';
import { type Drawing, type Line, stepCount } from './drawing.js';

/** `Hash rate: 12.1 MH/s ± 0.4 at 14:03, from 10.2 MH/s to 13.0 MH/s. No data in 3 of 60 steps of 1 min.` */
export function chartWords(drawing: Drawing): string {
  const { lines, look, steps, markers } = drawing;
  const told = lines.map((line) => (look === 'stack' ? sumWords(drawing, line) : lineWords(drawing, line)));
  const all = stepCount(drawing);
  const without = all - withData(drawing);
  const gaps =
    without > 0 ? [`No data in ${without} of ${counted(all, 'step')} of ${duration(steps.stepMs)}`] : [];
  const blocks = markers.reduce((sum, { count }) => sum + count, 0);
  const marks = blocks > 0 ? [counted(blocks, 'block')] : [];
  return [told.filter(Boolean).join('; '), ...marks, ...gaps].map((words) => `${words}.`).join(' ');
}

function lineWords({ steps, unit }: Drawing, { name, values, errors }: Line): string {
  const known = values.filter((value) => value !== null);
  const last = values.findLastIndex((value) => value !== null);
  const value = values[last];
  if (value === null || value === undefined) return '';
  const at = moment(steps.fromMs + last * steps.stepMs, steps.stepMs);
  const [least, most] = [Math.min(...known), Math.max(...known)].map(unit.say);
  return `${name}: ${sayWithError(unit, value, errors?.[last])} at ${at}, from ${least} to ${most}`;
}

function sumWords({ unit }: Drawing, { name, values }: Line): string {
  return `${unit.say(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))} ${name}`;
}

function withData({ lines }: Drawing): number {
  const [first] = lines;
  return first?.values.filter((_, i) => lines.some(({ values }) => values[i] !== null)).length ?? 0;
}

/** `14:03: 12.1 MH/s ± 0.4, a block found`. */
export function stepWords(drawing: Drawing, index: number): string {
  const { steps, lines, unit } = drawing;
  const startMs = steps.fromMs + index * steps.stepMs;
  const known = lines.flatMap(({ name, values, errors }) => {
    const value = values[index];
    if (value === null || value === undefined) return [];
    const said = sayWithError(unit, value, errors?.[index]);
    return [lines.length === 1 ? said : `${said} ${name}`];
  });
  const parts = [...(known.length > 0 ? known : ['no data']), ...happenedIn(drawing, index)];
  return `${moment(startMs, steps.stepMs)}: ${parts.join(', ')}`;
}

/** What was marked in a step. */
export function happenedIn({ steps: { fromMs, stepMs }, markers, bands }: Drawing, index: number): string[] {
  const [startMs, endMs] = [fromMs + index * stepMs, fromMs + (index + 1) * stepMs];
  return [
    ...markers.filter(({ atMs }) => atMs >= startMs && atMs < endMs).map(({ says }) => says),
    ...bands
      .filter((band) => band.fromMs < endMs && (band.untilMs ?? Number.POSITIVE_INFINITY) >= startMs)
      .map(({ says }) => says),
  ];
}
