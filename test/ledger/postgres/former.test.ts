/** Books of version 0.1: refused with the way over, and read from its dumps. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import { dumpBooks } from '../../../src/ledger/copies/dump.js';
import { restoreBooks } from '../../../src/ledger/copies/restore.js';
import { keepUp } from '../../../src/ledger/history/upkeep.js';
import { type Ledger, openLedger } from '../../../src/ledger/ledger.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { listSetAside, retrySetAside } from '../../../src/ledger/recording/set-aside.js';
import { useBooks } from '../../helpers/books/books.js';
import { createDatabase } from '../../helpers/books/postgres.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';

/** Written by the last program of version 0.1: shares of 40 days, blocks in every state, payouts, alerts. */
const DUMP = new URL('former-books.dump', import.meta.url);
const PRODUCER = '2b1f0000-0000-4000-8000-000000000001';

const books = useBooks();

async function formerLines(): Promise<string[]> {
  return (await readFile(DUMP, 'utf8')).trimEnd().split('\n');
}

/** As a program wrote it whose tables did not have those yet, nor columns beyond so many. */
function without(lines: readonly string[], version: number, later: Record<string, number>): string[] {
  let [columns, rows] = [Number.POSITIVE_INFINITY, 0];
  const kept = lines.slice(1, -1).flatMap((line) => {
    const read = JSON.parse(line) as { table: string; columns: string[] } | unknown[][];
    if (!Array.isArray(read)) columns = later[read.table] ?? Number.POSITIVE_INFINITY;
    if (columns === 0) return [];
    if (!Array.isArray(read)) return JSON.stringify({ ...read, columns: read.columns.slice(0, columns) });
    rows += read.length;
    return JSON.stringify(read.map((row) => row.slice(0, columns)));
  });
  const begin = JSON.stringify({ stratumBridge: 'ledger', version });
  return [begin, ...kept, JSON.stringify({ end: rows })];
}

/** Tables and columns that 0.1.0 did not have. */
const SINCE_0_1_0 = {
  ...{ set_aside: 0, split_doubt: 0, bridge_rules: 0, instance: 0, happening: 0, freshness: 0, owed: 0 },
  ...{ rolled: 0, rolled_account: 0, rolled_sum: 0, round_sum: 0, alert: 0, alert_watch: 0, alert_rig: 0 },
  ...{ alert_subscription: 0, alert_delivery: 0, alert_report: 0, alert_target: 0, block: 14 },
};

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function emptyLedger(): Promise<Ledger> {
  const ledger = await openLedger({ connectionString: await createDatabase(books), log: SILENT });
  onTestFinished(() => ledger.close());
  return ledger;
}

async function one(ledger: Ledger, sql: string): Promise<unknown> {
  const { rows } = await ledger.pool.query({ text: sql, rowMode: 'array' });
  return rows[0]?.[0];
}

it.each([false, true])('are refused, and stay as they are (looked at only: %s)', async (asTheyAre) => {
  const connectionString = await createDatabase(books);
  const client = new pg.Client({ connectionString });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`
    CREATE SCHEMA stratum_bridge;
    CREATE TABLE stratum_bridge.migration (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz DEFAULT now());
    INSERT INTO stratum_bridge.migration (version, name) SELECT i, 'one of before' FROM generate_series(1, 19) i`);
  await expect(openLedger({ connectionString, log: SILENT, asTheyAre })).rejects.toMatchObject({
    code: 'former-books',
    message: expect.stringMatching(/by stratum-bridge 0\.1 .*`ledger dump FILE`.*`ledger restore FILE`/),
  });
  const tables = "SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'stratum_bridge'";
  expect((await client.query(tables)).rows).toEqual([{ n: 1 }]);
});

it('come over with a dump, and go on', async () => {
  const ledger = await emptyLedger();
  await restoreBooks(ledger.pool, each(await formerLines()), 'none');
  expect(await ledger.totals()).toEqual({ shares: 56, work: (56n << 60n).toString() });
  expect((await verifyBooks(ledger.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  expect(await one(ledger, "SELECT to_regnamespace('stratum_bridge_former')")).toBeNull();
  expect(
    await one(
      ledger,
      "SELECT sum(amount) FROM balance JOIN account ON id = account_id WHERE name = 'a' AND book = 'paid'",
    ),
  ).toBe('0.990000000007');
  const record = (number: number, producer = PRODUCER) =>
    ledger.recordEntry(entryOf({ id: { producer, number }, shares: [makeShare()], rejections: [] }));
  expect([await record(7), await record(8), await record(1, randomUUID())]).toEqual([
    'repeated',
    'repeated',
    'recorded',
  ]);
  await keepUp(ledger.pool);
  // What 0.1 had set aside is booked as well as ever.
  const [part] = await listSetAside(ledger.pool, 9);
  expect(part).toMatchObject({ account: 'late', shares: 1, work: '1000', error: 'no such thing' });
  expect(await retrySetAside(ledger.pool, part?.id ?? '')).toMatchObject({ account: 'late' });
  expect((await ledger.totals()).shares).toBe(58);
  expect((await verifyBooks(ledger.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  const dumped = dumpBooks(ledger.pool);
  const { value: begin } = await dumped.next();
  await dumped.return(undefined);
  expect(JSON.parse(begin)).toEqual({ stratumBridge: 'ledger', version: 102 });
});

it('come over also from 0.1.0, but not from longer ago', async () => {
  const lines = (await formerLines()).map((line) =>
    line.replace('"http://node"', '"http://user:secret@node"'),
  );
  const ledger = await emptyLedger();
  await restoreBooks(ledger.pool, each(without(lines, 6, SINCE_0_1_0)), 'none');
  await keepUp(ledger.pool);
  expect(await one(ledger, 'SELECT sum(submits) FROM rig_work WHERE kind = 0')).toBe('56');
  expect(await one(ledger, 'SELECT count(*) FROM alert_watch')).toBe('1');
  expect(await one(ledger, 'SELECT array_agg(DISTINCT node) FROM solution')).toEqual(['http://node']);
  expect((await verifyBooks(ledger.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  const older = restoreBooks((await emptyLedger()).pool, each(without(lines, 5, {})));
  await expect(older).rejects.toThrow(/reads versions 6 to 19, and from 101 on: .* dump it there again/);
});

it('have their functions made anew when these read otherwise, and only then', async () => {
  const { connectionString, pool } = books;
  const open = async (): Promise<void> => (await openLedger({ connectionString, log: SILENT })).close();
  const made = async (): Promise<unknown[]> => {
    const { rows } = await pool.query(
      "SELECT proname, oid FROM pg_proc WHERE pronamespace = 'stratum_bridge'::regnamespace ORDER BY proname",
    );
    return rows;
  };
  const before = await made();
  await open();
  expect(await made()).toEqual(before);
  await pool.query(`
    CREATE FUNCTION left_over() RETURNS int LANGUAGE sql AS 'SELECT 1';
    DROP FUNCTION see_owed;
    UPDATE made_functions SET checksum = 'of before'`);
  await open();
  const names = (rows: unknown[]) => rows.map((row) => (row as { proname: string }).proname);
  const after = await made();
  expect(names(after)).toEqual(names(before));
  expect(after).not.toEqual(before);
});
