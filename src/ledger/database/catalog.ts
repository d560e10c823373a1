/** What tables the books have, as the database tells. */
import type pg from 'pg';
import { SCHEMA } from './migrate.js';

/** Tables that say what version the others are of. */
const OF_VERSIONS = "('migration', 'made_functions')";

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly isIdentity: boolean;
}

/** Tables whose rows lie in partitions, which are made for them by `need_partition`. */
export async function partitionedTables(client: pg.ClientBase, schema = SCHEMA): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = '${schema}'::regnamespace AND relkind = 'p' AND NOT relispartition`,
  );
  return rows.map(({ name }) => name);
}

/** Times with their zone, bytes as hex digits, whatever the database is set to. */
export async function setFormats(client: pg.ClientBase): Promise<void> {
  await client.query(
    "SET LOCAL timezone = 'UTC'; SET LOCAL datestyle = 'ISO'; SET LOCAL bytea_output = 'hex'",
  );
}

/** Every table but those of versions and those that no longer are, or not yet, a partition; those first that others refer to. */
export async function tablesInOrder(client: pg.ClientBase, schema = SCHEMA): Promise<string[]> {
  const { rows } = await client.query<{ name: string; needs: string[] }>(
    `SELECT t.relname AS name, coalesce(array_agg(f.relname::text) FILTER (WHERE f.oid IS NOT NULL), '{}') AS needs
     FROM pg_class t LEFT JOIN pg_constraint c ON c.conrelid = t.oid AND c.contype = 'f'
     LEFT JOIN pg_class f ON f.oid = c.confrelid AND f.oid <> t.oid
     WHERE t.relnamespace = '${schema}'::regnamespace AND t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relname NOT IN ${OF_VERSIONS}
       AND NOT EXISTS (SELECT FROM pg_class p WHERE p.relnamespace = t.relnamespace AND p.relkind = 'p' AND t.relname ~ ('^' || p.relname || '_\\d'))
     GROUP BY t.relname ORDER BY t.relname`,
  );
  const ordered: string[] = [];
  const place = (name: string): void => {
    if (ordered.includes(name)) return;
    for (const needed of rows.find((row) => row.name === name)?.needs ?? []) place(needed);
    ordered.push(name);
  };
  for (const { name } of rows) place(name);
  return ordered;
}

export async function columnsOf(client: pg.ClientBase, table: string, schema = SCHEMA): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type, attidentity <> '' AS "isIdentity"
     FROM pg_attribute WHERE attrelid = '${schema}.${table}'::regclass AND attnum > 0 AND NOT attisdropped
     ORDER BY attnum`,
  );
  return rows;
}
