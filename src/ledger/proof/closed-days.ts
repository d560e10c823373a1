/** Proves days whose transfers were summed by a dump that has them one by one: their hash is computed again. */
import type pg from 'pg';
import { readDumpLine } from '../copies/restore.js';
import { LedgerError } from '../database/errors.js';
import { SCHEMA } from '../database/make-books.js';
import { patientQuery } from '../database/transaction.js';
import { type Proof, SHOWN } from './proof.js';

const PATIENCE_MS = 600_000;

/** What is in it is found before the ledger's table of that name, also by functions. */
const TABLE = `CREATE TEMP TABLE transfer (LIKE ${SCHEMA}.transfer)`;

const COLUMNS = ['code', 'of', 'time', 'debit', 'credit', 'amount', 'at', 'transfers'];
const BRING = `INSERT INTO pg_temp.transfer (${COLUMNS.join(', ')}) SELECT * FROM unnest(
  $1::text[], $2::bigint[], $3::int[], $4::int[], $5::int[], $6::numeric[], $7::timestamptz[], $8::bigint[])`;

/** Of days that are whole in the dump: the last one of it is not. */
const COMPARE = `
  SELECT d.day::text AS day, d.hash <> hash_of_day(d.day, coalesce((SELECT hash FROM closed_day WHERE day = d.day - 1), '')) AS differs
  FROM closed_day d, (SELECT min(at) AS first, max(at) AS last FROM pg_temp.transfer WHERE time > 0) AS dump
  WHERE d.day >= (dump.first AT TIME ZONE 'UTC')::date AND d.day < (dump.last AT TIME ZONE 'UTC')::date ORDER BY d.day`;

/** Throws LedgerError `bad-dump`. */
export async function proveClosedDays(pool: pg.Pool, dump: AsyncIterable<string>): Promise<Proof> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(TABLE);
    await bring(client, dump);
    const { rows } = await patientQuery<{ day: string; differs: boolean }>(client, COMPARE, [], PATIENCE_MS);
    const broken = rows
      .filter(({ differs }) => differs)
      .map(({ day }) => `${day}: what was summed is not what the dump has`);
    return {
      name: 'dump',
      says: 'days that are closed were made of the transfers that the dump has',
      broken: broken.slice(0, SHOWN),
      noted: [`${rows.length} closed days are in the dump`],
    };
  } finally {
    // With the table.
    await client.query('ROLLBACK').catch(() => {});
    client.release();
  }
}

async function bring(client: pg.ClientBase, dump: AsyncIterable<string>): Promise<void> {
  let isOfTransfers = false;
  let number = 0;
  for await (const text of dump) {
    const line = readDumpLine(text, ++number);
    if ('table' in line) {
      isOfTransfers = line.table === 'transfer';
      if (isOfTransfers && line.columns.join() !== COLUMNS.join())
        throw new LedgerError(
          'bad-dump',
          `line ${number} of the dump names other columns than a transfer has`,
        );
    } else if (isOfTransfers && Array.isArray(line)) {
      const values = COLUMNS.map((_, i) => line.map((row) => row[i]));
      await patientQuery(client, BRING, values, PATIENCE_MS);
    }
  }
}
