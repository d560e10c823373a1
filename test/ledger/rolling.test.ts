/** Sums that history is read from, against the buckets that they are made from. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { SILENT } from '../../src/core/log.js';
import type { Share } from '../../src/core/share.js';
import { rollUp } from '../../src/ledger/history/rolling.js';
import { keepUp, startUpkeep } from '../../src/ledger/history/upkeep.js';
import { openLedger } from '../../src/ledger/ledger.js';
import { REWARD_RULES } from '../../src/ledger/settlement/reward-rules.js';
import { useBooks } from '../helpers/books.js';
import { createDatabase } from '../helpers/postgres.js';
import { entryOf, makeShare, type RejectionCount } from '../helpers/shares.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const books = useBooks();

beforeEach(async () => {
  await books.empty();
  await books.pool.query('TRUNCATE rig CASCADE');
});

async function record(shares: readonly Share[], rejections: readonly RejectionCount[] = []): Promise<void> {
  await books.ledger.recordEntry(entryOf({ id: { producer: randomUUID(), number: 1 }, shares, rejections }));
}

/** A share of each of so many rigs. */
function ofRigs(account: string, rigs: number, acceptedAtMs: number, difficulty = 7n): Share[] {
  return Array.from({ length: rigs }, (_, i) =>
    makeShare({
      account,
      rig: `r${i}`,
      acceptedAtMs: acceptedAtMs + 1000 * i,
      difficulty: difficulty + BigInt(i),
    }),
  );
}

function stale(account: string, sinceMs: number): RejectionCount {
  return { account, rig: 'r0', reason: 'stale', sinceMs, submits: 3, work: 5n };
}

interface Sum {
  readonly amount: string;
  readonly work: string;
}

/** By day and kind, of the pool (0) or of an account's own sums. */
async function rolled(account = ''): Promise<Record<string, Sum>> {
  return sums(
    `SELECT kind, date_bin('1 day', starts_at, 'epoch') AS at, sum(amount) AS amount, sum(work) AS work FROM rolled_sum
     WHERE kind <> 'online' AND account_id = coalesce((SELECT id FROM rolled_account WHERE account = $1), 0) GROUP BY 1, 2`,
    account,
  );
}

/** What they must be: of the buckets before the time that is rolled up. */
async function booked(account = ''): Promise<Record<string, Sum>> {
  return sums(
    `WITH all_rows AS (
       SELECT rig_id, 'accepted' AS kind, starts_at, shares AS amount, work FROM bucket
       UNION ALL SELECT rig_id, reason, starts_at, submits, work FROM rejection)
     SELECT kind, date_bin('1 day', starts_at, 'epoch') AS at, sum(amount) AS amount, sum(work) AS work
     FROM all_rows JOIN rig ON rig.id = rig_id, rolled
     WHERE starts_at < seen AND ($1 = '' OR account = $1) GROUP BY 1, 2`,
    account,
  );
}

async function sums(sql: string, account: string): Promise<Record<string, Sum>> {
  const { rows } = await books.pool.query<Sum & { kind: string; at: Date }>(sql, [account]);
  return Object.fromEntries(
    rows.map(({ kind, at, amount, work }) => [`${kind} ${at.toISOString()}`, { amount, work }]),
  );
}

async function expectSame(accounts: readonly string[]): Promise<void> {
  for (const account of ['', ...accounts]) {
    const expected = await booked(account);
    expect(Object.keys(expected).length, account).toBeGreaterThan(0);
    expect(await rolled(account), account).toEqual(expected);
  }
}

async function one<T>(sql: string): Promise<T> {
  const { rows } = await books.pool.query({ text: sql, rowMode: 'array' });
  return rows[0]?.[0] as T;
}

