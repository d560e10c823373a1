/** A chart in words: what it shows as a whole, and at one step. */
import { counted } from '../../words/numbers.js';
import { moment } from '../../words/times.js';
import { sayWithError } from '../../words/units.js';
import { type Drawing, type Line, stepCount } from './drawing.js';

/** `12.1 MH/s ± 0.4 at 14:03 · 10.2 MH/s to 13.0 MH/s · 2 blocks · no data in 3 of 60 steps`. */
export function chartWords(drawing: Drawing): string {
  const { lines, look, markers } = drawing;
  const told = lines.map((line) => (look === 'stack' ? sumWords(drawing, line) : lineWords(drawing, line)));
  const blocks = markers.reduce((sum, { count }) => sum + count, 0);
  const { without, all } = gapsOf(drawing);
  return [
    ...told.filter(Boolean),
    ...(blocks > 0 ? [counted(blocks, 'block')] : []),
    ...(without > 0 ? [`no data in ${without} of ${counted(all, 'step')}`] : []),
  ].join(' · ');
}

/** By itself it is what the title of the chart says. */
function lineWords({ steps, unit, lines }: Drawing, { name, values, errors }: Line): string {
  const known = values.filter((value) => value !== null);
  const last = values.findLastIndex((value) => value !== null);
  const value = values[last];
  if (value === null || value === undefined) return '';
  const at = moment(steps.fromMs + last * steps.stepMs, steps.stepMs);
  const [least, most] = [Math.min(...known), Math.max(...known)].map(unit.say);
  const prefix = lines.length === 1 ? '' : `${name} `;
  return `${prefix}${sayWithError(unit, value, errors?.[last])} at ${at} · ${least} to ${most}`;
}

function sumWords({ unit }: Drawing, { name, values }: Line): string {
  return `${unit.say(values.reduce<number>((sum, value) => sum + (value ?? 0), 0))} ${name}`;
}

/** Between the first and the last value: before it there was nothing, and what comes after it is not in the books yet. */
function gapsOf(drawing: Drawing): { without: number; all: number } {
  const steps = Array.from({ length: stepCount(drawing) }, (_, i) => i);
  const known = steps.filter((i) => drawing.lines.some(({ values }) => (values[i] ?? null) !== null));
  const all = (known.at(-1) ?? -1) - (known[0] ?? 0) + 1;
  return { without: all - known.length, all };
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
export function happenedIn(
  { steps: { fromMs, stepMs }, markers, bands, ribbon = [] }: Drawing,
  index: number,
): string[] {
  const [startMs, endMs] = [fromMs + index * stepMs, fromMs + (index + 1) * stepMs];
  return [
    ...markers.filter(({ atMs }) => atMs >= startMs && atMs < endMs).map(({ says }) => says),
    ...[...bands, ...ribbon]
      .filter((band) => band.fromMs < endMs && (band.untilMs ?? Number.POSITIVE_INFINITY) >= startMs)
      .map(({ says }) => says),
  ];
}
