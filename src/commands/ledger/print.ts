/** Rows of the books: a table on a terminal, JSON when piped; CSV or a wide table where asked for. */
import { OK } from '../../cli/line/command.js';
import type { Columns } from '../../cli/screen/columns.js';
import { csv } from '../../cli/screen/csv.js';
import { table } from '../../cli/screen/table.js';
import type { OnBooks } from './access.js';
import type { Form } from './form.js';

export function print<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  { config, io: { stdout } }: Pick<OnBooks, 'config' | 'io'>,
): number {
  stdout.write(textOf(rows, columns, config, stdout));
  return OK;
}

function textOf<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  form: Form,
  { isTTY, columns: room }: NodeJS.WriteStream,
): string {
  if (form.csv) return csv(rows, columns);
  if (form.wide) return table(rows, columns);
  if (form.json || !isTTY) return `${JSON.stringify(rows, null, 2)}\n`;
  return table(rows, columns, room || 80);
}