describe('rolled sums', () => {
  it('hold what the buckets hold, of every age, to the last share', async () => {
    const nowMs = Date.now();
    for (const ageMs of [
      50 * DAY_MS,
      20 * DAY_MS,
      3 * DAY_MS,
      5 * HOUR_MS,
      90 * MINUTE_MS,
      30 * MINUTE_MS,
      3 * MINUTE_MS,
    ]) {
      for (let i = 0; i < 5; i++) {
        const atMs = nowMs - ageMs + 11 * MINUTE_MS * i * (ageMs > DAY_MS ? 1 : 0);
        await record(
          [...ofRigs('farm', 7, atMs), ...ofRigs('home', 2, atMs)],
          [stale('farm', atMs), stale('', atMs)],
        );
      }
    }
    await keepUp(books.pool);
    await expectSame(['farm']);
    // Those of a few rigs are read from their buckets.
    expect(await one('SELECT array_agg(account)::text FROM rolled_account')).toBe('{farm}');
    const before = await rolled();
    await keepUp(books.pool);
    await keepUp(books.pool);
    expect(await rolled()).toEqual(before);
    expect(await one('SELECT count(DISTINCT seconds)::int FROM rolled_sum')).toBe(5);
    expect(await one('SELECT array_agg(DISTINCT seconds ORDER BY seconds)::text FROM rolled_sum')).toBe(
      '{60,600,3600,10800,86400}',
    );
  });

  it('take what comes late, before and after its time is closed', async () => {
    const nowMs = Date.now();
    await record(ofRigs('farm', 6, nowMs - 40 * MINUTE_MS));
    await keepUp(books.pool);
    await record(ofRigs('farm', 6, nowMs - 45 * MINUTE_MS), [stale('farm', nowMs - 45 * MINUTE_MS)]);
    await keepUp(books.pool);
    await expectSame(['farm']);
    expect(
      await one("SELECT sum(amount)::int FROM rolled_sum WHERE kind = 'accepted' AND account_id = 0"),
    ).toBe(12);
    // A block closes what lies before it, and the next share of then counts later.
    await books.pool.query("SELECT close_slots($1, '1 day')", [new Date(nowMs - 15 * MINUTE_MS)]);
    await keepUp(books.pool);
    await record(ofRigs('farm', 6, nowMs - 50 * MINUTE_MS));
    await keepUp(books.pool);
    await expectSame(['farm']);
    expect(
      await one("SELECT sum(amount)::int FROM rolled_sum WHERE kind = 'accepted' AND account_id = 0"),
    ).toBe(18);
  });

  it('are right however many bridges make them while shares come', async () => {
    const others = await Promise.all(
      [1, 2].map(() => openLedger({ connectionString: books.connectionString, log: SILENT })),
    );
    const nowMs = Date.now();
    let isRecorded = false;
    const keeping = [books.ledger, ...others].map(async ({ pool }) => {
      while (!isRecorded) await keepUp(pool);
    });
    for (let i = 0; i < 60; i++) {
      const atMs = nowMs - ((i * 7) % 100) * MINUTE_MS;
      await record([...ofRigs('farm', 8, atMs), ...ofRigs(`a${i % 3}`, 5, atMs)], [stale('farm', atMs)]);
    }
    isRecorded = true;
    await Promise.all(keeping);
    // Rejections that come late without a share are there once their time is closed.
    await books.pool.query("SELECT close_slots(now(), '1 day')");
    await keepUp(books.pool);
    await expectSame(['farm', 'a0', 'a1', 'a2']);
    await Promise.all(others.map((other) => other.close()));
  });

  it('are made again for a time that was closed by a wrong clock', async () => {
    const nowMs = Date.now();
    await record(ofRigs('farm', 6, nowMs - 20 * MINUTE_MS));
    await books.pool.query("UPDATE closed SET until = now() + interval '1 hour'");
    await rollUp(books.pool);
    await keepUp(books.pool);
    await record(ofRigs('farm', 6, nowMs - 15 * MINUTE_MS));
    await keepUp(books.pool);
    await expectSame(['farm']);
    expect(
      await one(
        'SELECT (until <= closed_until)::text FROM rolled, (SELECT until AS closed_until FROM closed) c',
      ),
    ).toBe('true');
  });

  it('begin for an account with its first share when it has come to many rigs', async () => {
    const nowMs = Date.now();
    for (const ageMs of [30 * DAY_MS, 2 * HOUR_MS, 10 * MINUTE_MS])
      await record(ofRigs('grows', 4, nowMs - ageMs));
    await keepUp(books.pool);
    expect(await one('SELECT count(*)::int FROM rolled_account')).toBe(0);
    await record(ofRigs('grows', 5, nowMs - 8 * MINUTE_MS), [stale('grows', nowMs - 8 * MINUTE_MS)]);
    await keepUp(books.pool);
    await expectSame(['grows']);
    const online = `SELECT sum(amount)::int FROM rolled_sum JOIN rolled_account a ON a.id = account_id WHERE kind = 'online'
      AND starts_at > now() - interval '1 hour'`;
    expect(await one(online)).toBeGreaterThanOrEqual(5 * 600);
    expect(await one(online)).toBeLessThanOrEqual(9 * 600);
  });

  it('count a rig for ten minutes in which it had a share', async () => {
    // In the middle of ten minutes that are closed.
    const atMs = Math.floor((Date.now() - 3 * HOUR_MS) / 600_000) * 600_000 + 300_000;
    await record([
      ...ofRigs('farm', 6, atMs),
      ...ofRigs('farm', 6, atMs + 60_000),
      ...ofRigs('farm', 2, atMs + 600_000),
    ]);
    await keepUp(books.pool);
    const { rows } = await books.pool.query(
      "SELECT account_id > 0 AS own, sum(amount)::int AS seconds FROM rolled_sum WHERE kind = 'online' GROUP BY 1 ORDER BY 1",
    );
    expect(rows).toEqual([
      { own: false, seconds: 8 * 600 },
      { own: true, seconds: 8 * 600 },
    ]);
  });

  it('leave buckets as they are until they are rolled up', async () => {
    await record(ofRigs('farm', 6, Date.now() - 3 * DAY_MS));
    await books.pool.query("SELECT close_slots(now() - interval '1 hour', '1 day')");
    const merge = "SELECT merge_buckets(600, now() - interval '1 hour')::int";
    expect(await one(merge)).toBe(0);
    await rollUp(books.pool);
    expect(await one(merge)).toBe(6);
  });

  it('are forgotten with the buckets', async () => {
    const nowMs = Date.now();
    for (let day = 500; day > 0; day--) await record(ofRigs('farm', 6, nowMs - day * DAY_MS));
    await keepUp(books.pool);
    await expectSame(['farm']);
    const oldest = await one<Date>('SELECT min(starts_at) FROM rolled_sum');
    expect(oldest).toEqual(await one('SELECT min(starts_at) FROM bucket'));
    expect(nowMs - oldest.getTime()).toBeLessThan(402 * DAY_MS);
  });
});

