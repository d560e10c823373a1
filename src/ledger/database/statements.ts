/**
 * Statements stand in files of SQL beside the code that asks them, a file for a theme:
 *
 *     -- name: rigsOf ($1: account)
 *     SELECT id, count(*) AS shares, max(at) AS "lastAt!" FROM …;
 *
 * The types of their values and rows are generated from what PostgreSQL says of each ({@link Statements}; `npm run rows`). A column is
 * nullable unless the statement proves otherwise, or an alias ends in `!`: then it is on our word. The `!` is no part of the name.
 */
import { readFileSync } from 'node:fs';
import type pg from 'pg';
import type { Statements } from './rows.js';

export interface Statement<V extends readonly unknown[] = readonly unknown[], R = unknown> {
  readonly text: string;
  /** Only for the compiler. */
  readonly types?: { readonly values: V; readonly row: R };
}

type StatementsOf<F extends keyof Statements, N> = {
  readonly [K in keyof Statements[F]]: Statements[F][K] extends { values: infer V; row: infer R }
    ? Statement<Values<V>, Row<R, K extends keyof N ? N[K] : object>>
    : never;
};

/** The database does not tell which of them may be null. */
type Values<V> = V extends readonly unknown[] ? { readonly [I in keyof V]: V[I] | null | undefined } : never;

type Row<R, N> = { readonly [C in keyof R]: C extends keyof N ? N[C] | Extract<R[C], null> : R[C] };

/** What the database does not know of columns: what is in JSON, or which words a text may be. Whether they may be null it knows. */
type Narrower<S> = {
  [K in keyof S]?: S[K] extends { row: infer R } ? { [C in keyof R]?: NonNullable<R[C]> } : never;
};

export type RowOf<S> = S extends Statement<infer _, infer R> ? R : never;

/** Reads a file, once, where a module is loaded. @param file below `src/ledger`. */
export function statementsOf<F extends keyof Statements, N extends Narrower<Statements[F]> = object>(
  file: F,
): StatementsOf<F, N> {
  const texts = parseStatements(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
  const statements = Array.from(texts, ([name, text]) => [name, { text: stripSigns(text) }]);
  return Object.fromEntries(statements) as StatementsOf<F, N>;
}

/** Name -> text. What stands before the first name is of no statement. */
export function parseStatements(file: string): Map<string, string> {
  const [, ...parts] = file.split(/^-- name: (?=\w)/m);
  return new Map(
    parts.map((part): [string, string] => {
      const end = part.indexOf('\n');
      return [/^\w+/.exec(part)?.[0] ?? '', part.slice(end + 1).trim()];
    }),
  );
}

/** Without the `!` of columns that are never null. */
export const stripSigns = (text: string): string => text.replaceAll('!"', '"');

/** Values, where the statement takes some. */
export type Given<V> = V extends readonly [] ? [values?: V] : [values: V];
/** And another time than the connection's, after which nobody waits any more. */
type InTime<V> = [...given: Given<V>, timeoutMs?: number | undefined];

/** A way to ask, with whatever limits who gives it has set. */
export type Ask = <V extends readonly unknown[], R>(
  statement: Statement<V, R>,
  ...given: Given<V>
) => Promise<R[]>;

export async function rowsOf<V extends readonly unknown[], R>(
  client: pg.Pool | pg.ClientBase,
  { text }: Statement<V, R>,
  ...given: InTime<V>
): Promise<R[]> {
  return (await ask<R & pg.QueryResultRow>(client, text, given)).rows;
}

/** A way to ask of who has a pool. */
export function askOf(pool: pg.Pool | pg.ClientBase): Ask {
  return (statement, ...given) => rowsOf(pool, statement, ...given);
}

/** The first row, if there is one. */
export async function rowOf<V extends readonly unknown[], R>(
  client: pg.Pool | pg.ClientBase,
  statement: Statement<V, R>,
  ...given: InTime<V>
): Promise<R | undefined> {
  return (await rowsOf(client, statement, ...given))[0];
}

/** How many rows were written, or found. */
export async function run<V extends readonly unknown[]>(
  client: pg.Pool | pg.ClientBase,
  { text }: Statement<V>,
  ...given: Given<V>
): Promise<number> {
  return (await ask(client, text, given)).rowCount ?? 0;
}

function ask<R extends pg.QueryResultRow>(
  client: pg.Pool | pg.ClientBase,
  text: string,
  given: readonly unknown[],
): Promise<pg.QueryResult<R>> {
  const [values = [], timeoutMs] = given as [values?: readonly unknown[], timeoutMs?: number];
  const query: pg.QueryConfig & { query_timeout?: number } = { text, values: [...values] };
  if (timeoutMs !== undefined) query.query_timeout = timeoutMs;
  return client.query<R>(query);
}
