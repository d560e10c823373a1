import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { hashSubmit, type Solution } from '../../src/core/shares/share.js';
import { connectionShortage } from '../../src/ledger/database/connections.js';
import { MAKING_LOCK, makeBooks } from '../../src/ledger/database/make-books.js';
import { bulkRows, inTransaction } from '../../src/ledger/database/transaction.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { useBooks } from '../helpers/books/books.js';
import { createDatabase } from '../helpers/books/postgres.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { openGate } from '../helpers/processes/gate.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';
import { makeWork } from '../helpers/rigs/works.js';

const books = useBooks({ onOwnServer: true });

async function rows<T extends object>(sql: string): Promise<T[]> {
  const client = new pg.Client({
    connectionString: books.connectionString,
    options: '-c search_path=stratum_bridge',
  });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
}

function solve(): Solution {
  const job = new JobBook(1).add(makeWork({ difficulty: 1n }), 'http://node');
  const { header, powHash } = hashSubmit(job, (1n << 64n) - 1n);
  const nonce = (1n << 64n) - 1n;
  return { job, header, nonce, powHash, account: 'k:a', rig: 'r1', foundAtMs: 1_700_000_000_000 };
}

describe('ledger', () => {
  it('credits an entry once, however often and by however many it is recorded', async () => {
    const entry = entryOf({
      id: { log: randomUUID(), number: 1 },
      shares: [
        makeShare({ account: 'once', difficulty: 1n << 200n }),
        makeShare({ account: 'once', difficulty: 3n, acceptedAtMs: 1_700_000_009_999 }),
        makeShare({ account: 'once', difficulty: 4n, acceptedAtMs: 1_700_000_010_000 }),
      ],
      rejections: [],
    });
    const other = await openLedger({ connectionString: books.connectionString, log: SILENT });
    const before = await books.ledger.totals();
    const outcomes = await Promise.all(
      Array.from({ length: 12 }, (_, i) => (i % 2 ? other : books.ledger).recordEntry(entry)),
    );
    await other.close();
    expect(outcomes.filter((outcome) => outcome === 'recorded')).toHaveLength(1);
    const after = await books.ledger.totals();
    expect(after.shares - before.shares).toBe(3);
    expect(BigInt(after.work) - BigInt(before.work)).toBe((1n << 200n) + 7n);
    const buckets = await rows<{ shares: string; work: string }>(
      "SELECT submits AS shares, work FROM rig_work JOIN rig ON rig_id = id WHERE key = rig_key('once', 'r1') ORDER BY starts_at",
    );
    expect(buckets).toEqual([
      { shares: '2', work: ((1n << 200n) + 3n).toString() },
      { shares: '1', work: '4' },
    ]);
  });

  it('takes entries that touch the same rigs in any order at the same time', async () => {
    const log = randomUUID();
    const rigs = ['c', 'a', 'b', 'e', 'd'];
    const before = await books.ledger.totals();
    await Promise.all(
      Array.from({ length: 60 }, (_, number) => {
        const turned = [...rigs.slice(number % 5), ...rigs.slice(0, number % 5)];
        const shares = turned.map((rig) => makeShare({ account: 'ring', rig, difficulty: 5n }));
        return books.ledger.recordEntry(entryOf({ id: { log, number: number + 1 }, shares, rejections: [] }));
      }),
    );
    const after = await books.ledger.totals();
    expect([after.shares - before.shares, BigInt(after.work) - BigInt(before.work)]).toEqual([300, 1500n]);
  });

  it('keeps the last word on a solution', async () => {
    const solution = solve();
    await recordSolution(books.ledger, solution, 'received', '');
    await recordSolution(books.ledger, solution, 'found', '');
    expect(await rows('SELECT said, nonce, chain_id, height, account FROM block')).toEqual([
      { said: 'received', nonce: '18446744073709551615', chain_id: 3, height: '7', account: 'k:a' },
    ]);
  });

  it('opens many times at once', async () => {
    const { connectionString } = books;
    const opened = await Promise.all(
      Array.from({ length: 5 }, () => openLedger({ connectionString, log: SILENT })),
    );
    await Promise.all(opened.map((one) => one.close()));
  });
});

