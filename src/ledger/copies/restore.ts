/** Reads what `dump.ts` writes into books that are empty. */
import type pg from 'pg';
import { z } from 'zod';
import { type Column, columnsOf, partitionedTables, setFormats, tablesInOrder } from '../database/catalog.js';
import { LedgerError } from '../database/errors.js';
import { SCHEMA, tablesChecksum } from '../database/make-books.js';
import { run } from '../database/statements.js';
import { inTransaction } from '../database/transaction.js';
import { bringUpToDate, type PaidSince } from './after-restore.js';
import { SQL } from './copies.js';

const LINE = z.union([
  // With whatever else another version begins with.
  z.object({ stratumBridge: z.literal('ledger'), tables: z.string().optional() }),
  z.strictObject({ table: z.string(), columns: z.array(z.string()) }),
  z.strictObject({ end: z.number().int().nonnegative() }),
  z.array(z.array(z.string().nullable())),
]);

/**
 * Restores a dump into books that are empty, all of it or nothing. They are the ledger that was dumped from then on. Resolves with what
 * people should know of payments. Throws LedgerError `refused`, `bad-dump` or `other-tables`.
 *
 * @param paid what was paid since the dump was written; without it, a dump in which accounts have money is refused.
 */
export async function restoreBooks(
  pool: pg.Pool,
  lines: AsyncIterable<string>,
  paid?: PaidSince,
): Promise<string[]> {
  return inTransaction(pool, async (client) => {
    await requireEmpty(client);
    await setFormats(client);
    const restore = new Restore(client);
    await restore.readAll(lines);
    await setSequences(client);
    return bringUpToDate(client, paid);
  });
}

async function requireEmpty(client: pg.ClientBase): Promise<void> {
  // A recorder or a bridge that runs here would write between this look and the end of what was there.
  await client.query('LOCK TABLE log, block IN ACCESS EXCLUSIVE MODE');
  const { rows: used } = await client.query('SELECT FROM log UNION ALL SELECT FROM block LIMIT 1');
  if (used.length > 0)
    throw new LedgerError('refused', 'there are books here already: restore into a new folder or database');
}

const OTHER_TABLES =
  'this dump was written by another version of this program, of books with other tables: restore it with that version';

interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
}

class Restore {
  readonly #client: pg.ClientBase;
  #table: Table | undefined;
  #known: string[] = [];
  #partitioned: string[] = [];
  #rows = 0;
  #isWhole = false;

  constructor(client: pg.ClientBase) {
    this.#client = client;
  }

  async readAll(lines: AsyncIterable<string>): Promise<void> {
    let number = 0;
    for await (const line of lines) {
      number++;
      const data = readDumpLine(line, number);
      if (this.#isWhole) throw notOfDump(number);
      await this.#read(data, number);
    }
    if (!this.#isWhole) throw badDump(`it ends after line ${number}, before its end`);
  }

  async #read(line: z.infer<typeof LINE>, number: number): Promise<void> {
    if (Array.isArray(line)) await this.#insert(line, number);
    else if ('stratumBridge' in line) await this.#begin(line.tables, number);
    else if ('table' in line) await this.#openTable(line.table, line.columns, number);
    else if (line.end === this.#rows) this.#isWhole = true;
    else throw badDump(`it has ${this.#rows} rows of ${line.end}`);
  }

  async #begin(tables: string | undefined, number: number): Promise<void> {
    if (number > 1) throw badDump(`line ${number} begins a second dump`);
    if (tables !== (await tablesChecksum())) throw new LedgerError('other-tables', OTHER_TABLES);
    this.#partitioned = await partitionedTables(this.#client);
    this.#known = await tablesInOrder(this.#client);
    // What tables begin with is in the dump too.
    await this.#client.query(`TRUNCATE ${this.#known.join(', ')}`);
  }

  async #openTable(name: string, columns: readonly string[], number: number): Promise<void> {
    if (!this.#known.includes(name)) throw badDump(`line ${number} names no table of the books`);
    const all = await columnsOf(this.#client, name);
    const named = columns.flatMap((column) => all.find((one) => one.name === column) ?? []);
    if (named.length !== columns.length || named.length === 0)
      throw badDump(`line ${number} names other columns than ${name} has`);
    this.#table = { name, columns: named };
  }

  async #insert(rows: readonly (string | null)[][], number: number): Promise<void> {
    const table = this.#table;
    if (!table || rows.some((row) => row.length !== table.columns.length))
      throw badDump(`line ${number} does not fit its table`);
    const { name, columns } = table;
    await this.#makeRoom(table, rows);
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    const values = columns.map((column, i) => `v${i}::${column.type}`).join(', ');
    const arrays = columns.map((_, i) => `$${i + 1}::text[]`).join(', ');
    const aliases = columns.map((_, i) => `v${i}`).join(', ');
    await this.#client.query(
      `INSERT INTO ${name} (${names}) OVERRIDING SYSTEM VALUE SELECT ${values} FROM unnest(${arrays}) AS u (${aliases})`,
      columns.map((_, i) => rows.map((row) => row[i])),
    );
    this.#rows += rows.length;
  }

  async #makeRoom({ name, columns }: Table, rows: readonly (string | null)[][]): Promise<void> {
    if (!this.#partitioned.includes(name)) return;
    const at = columns.findIndex((column) => column.name === 'starts_at');
    const times = [...new Set(rows.map((row) => row[at] ?? null))];
    await run(this.#client, SQL.makeRoom, [name, times]);
  }
}

/** Numbers that are given out go on where the dump's ended. */
async function setSequences(client: pg.ClientBase): Promise<void> {
  for (const table of await tablesInOrder(client)) {
    for (const { name, isIdentity } of await columnsOf(client, table)) {
      if (!isIdentity) continue;
      await client.query(
        `SELECT setval(pg_get_serial_sequence('${SCHEMA}.${table}', '${name}'), coalesce(max("${name}"), 0) + 1, false) FROM ${table}`,
      );
    }
  }
}

/** Throws LedgerError `bad-dump`. */
export function readDumpLine(line: string, number: number): z.infer<typeof LINE> {
  const { data } = LINE.safeParse(parsed(line));
  if (data === undefined) throw notOfDump(number);
  return data;
}

function notOfDump(number: number): LedgerError {
  return badDump(`line ${number} is none of a dump`);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // refused with its number
  }
}

function badDump(what: string): LedgerError {
  return new LedgerError('bad-dump', `this is no whole dump of books: ${what}`);
}
