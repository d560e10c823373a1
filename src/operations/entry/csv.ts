/** Rows of equal shape as CSV (RFC 4180): all columns, values exact. */
import { csvLine, csvText } from '../../core/names/csv.js';
import { type Columns, cellOf, isNumeric, plainText } from './columns.js';

/** Begins with a line of keys. */
export function csv<Row extends object>(rows: readonly Row[], columns: Columns<Row>): string {
  const all = Object.entries(columns);
  const cells = (row: Row): string[] =>
    all.map(([key, column]) => {
      const text = plainText(cellOf(row, key, column));
      // A number stays one, also below zero.
      return isNumeric(column.kind) && NUMBER.test(text) ? text : csvText(text);
    });
  return [Object.keys(columns), ...rows.map(cells)].map(csvLine).join('');
}

const NUMBER = /^-?\d+(\.\d+)?$/;
