/** Rows of equal shape as CSV (RFC 4180): all columns, values exact. */
import { csvLine, csvText } from '../../core/names/csv.js';
import { type Columns, isNumeric, plainText } from './columns.js';

/** Begins with a line of keys. */
export function csv<Row extends object>(rows: readonly Row[], columns: Columns<Row>): string {
  const keys = Object.keys(columns) as (keyof Row & string)[];
  const cellOf = (row: Row, key: keyof Row & string): string => {
    const text = plainText(row[key]);
    // A number stays one, also below zero.
    return isNumeric(columns[key].kind) && NUMBER.test(text) ? text : csvText(text);
  };
  return [keys, ...rows.map((row) => keys.map((key) => cellOf(row, key)))].map(csvLine).join('');
}

const NUMBER = /^-?\d+(\.\d+)?$/;
