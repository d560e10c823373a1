/** The types of the values and rows of all statements in files of SQL, by what a real PostgreSQL says: `src/ledger/database/rows.ts`. */
import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';
import { parseStatements, stripSigns } from '../../../src/ledger/database/statements.js';
import { type Catalog, type Column, columnsOf, type Node, parseTree } from './query-tree.js';

const LEDGER = new URL('../../../src/ledger/', import.meta.url);

const HEAD = `/** What PostgreSQL says of the values and rows of each statement. Made by \`npm run rows\`: not to be edited. */
export interface Statements {
`;

const FOOT = `}

/** Anything but null. What it is stands where it is asked for. */
type Json = NonNullable<unknown>;
`;

/** @param client of the books, and for this alone until its transaction ends. */
export async function statementTypes(client: pg.ClientBase): Promise<string> {
  const catalog = await readCatalog(client);
  const paths = readdirSync(LEDGER, { recursive: true, encoding: 'utf8' });
  // Those of tables and functions are run as they are.
  const files = paths.filter((path) => path.endsWith('.sql') && !path.startsWith('sql')).sort();
  let types = HEAD;
  for (const file of files) {
    types += `  '${file}': {\n`;
    for (const [name, text] of parseStatements(readFileSync(new URL(file, LEDGER), 'utf8')))
      types += await statementType(client, catalog, name, text).catch((error: Error) => {
        throw new Error(`${file}, ${name}: ${error.message}`, { cause: error });
      });
    types += '  };\n';
  }
  return `${types}${FOOT}`;
}

const WIDTH = 110;

async function statementType(
  client: pg.ClientBase,
  catalog: Catalog,
  name: string,
  text: string,
): Promise<string> {
  const { values, columns } = await describeStatement(client, catalog, text);
  const types = values.map((type, i) => `${typeOf(VALUES, type)}${i < values.length - 1 ? ',' : ''}`);
  const parts = [`${name}: {`, 'values: [', ...types, '];', 'row: {', ...columns.map(columnType), '} };'];
  const lines = ['   '];
  for (const part of parts)
    if (`${lines.at(-1)} ${part}`.length <= WIDTH) lines.push(`${lines.pop()} ${part}`);
    else lines.push(`      ${part}`);
  return `${lines.join('\n')}\n`;
}

function columnType({ name, type, isNullable, words }: DescribedColumn): string {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  const known = words?.map((word) => `'${word}'`).join(' | ') ?? typeOf(COLUMNS, type);
  return `${key}: ${known}${isNullable ? ' | null' : ''};`;
}

function typeOf(types: Readonly<Record<string, string>>, type: string): string {
  const found = types[type];
  if (found) return found;
  throw new Error(`it is not known what the driver makes of the type ${type}`);
}

/** What the driver makes of each type. It would read `numeric[]` as numbers, which are not exact: it is left out. */
const COLUMNS = {
  boolean: 'boolean',
  integer: 'number',
  'double precision': 'number',
  bigint: 'string',
  numeric: 'string',
  text: 'string',
  uuid: 'string',
  'timestamp with time zone': 'Date',
  bytea: 'Buffer',
  'integer[]': 'number[]',
  'bigint[]': 'string[]',
  'text[]': 'string[]',
  json: 'Json',
  jsonb: 'Json',
};

/** What it takes for each. */
const VALUES = {
  boolean: 'boolean',
  integer: 'number',
  'double precision': 'number',
  bigint: 'string | number | bigint',
  numeric: 'string | number',
  text: 'string',
  uuid: 'string',
  regclass: 'string',
  regnamespace: 'string',
  'timestamp with time zone': 'Date | string',
  bytea: 'Uint8Array',
  json: 'string',
  jsonb: 'string',
  'smallint[]': 'readonly number[]',
  'integer[]': 'readonly (number | null)[]',
  'bigint[]': 'readonly (string | number | bigint | null)[]',
  'numeric[]': 'readonly (string | null)[]',
  'text[]': 'readonly (string | null)[]',
  'uuid[]': 'readonly string[]',
  'timestamp with time zone[]': 'readonly (Date | string | null)[]',
  'jsonb[]': 'readonly string[]',
};

interface DescribedColumn extends Column {
  readonly type: string;
}

interface Described {
  /** Types by their names. */
  readonly values: readonly string[];
  readonly columns: readonly DescribedColumn[];
}

/** It is not run: statements that write are described as others are. Throws where it says of a column what is known anyway. */
export async function describeStatement(
  client: pg.ClientBase,
  catalog: Catalog,
  text: string,
): Promise<Described> {
  const plain = stripSigns(text);
  await client.query(`PREPARE described AS ${plain}`);
  const types = await client.query<{ values: string[]; columns: string[] | null }>(
    `SELECT parameter_types::text[] AS values, result_types::text[] AS columns
     FROM pg_prepared_statements WHERE name = 'described'`,
  );
  await client.query('DEALLOCATE described');
  const { values = [], columns } = types.rows[0] ?? {};
  if (!columns) return { values, columns: [] };
  // A function keeps the tree of its statement.
  const body = `RETURNS SETOF record LANGUAGE sql BEGIN ATOMIC ${plain}\nEND`;
  await client.query(`CREATE FUNCTION pg_temp.described(${values}) ${body}`);
  const trees = await client.query<{ tree: string }>(
    `SELECT prosqlbody::text AS tree FROM pg_proc
     WHERE pronamespace = pg_my_temp_schema() AND proname = 'described'`,
  );
  await client.query('DROP FUNCTION pg_temp.described');
  const [[query]] = parseTree(trees.rows[0]?.tree ?? '') as [[Node]];
  const described = columnsOf(query, catalog).map((column, i) => {
    const type = columns[i] ?? '';
    if (!text.includes(`"${column.name}!"`)) return { ...column, type };
    if (!column.isNullable) throw new Error(`${column.name} is never null: it needs no !`);
    return { ...column, type, isNullable: false };
  });
  return { values, columns: described.filter(({ type }) => type !== 'void') };
}

export async function readCatalog(client: pg.ClientBase): Promise<Catalog> {
  const namesBy = async (sql: string): Promise<Map<string, string>> => {
    const { rows } = await client.query<{ id: string; name: string }>(sql);
    return new Map(rows.map(({ id, name }) => [id, name]));
  };
  // Words stand in constraints such as CHECK (state IN ('found', 'lost')).
  const { rows } = await client.query<{ id: string; isNullable: boolean; words: string[] | null }>(
    `SELECT a.attrelid || '.' || a.attnum AS id, NOT a.attnotnull AS "isNullable",
       (SELECT ARRAY(SELECT m[1] FROM regexp_matches(pg_get_constraintdef(c.oid), '''([^'']*)''::text', 'g') AS m)
        FROM pg_constraint c WHERE c.conrelid = a.attrelid AND c.contype = 'c' AND c.conkey = ARRAY[a.attnum]
          AND pg_get_constraintdef(c.oid) ~ '^CHECK \\(\\(\\w+ = ANY \\(ARRAY\\[') AS words
     FROM pg_attribute a WHERE a.attnum > 0`,
  );
  return {
    columns: new Map(
      rows.map(({ id, isNullable, words }) => [id, { isNullable, words: words ?? undefined }]),
    ),
    functions: await namesBy('SELECT oid::text AS id, proname AS name FROM pg_proc'),
    operators: await namesBy('SELECT oid::text AS id, oprname AS name FROM pg_operator'),
  };
}