describe('a history that was never rolled up', () => {
  const RIGS = 9;
  const TEN_MINUTES = RIGS * 60;

  /** Buckets of every width, as many years of upkeep leave them, down to the last hour's of ten seconds. */
  async function makeHistory(): Promise<void> {
    const spans: readonly [seconds: number, from: number, to: number][] = [
      [86_400, 40, 300],
      [3600, 30, 600],
      [600, 8, 150],
      [10, 1, 420],
    ];
    await books.pool.query(
      "INSERT INTO rig (account, name) SELECT 'old', 'r' || i FROM generate_series(1, $1::int) i",
      [RIGS],
    );
    for (const span of spans) {
      const at = "date_bin(make_interval(secs => $1), now() - i * make_interval(secs => $1), 'epoch')";
      const of = 'rig, generate_series($2::int, $3::int) i';
      await books.pool.query(
        `INSERT INTO bucket (rig_id, starts_at, seconds, shares, work) SELECT id, ${at}, $1::int, 100, 1000 FROM ${of}`,
        span,
      );
      await books.pool.query(
        `INSERT INTO rejection (rig_id, starts_at, seconds, reason, submits, work)
         SELECT id, ${at}, $1::int, 'stale', 2, 20 FROM ${of} WHERE i % 7 = 0`,
        span,
      );
    }
    await books.pool.query("SELECT close_slots(now() - interval '1 hour', '1 day')");
  }

  const seen = () => one<Date>('SELECT seen FROM rolled');

  it('is so in steps, each of a bounded number of rows, what is still open too', async () => {
    await makeHistory();
    const rowsAtATime = 700;
    const steps: number[] = [];
    for (let isMore = true; isMore; ) {
      const before = await seen();
      isMore = await one<boolean>(`SELECT roll_up(${rowsAtATime})`);
      const { rows } = await books.pool.query<{ rows: number }>(
        'SELECT count(*)::int AS rows FROM bucket WHERE starts_at >= $1 AND starts_at < $2',
        [before, await seen()],
      );
      steps.push(rows[0]?.rows ?? 0);
    }
    // The step that comes to the end of what is closed goes on with what is open.
    expect(Math.max(...steps)).toBeLessThanOrEqual(2 * (rowsAtATime + TEN_MINUTES));
    expect(steps.length).toBeGreaterThan(10);
    expect(Date.now() - (await seen()).getTime()).toBeLessThan(10 * MINUTE_MS);
    await expectSame(['old']);
    await keepUp(books.pool);
    await expectSame(['old']);
  });

  it('does not hold up shares while it is', async () => {
    await makeHistory();
    const client = new pg.Client({
      connectionString: books.connectionString,
      options: '-c search_path=stratum_bridge',
    });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('BEGIN');
    await client.query('SELECT roll_up(1000000)');
    // The step is not over until it is committed.
    await record(ofRigs('old', 9, Date.now() - MINUTE_MS), [stale('old', Date.now() - MINUTE_MS)]);
    await record(ofRigs('new', 9, Date.now() - 3 * HOUR_MS));
    await client.query('COMMIT');
    await books.pool.query("SELECT close_slots(now(), '1 day')");
    await keepUp(books.pool);
    await expectSame(['old', 'new']);
  });

  it('keeps nobody from stopping', async () => {
    await makeHistory();
    const upkeep = startUpkeep(books.pool, {
      rules: async () => REWARD_RULES,
      nowMs: Date.now,
      log: SILENT,
    });
    await upkeep.close();
    expect(await seen()).toEqual(new Date(0));
  });
});

