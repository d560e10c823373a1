/**
 * Statements in files of SQL, and what the code takes the columns of their rows to be: a real PostgreSQL is asked for those of each. They
 * are not run for it, so that those that write are asked for too.
 */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import type { Statement } from '../../../src/ledger/database/statements.js';
import { useBooks } from '../../helpers/books/books.js';

const LEDGER = new URL('../../../src/ledger/', import.meta.url);
const PATHS = readdirSync(LEDGER, { recursive: true, encoding: 'utf8' });
/** Those of tables and functions are run as they are. */
const FILES = PATHS.filter((path) => path.endsWith('.sql') && !path.startsWith('sql'));

const books = useBooks();

/** All that the code exports. */
let exported: unknown[] = [];

beforeAll(async () => {
  const modules = PATHS.filter((path) => path.endsWith('.ts'));
  const loaded = await Promise.all(modules.map((path) => import(new URL(path, LEDGER).href)));
  exported = loaded.flatMap((module: object) => Object.values(module));
});

/** Name -> statement, of every file whose statements are exported. */
function statementsIn(text: string): [string, Statement][] {
  return exported
    .filter((value) => typeof value === 'object' && value !== null)
    .flatMap((value) => Object.entries(value))
    .filter(([name, one]) => text.includes(`-- name: ${name}`) && text.includes(one?.text) && one.columns);
}

interface Described {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
}

/** What the database says of a statement before it runs: its columns. */
class Describe implements pg.Submittable {
  readonly answer: Promise<Described>;
  #resolve: (told: Described) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #told: Described = { fields: [] };
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  submit(connection: pg.Connection): void {
    connection.parse({ text: this.#text, name: '', types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription(message: Described): void {
    this.#told = message;
  }

  handleError(error: Error): void {
    this.#reject(error);
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#told);
  }
}

it.each(FILES)('%s: rows are what the code says', async (file) => {
  const text = readFileSync(new URL(file, LEDGER), 'utf8');
  const statements = new Map(statementsIn(text));
  expect(statements.size, 'exported').toBe(text.match(/^-- name: /gm)?.length);
  const options = '-c search_path=stratum_bridge';
  const client = new pg.Client({ connectionString: books.connectionString, options });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows: types } = await client.query<{ oid: number; name: string }>(
    'SELECT oid::int, format_type(oid, NULL) AS name FROM pg_type',
  );
  const nameOf = new Map(types.map(({ oid, name }) => [oid, name]));
  for (const [name, { text, columns }] of statements) {
    const asked = new Describe(text);
    client.query(asked);
    const { fields } = await asked.answer;
    // Nobody reads them.
    if (Object.keys(columns).length === 0) continue;
    const found = fields.map((field) => [field.name, nameOf.get(field.dataTypeID)]);
    const said = Object.entries(columns).map(([column, { type }]) => [column, type]);
    expect(said.sort(), name).toEqual(found.sort());
  }
});
