/** Rows of equal shape as a table for people, no wider than their window. */
import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import { type Column, type Columns, cellOf, isNumeric, type Kind } from '../../operations/entry/columns.js';
import { shownTexts } from './columns.js';

interface Measured {
  readonly heading: string;
  readonly kind: Kind;
  readonly importance: number;
  readonly inFull?: true | undefined;
  readonly cells: readonly string[];
  /** That shows all of it. */
  readonly full: number;
  /** That still says something. */
  readonly least: number;
}

const GAP = 2;
/** Of those that may be cut. */
const LEAST: Partial<Record<Kind, number>> = { name: 12, text: 24 };

/** @param room columns of the window; without it, the table is as wide as it is. */
export function table<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  room = Number.POSITIVE_INFINITY,
): string {
  if (rows.length === 0) return 'none\n';
  const all = Object.entries(columns).map(([key, column]) =>
    measured(
      column.heading ?? key,
      column,
      rows.map((row) => cellOf(row, key, column)),
    ),
  );
  const shown = withinRoom(all, room);
  const widths = widthsOf(shown, room);
  const lines = [
    shown.map(({ heading }) => heading),
    ...rows.map((_, n) => shown.map(({ cells }) => cells[n] ?? '')),
  ];
  const text = lines.map((cells) => {
    const filled = shown.map(({ kind }, n) => filledTo(widths[n] ?? 0, cells[n] ?? '', kind));
    return lineWithin(room, filled.join(' '.repeat(GAP)).trimEnd());
  });
  for (const [n, { inFull, full, cells }] of shown.entries()) {
    if (!inFull || full <= (widths[n] ?? 0)) continue;
    const said = cells.flatMap((cell, row) =>
      cell === '' ? [] : [`${shown[0]?.heading} ${shown[0]?.cells[row]}: ${cell}`],
    );
    text.push('', ...said);
  }
  const left = all.filter((column) => !shown.includes(column)).map(({ heading }) => heading);
  if (left.length > 0) text.push('', lineWithin(room, `--wide also shows: ${left.join(', ')}`));
  return text.map((line) => `${line}\n`).join('');
}

function measured(
  heading: string,
  { kind, importance, inFull }: Pick<Column, 'kind' | 'importance' | 'inFull'>,
  values: readonly unknown[],
): Measured {
  const cells = shownTexts(values, kind);
  const full = cells.reduce((most, cell) => Math.max(most, stringWidth(cell)), stringWidth(heading));
  const least = Math.min(full, Math.max(LEAST[kind] ?? full, stringWidth(heading)));
  return { heading, kind, importance, inFull, cells, full, least };
}

/** Without the least important columns that have no room; of equals the last goes first. */
function withinRoom(all: readonly Measured[], room: number): readonly Measured[] {
  const needed = all.reduce((sum, { least }) => sum + least + GAP, -GAP);
  const highest = Math.max(...all.map(({ importance }) => importance));
  if (needed <= room || highest <= 1) return all;
  const index = all.findLastIndex(({ importance }) => importance === highest);
  return withinRoom(all.toSpliced(index, 1), room);
}

/** What room is left goes to the most important columns first. */
function widthsOf(shown: readonly Measured[], room: number): number[] {
  let left = shown.reduce((rest, { least }) => rest - least - GAP, room + GAP);
  const widths = new Map<Measured, number>();
  for (const column of shown.toSorted((a, b) => a.importance - b.importance)) {
    const more = Math.min(Math.max(0, left), column.full - column.least);
    left -= more;
    widths.set(column, column.least + more);
  }
  return shown.map((column) => widths.get(column) ?? 0);
}

function filledTo(width: number, cell: string, kind: Kind): string {
  const position = kind === 'name' ? 'middle' : 'end';
  const cut = stringWidth(cell) > width ? cliTruncate(cell, width, { position }) : cell;
  // Half of a wide letter leaves a column over.
  const blanks = ' '.repeat(Math.max(0, width - stringWidth(cut)));
  return isNumeric(kind) ? blanks + cut : cut + blanks;
}

function lineWithin(room: number, line: string): string {
  return Number.isFinite(room) ? cliTruncate(line, room) : line;
}