describe('books that another version made', () => {
  const REFUSED = {
    code: 'other-tables',
    message: expect.stringMatching(
      /other tables: start that version on them, or give .* a new data directory/,
    ),
  };

  /** A database with what these statements make in the schema of the books, and how to ask it. */
  async function booksOf(...statements: readonly string[]) {
    const connectionString = await createDatabase(books);
    const client = new pg.Client({ connectionString, options: '-c search_path=stratum_bridge' });
    await client.connect();
    onTestFinished(() => client.end());
    for (const statement of statements) await client.query(statement);
    const open = async (asTheyAre = false) =>
      (await openLedger({ connectionString, log: SILENT, asTheyAre })).close();
    return { client, open };
  }

  it('are refused where they have the tables of before, and stay as they are', async () => {
    const { client, open } = await booksOf(
      'CREATE SCHEMA stratum_bridge',
      'CREATE TABLE migration (version integer PRIMARY KEY, name text NOT NULL)',
      "INSERT INTO migration VALUES (1, '0001_books.sql')",
      "CREATE FUNCTION roll_lock() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    );
    // Whatever writes a row of these catalogs or of the table changes one of them.
    const look = async (): Promise<unknown[]> => {
      const { rows: found } = await client.query(`
        SELECT 'relation' AS what, relname::text AS name, xmin::text FROM pg_class WHERE relnamespace = 'stratum_bridge'::regnamespace
        UNION ALL SELECT 'function', proname::text, xmin::text FROM pg_proc WHERE pronamespace = 'stratum_bridge'::regnamespace
        UNION ALL SELECT 'row', name, xmin::text FROM migration ORDER BY 1, 2`);
      return found;
    };
    const before = await look();
    expect(before).toHaveLength(4);
    for (const asTheyAre of [false, true]) await expect(open(asTheyAre)).rejects.toMatchObject(REFUSED);
    expect(await look()).toEqual(before);
  });

  it('are refused where what made their tables reads otherwise', async () => {
    const { client, open } = await booksOf();
    await open();
    await client.query("UPDATE made SET tables = 'of another'");
    for (const asTheyAre of [false, true]) await expect(open(asTheyAre)).rejects.toMatchObject(REFUSED);
  });

  it('get the functions of this one where only these differ, unless they are to stay as they are', async () => {
    const { client, open } = await booksOf();
    await open();
    await client.query(`
      DROP FUNCTION roll_lock();
      CREATE FUNCTION of_another() RETURNS integer LANGUAGE sql AS 'SELECT 1';
      UPDATE made SET functions = 'of another'`);
    const functions = async (): Promise<unknown> =>
      (await client.query("SELECT to_regproc('roll_lock') AS ours, to_regproc('of_another') AS theirs"))
        .rows[0];
    await expect(open(true)).rejects.toMatchObject({ code: 'other-functions' });
    expect(await functions()).toEqual({ ours: null, theirs: 'of_another' });
    await open();
    expect(await functions()).toEqual({ ours: 'roll_lock', theirs: null });
    await open(true);
  });
});

it('X8: says at once when the database is back and its books cannot be used', async () => {
  const gate = await openGate(Number(new URL(books.connectionString).port));
  const url = new URL(await createDatabase(books));
  await (await openLedger({ connectionString: url.href, log: SILENT })).close();
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query("UPDATE stratum_bridge.made SET tables = 'of another'");
  await client.end();
  await gate.shut();
  url.port = String(gate.port);
  const said: object[] = [];
  const error = (fields: object, words: string): void => void said.push({ ...fields, words });
  const ledger = await openLedger({ connectionString: url.href, log: { ...SILENT, error }, waits: true });
  await gate.open();
  await expect
    .poll(() => said)
    .toEqual([
      {
        error: expect.stringContaining('start that version on them'),
        words: expect.stringContaining('its books cannot be used: shares are kept'),
      },
    ]);
  await ledger.close();
  await gate.shut();
});

describe('sums of shares', () => {
  it('do not depend on the order, and hold every share', () => {
    const share = fc.record({
      account: fc.constantFrom('a', 'b'),
      rig: fc.constantFrom('', 'x'),
      difficulty: fc.bigInt(1n, 1n << 90n),
      acceptedAtMs: fc.integer({ min: 0, max: 60_000 }),
    });
    fc.assert(
      fc.property(fc.array(share), (fields) => {
        const shares = fields.map((field) => makeShare(field));
        const id = { log: randomUUID(), number: 1 };
        const { sums } = entryOf({ id, shares });
        const again = entryOf({ id, shares: shares.toReversed() }).sums;
        expect(new Set(again)).toEqual(new Set(sums));
        expect(sums.reduce((sum, { submits }) => sum + submits, 0)).toBe(shares.length);
        expect(sums.reduce((sum, { work }) => sum + work, 0n)).toBe(
          shares.reduce((sum, { difficulty }) => sum + difficulty, 0n),
        );
      }),
    );
  });

  describe('B13: times and limits', () => {
    it('credits what comes from a clock that is ahead as of now', async () => {
      const acceptedAtMs = Date.now() + 86_400_000;
      const shares = [5n, 6n].map((difficulty, i) =>
        makeShare({ account: 'ahead', difficulty, acceptedAtMs: acceptedAtMs + i * 60_000 }),
      );
      const rejection = { account: 'ahead', rig: 'r1', reason: 'stale' as const, submits: 1, work: 1n };
      const rejections = [{ ...rejection, sinceMs: acceptedAtMs }];
      await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections }));
      await recordSolution(books.ledger, { ...solve(), foundAtMs: acceptedAtMs }, 'received', '');
      const [sums] = await rows(
        `SELECT (SELECT count(*) FROM rig_work WHERE starts_at > now())::int AS sums,
                (SELECT count(*) FROM block WHERE found_at > now())::int AS solutions,
                (SELECT sum(work) FROM rig_work JOIN rig ON rig_id = id WHERE kind = 0 AND key = rig_key('ahead', 'r1'))::int AS work`,
      );
      expect(sums).toEqual({ sums: 0, solutions: 0, work: 11 });
    });

    it('has its own limits of time on the server, and its own isolation, whatever the database says', async () => {
      const altered = `ALTER DATABASE ${new URL(books.connectionString).pathname.slice(1)}`;
      await rows(`${altered} SET default_transaction_isolation = 'repeatable read'`);
      const ledger = await openLedger({ connectionString: books.connectionString, log: SILENT });
      const shown = `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
        current_setting('transaction_isolation') AS isolation, current_setting('tcp_keepalives_idle') AS silence`;
      const limits = { statement: '1min', lock: '50s', isolation: 'read committed', silence: '10' };
      try {
        expect((await ledger.pool.query(shown)).rows).toEqual([limits]);
        const inside = await inTransaction(ledger.pool, async (client) => {
          await bulkRows(client, { text: 'SELECT 1' }, []);
          return (await client.query(shown)).rows;
        });
        expect(inside).toEqual([{ ...limits, statement: '10min' }]);
      } finally {
        await ledger.close();
        await rows(`${altered} RESET default_transaction_isolation`);
      }
    });

    it('keeps its schema and its isolation beside the options of a URL', async () => {
      const url = new URL(books.connectionString);
      url.searchParams.set('options', '-c work_mem=7MB -c default_transaction_isolation=serializable');
      const ledger = await openLedger({ connectionString: url.href, log: SILENT });
      onTestFinished(() => ledger.close());
      expect(await ledger.totals()).toEqual(await books.ledger.totals());
      const shown =
        "SELECT current_setting('work_mem') AS memory, current_setting('default_transaction_isolation') AS level";
      expect((await ledger.pool.query(shown)).rows).toEqual([{ memory: '7MB', level: 'read committed' }]);
    });

    it('waits for another bridge that makes the books however long it takes', async () => {
      const holder = new pg.Client({ connectionString: books.connectionString });
      await holder.connect();
      await holder.query('SELECT pg_advisory_lock($1)', [MAKING_LOCK]);
      // Enough for all but the wait, also on a busy machine.
      const limits = { statement_timeout: 3000, lock_timeout: 3000, query_timeout: 3000 };
      const hasty = new pg.Client({ connectionString: books.connectionString, ...limits });
      await hasty.connect();
      const made = makeBooks(hasty);
      await holder.query('SELECT pg_sleep(4)');
      await holder.query('SELECT pg_advisory_unlock($1)', [MAKING_LOCK]);
      await made;
      await Promise.all([holder.end(), hasty.end()]);
    });

    it('says in a sentence when the database has too few connections left', async () => {
      expect(await connectionShortage(books.pool)).toBeUndefined();
      const [{ free } = { free: 0 }] = await rows<{ free: number }>(
        "SELECT current_setting('max_connections')::int - 3 - (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')::int AS free",
      );
      const others = Array.from({ length: free - 2 }, () => new pg.Client(books.connectionString));
      await Promise.all(others.map((client) => client.connect()));
      const sentence = await connectionShortage(books.pool);
      await Promise.all(others.map((client) => client.end()));
      expect(sentence).toContain('raise max_connections');
    });
  });

  it('B5: what upkeep looks for each minute is found without reading history', async () => {
    const client = await books.pool.connect();
    const planOf = async (sql: string): Promise<string> =>
      (await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`)).rows
        .map((row) => row['QUERY PLAN'])
        .join();
    try {
      await client.query('BEGIN; SET LOCAL enable_seqscan = off');
      expect(await planOf('SELECT min(slot) FROM unweighed_block')).toContain('block_unweighed');
      expect(await planOf('SELECT FROM block WHERE due AND weighed_at IS NOT NULL')).toContain('block_due');
      expect(await planOf('SELECT min(watermark) FROM log WHERE NOT ended')).toContain('log_open');
      expect(await planOf('SELECT max(height) FROM block')).toContain('block_by_height');
      expect(
        await planOf(
          `UPDATE block SET slot = now() WHERE log = '${randomUUID()}' AND slot IS NULL AND state IS NOT NULL`,
        ),
      ).toContain('block_without_slot');
      const orphaned = "count(*) FILTER (WHERE state = 'orphaned')";
      const taken = "said IN ('received', 'perhaps', 'lost')";
      expect(await planOf(`SELECT ${orphaned} FROM block WHERE ${taken} AND found_at >= now()`)).toContain(
        'Index Only Scan using block_taken',
      );
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});
