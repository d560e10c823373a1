/** Rows of the books: a table on a terminal, JSON when piped. */
import { OK } from './command.js';
import type { Asked } from './ledger-asked.js';
import { table } from './table.js';

export function print(rows: readonly object[], { config, io }: Pick<Asked, 'config' | 'io'>): number {
  const asJson = config.json || !io.stdout.isTTY;
  io.stdout.write(asJson ? `${JSON.stringify(rows, null, 2)}\n` : table(rows));
  return OK;
}
