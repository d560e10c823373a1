/** Rows: a table on a terminal, JSON when piped; CSV or a wide table where asked for. */
import type { Columns } from '../../operations/entry/columns.js';
import { csv } from '../../operations/entry/csv.js';
import { type CommandIo, OK } from '../line/command.js';
import type { Form } from './form.js';
import { table } from './table.js';

/** How and where. */
export interface Printing {
  readonly config: Form;
  readonly io: Pick<CommandIo, 'stdout'>;
}

export function print<Row extends object>(
  rows: readonly Row[],
  columns: Columns<Row>,
  { config, io: { stdout } }: Printing,
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
