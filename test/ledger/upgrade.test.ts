/** Books of version 0.1, on which bridges of that version still work while this one brings their tables up to date. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { migrateTo } from '../../src/ledger/database/migrate.js';
import { keepUp } from '../../src/ledger/history/upkeep.js';
import { type Ledger, openLedger } from '../../src/ledger/ledger.js';
import { verifyBooks } from '../../src/ledger/settlement/verify.js';
import { useBooks } from '../helpers/books.js';
import { createDatabase } from '../helpers/postgres.js';
import { makeShare } from '../helpers/shares.js';

/** The last of 0.1.0. */
const VERSION_0_1 = 6;
const PRODUCER = randomUUID();

const books = useBooks();
let url: string;

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=stratum_bridge' });
  await client.connect();
  client.on('error', () => {}); // what was asked rejects
  onTestFinished(() => client.end());
  return client;
}

/** As a recorder of 0.1 calls it. */
function recorded(number: number, seconds: number): string {
  return `SELECT record_entry('${PRODUCER}', ${number}, NULL, '{a,b}', '{r,r}', '{${seconds},${seconds}}', '{1,2}', '{10,20}',
    '{a,stranger}', '{r,x}', '{${seconds},${seconds}}', '{stale,duplicate}', '{3,4}', '{a,b}', '{1,2}', '{10,20}', '{0,0}', '{7,8}')`;
}

const WRITE_SOLUTION = `INSERT INTO solution (pow_hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty,
    node, account, rig, found_at, state, detail)
  VALUES ($1, '', 0, 1, '', 0, 0, 1, 'http://u:p@node', 'a', 'r', now(), 'received', '')`;

beforeEach(async () => {
  url = await createDatabase(books);
  const client = await connect();
  await client.query('BEGIN');
  await migrateTo(client, VERSION_0_1);
  await client.query('COMMIT');
  for (let i = 1; i <= 50; i++) await client.query(recorded(i, 1_700_000_000 + 600 * i));
  await client.query(recorded(51, Math.floor(Date.now() / 1000) + 100_000));
  await client.query(WRITE_SOLUTION, [Buffer.from('one')]);
  await client.query('INSERT INTO block (solution_id, hash, tip_height) SELECT id, $1, 1 FROM solution', [
    '',
  ]);
});

/** Until somebody waits for a lock. */
async function untilWaiting(): Promise<void> {
  const client = await connect();
  const waiting = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
  await expect.poll(async () => (await client.query(waiting)).rows[0].n).toBe(1);
}

async function open(): Promise<Ledger> {
  const ledger = await openLedger({ connectionString: url, log: SILENT });
  onTestFinished(() => ledger.close());
  return ledger;
}

async function sharesOf(ledger: Ledger): Promise<number> {
  const { rows } = await ledger.pool.query(
    'SELECT sum(shares)::int AS n FROM bucket WHERE starts_at <= now()',
  );
  return rows[0].n;
}

it('B10, X1: keep what they held, and recorders of both versions go on', async () => {
  const ledger = await open();
  expect([(await ledger.totals()).shares, await sharesOf(ledger)]).toEqual([153, 153]);
  const old = await connect();
  expect((await old.query(recorded(51, 1_700_000_000))).rows).toEqual([{ record_entry: false }]);
  expect((await old.query(recorded(52, 1_700_000_000))).rows).toEqual([{ record_entry: true }]);
  const entry = (number: number) => ({
    id: { producer: PRODUCER, number },
    shares: [makeShare()],
    rejections: [],
  });
  expect(await ledger.recordEntry(entry(52))).toBe('repeated');
  expect(await ledger.recordEntry(entry(53))).toBe('recorded');
  await keepUp(ledger.pool);
  expect([(await ledger.totals()).shares, await sharesOf(ledger)]).toEqual([157, 157]);
  expect((await verifyBooks(ledger.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
});

it('B13: change only when a recorder that is at work has ended: neither gives up for the other', async () => {
  const recorder = await connect();
  await recorder.query('BEGIN');
  await recorder.query('SELECT pg_advisory_xact_lock_shared(books_lock())');
  await recorder.query('INSERT INTO entry (producer, number) VALUES ($1, 60)', [PRODUCER]);
  const opened = open();
  opened.catch(() => {}); // told below
  await untilWaiting();
  await recorder.query(
    "INSERT INTO round_work SELECT id, 'c', 1, 10, 0 FROM round WHERE solution_id IS NULL",
  );
  await recorder.query('UPDATE producer SET shares = shares + 1, work = work + 10 WHERE id = $1', [PRODUCER]);
  await recorder.query('COMMIT');
  expect((await (await opened).totals()).shares).toBe(154);
});

it('B13: change only when a solution is written with its block: neither gives up for the other', async () => {
  const writer = await connect();
  await writer.query('BEGIN');
  await writer.query(WRITE_SOLUTION, [Buffer.from('two')]);
  const opened = open();
  opened.catch(() => {}); // told below
  await untilWaiting();
  await writer.query(
    'INSERT INTO block (solution_id, hash, tip_height) SELECT max(id), $1, 1 FROM solution',
    [''],
  );
  await writer.query('COMMIT');
  const { rows } = await (await opened).pool.query(
    "SELECT count(*)::int AS n FROM block JOIN solution ON id = solution_id WHERE node = 'http://node'",
  );
  expect(rows).toEqual([{ n: 2 }]);
});
