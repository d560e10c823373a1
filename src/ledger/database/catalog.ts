/** What tables the books have, as the database tells. */
import type pg from 'pg';
import { SCHEMA } from './make-books.js';
import { type RowOf, rowsOf, statementsOf } from './statements.js';

export const SQL = statementsOf('database/database.sql');

export type Column = RowOf<typeof SQL.columns>;

/** Tables whose rows lie in partitions, which are made for them by `need_partition`. */
export async function partitionedTables(client: pg.ClientBase): Promise<string[]> {
  return (await rowsOf(client, SQL.partitioned, [SCHEMA])).map(({ name }) => name);
}

/** Times with their zone, bytes as hex digits, whatever the database is set to. */
export async function setFormats(client: pg.ClientBase): Promise<void> {
  await client.query(
    "SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO'; SET LOCAL bytea_output = 'hex'",
  );
}

/** Every table but the one that says what made them, and those that no longer are, or not yet, a partition; those first that others refer to. */
export async function tablesInOrder(client: pg.ClientBase): Promise<string[]> {
  const rows = await rowsOf(client, SQL.tables, [SCHEMA]);
  const ordered: string[] = [];
  const place = (name: string): void => {
    if (ordered.includes(name)) return;
    for (const needed of rows.find((row) => row.name === name)?.needs ?? []) place(needed);
    ordered.push(name);
  };
  for (const { name } of rows) place(name);
  return ordered;
}

export function columnsOf(client: pg.ClientBase, table: string): Promise<Column[]> {
  return rowsOf(client, SQL.columns, [`${SCHEMA}.${table}`]);
}
