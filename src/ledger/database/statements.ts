/**
 * Statements stand in files of SQL beside the code that asks them; the columns of their rows stand in the code, which has its types
 * from there:
 *
 *     -- name: rigsOf ($1: account)                       export const SQL = statementsOf(new URL('rigs.sql', import.meta.url), {
 *     SELECT id, name FROM rig WHERE account_id = $1;       rigsOf: { id: is.int, name: is.text },
 *                                                         });
 *
 * A test asks a real PostgreSQL for the columns of each statement, and finds where the code says otherwise.
 */
import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** What the database calls the type of a column, and what the driver makes of it. */
export interface Column<T> {
  readonly type: string;
  /** Only for the compiler. */
  readonly value?: T;
}

const column = <T>(type: string): Column<T> => ({ type });

/** The types of columns, for the code that declares rows. */
export const is = {
  bool: column<boolean>('boolean'),
  int: column<number>('integer'),
  float: column<number>('double precision'),
  bigint: column<string>('bigint'),
  numeric: column<string>('numeric'),
  text: column<string>('text'),
  /** One of these words: a constraint of its table says so, or the statement itself. */
  word: <T extends string>() => column<T>('text'),
  uuid: column<string>('uuid'),
  time: column<Date>('timestamp with time zone'),
  bytes: column<Buffer>('bytea'),
  ints: column<number[]>('integer[]'),
  bigints: column<string[]>('bigint[]'),
  texts: column<string[]>('text[]'),
  json: <T>() => column<T>('json'),
  jsonb: <T>() => column<T>('jsonb'),
  /** The database does not tell which columns may be null: this is on our word. */
  orNull: <T>({ type }: Column<T>) => column<T | null>(type),
};

export type Columns = Readonly<Record<string, Column<unknown>>>;

export interface Statement<C extends Columns = Columns> {
  readonly text: string;
  readonly columns: C;
}

type ValueOf<T> = T extends Column<infer V> ? V : never;
export type RowOf<S> = S extends Statement<infer C> ? { readonly [K in keyof C]: ValueOf<C[K]> } : never;

/** A way to ask, with whatever limits who gives it has set. */
export type Ask = <S extends Statement>(statement: S, values?: readonly unknown[]) => Promise<RowOf<S>[]>;

/**
 * Reads a file, once, where a module is loaded. Throws where it does not have just these statements.
 *
 * @param others of which nobody reads rows.
 */
export function statementsOf<S extends Readonly<Record<string, Columns>>, N extends string = never>(
  file: URL,
  rows: S,
  others: readonly N[] = [],
): { readonly [K in keyof S]: Statement<S[K]> } & { readonly [K in N]: Statement<Record<never, never>> } {
  const texts = parseStatements(readFileSync(file, 'utf8'));
  const columns: Record<string, Columns> = {
    ...Object.fromEntries(others.map((name) => [name, {}])),
    ...rows,
  };
  const names = new Set([...texts.keys(), ...Object.keys(columns)]);
  const statements = Array.from(names, (name) => {
    const [text, declared] = [texts.get(name), columns[name]];
    if (text && declared) return [name, { text, columns: declared }];
    throw new Error(`${file.pathname} and its code differ in ${name}`);
  });
  return Object.fromEntries(statements);
}

/** Name -> text. What stands before the first name is of no statement. */
function parseStatements(file: string): Map<string, string> {
  const [, ...parts] = file.split(/^-- name: (?=\w)/m);
  return new Map(
    parts.map((part): [string, string] => {
      const end = part.indexOf('\n');
      return [/^\w+/.exec(part)?.[0] ?? '', part.slice(end + 1).trim()];
    }),
  );
}

/** @param timeoutMs another time than the connection's, after which nobody waits any more. */
export async function rowsOf<S extends Statement>(
  client: pg.Pool | pg.ClientBase,
  { text }: S,
  values: readonly unknown[] = [],
  timeoutMs?: number,
): Promise<RowOf<S>[]> {
  return (await ask<RowOf<S>>(client, text, values, timeoutMs)).rows;
}

/** A way to ask of who has a pool. */
export function askOf(pool: pg.Pool | pg.ClientBase): Ask {
  return (statement, values) => rowsOf(pool, statement, values);
}

/** The first row, if there is one. */
export async function rowOf<S extends Statement>(
  ...asked: Parameters<typeof rowsOf<S>>
): Promise<RowOf<S> | undefined> {
  return (await rowsOf<S>(...asked))[0];
}

/** How many rows were written, or found. */
export async function run(
  client: pg.Pool | pg.ClientBase,
  { text }: Statement,
  values: readonly unknown[] = [],
): Promise<number> {
  return (await ask(client, text, values)).rowCount ?? 0;
}

function ask<R extends pg.QueryResultRow>(
  client: pg.Pool | pg.ClientBase,
  text: string,
  values: readonly unknown[],
  timeoutMs?: number,
): Promise<pg.QueryResult<R>> {
  const query: pg.QueryConfig & { query_timeout?: number } = { text, values: [...values] };
  if (timeoutMs !== undefined) query.query_timeout = timeoutMs;
  return client.query<R>(query);
}
