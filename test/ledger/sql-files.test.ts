/** Statements in files of SQL beside the code: each is told by a real PostgreSQL what its rows are, which is written down in the file. */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { parseStatements } from '../../src/ledger/database/sql-files.js';
import { useBooks } from '../helpers/books.js';

const LEDGER = new URL('../../src/ledger/', import.meta.url);
const FILES = readdirSync(LEDGER, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.sql') && !path.startsWith('sql'),
);

const books = useBooks();

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

it('there are some', () => {
  expect(FILES.length).toBeGreaterThan(0);
});

it.each(FILES)('%s: rows are what the file says', async (file) => {
  const text = readFileSync(new URL(file, LEDGER), 'utf8');
  const options = '-c search_path=stratum_bridge';
  const client = new pg.Client({ connectionString: books.connectionString, options });
  await client.connect();
  onTestFinished(() => client.end());
  const { rows: types } = await client.query<{ oid: number; name: string }>(
    'SELECT oid::int, format_type(oid, NULL) AS name FROM pg_type',
  );
  const nameOf = new Map(types.map(({ oid, name }) => [oid, name]));
  for (const [name, statement] of parseStatements(text)) {
    const asked = new Describe(statement);
    client.query(asked);
    const { fields } = await asked.answer;
    const columns = fields.map((field) => `${field.name} ${nameOf.get(field.dataTypeID)}`).join(', ');
    expect(statement, name).toContain(`-- row: ${columns}\n`);
  }
});
