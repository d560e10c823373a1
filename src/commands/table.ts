/** Rows of equal shape as a table for people. */
import { printable } from '../core/names.js';

export function table(rows: readonly object[]): string {
  if (rows.length === 0) return 'none\n';
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cells = [
    columns,
    ...rows.map((row) => columns.map((column) => textOf((row as Record<string, unknown>)[column]))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells
    .map(
      (row) =>
        `${row
          .map((cell, index) => cell.padEnd(widths[index] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  // Names come from peers, and a terminal obeys escape sequences.
  return printable(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