describe('books that were never rolled up', () => {
  it('are rolled up once, as they are', async () => {
    const connectionString = await createDatabase(books);
    const ledger = await openLedger({ connectionString, log: SILENT });
    onTestFinished(() => ledger.close());
    await ledger.pool.query(`
      INSERT INTO rig (account, name) SELECT 'old', 'r' || i FROM generate_series(1, 9) i;
      INSERT INTO bucket (rig_id, starts_at, seconds, shares, work)
        SELECT id, date_bin('1 day', now() - d * interval '1 day', 'epoch'), 86400, 100, 1000 FROM rig, generate_series(40, 300) d;
      INSERT INTO bucket (rig_id, starts_at, seconds, shares, work)
        SELECT id, date_bin('1 hour', now() - h * interval '1 hour', 'epoch'), 3600, 100, 1000 FROM rig, generate_series(30, 600) h;
      INSERT INTO solution (pow_hash, header, chain_id, height, parent, nonce, creation_time, block_difficulty, node, account, rig, found_at, state, detail)
        VALUES ('x', '', 0, 1, '', 0, 0, 50, 'http://n', 'old', 'r1', now(), 'received', '');
      INSERT INTO round_work (round_id, account, shares, work, expected) SELECT id, a, 5, 50, 0 FROM round, unnest('{old,other}'::text[]) a;
      UPDATE round SET solution_id = (SELECT id FROM solution);
      INSERT INTO round DEFAULT VALUES`);
    await keepUp(ledger.pool);
    const { rows } = await ledger.pool.query(
      `SELECT (SELECT sum(shares) = 9 * 100 * (261 + 571) FROM bucket) AS kept,
              (SELECT sum(amount) FROM rolled_sum WHERE account_id = 0 AND kind = 'accepted')::int AS pool,
              (SELECT sum(amount) FROM rolled_sum WHERE account_id <> 0 AND kind = 'accepted')::int AS own`,
    );
    expect(rows).toEqual([{ kept: true, pool: 748_800, own: 748_800 }]);
  });
});
