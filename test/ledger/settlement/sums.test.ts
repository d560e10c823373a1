/** Sums of rigs and accounts: booked once, whoever brings them, and the same however often they are summed up into longer times. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SILENT } from '../../../src/core/names/log.js';
import type { Share } from '../../../src/core/shares/share.js';
import { rollUp } from '../../../src/ledger/history/rolling.js';
import { openLedger } from '../../../src/ledger/ledger.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';
import { followRound } from '../../../src/ledger/settlement/open-round.js';
import { SQL } from '../../../src/ledger/watch/sums.js';
import { useBooks } from '../../helpers/books/books.js';
import { keepUp } from '../../helpers/books/keep-up.js';
import { entryOf, makeShare, type RejectionCount } from '../../helpers/rigs/shares.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const books = useBooks();

beforeEach(async () => {
  await books.empty();
  await books.pool.query('TRUNCATE rig CASCADE');
});

async function record(shares: readonly Share[], rejections: readonly RejectionCount[] = []): Promise<void> {
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections }));
}

/** A share of each of so many rigs. */
function ofRigs(account: string, rigs: number, acceptedAtMs: number, difficulty = 7n): Share[] {
  return Array.from({ length: rigs }, (_, i) =>
    makeShare({ account, rig: `r${i}`, acceptedAtMs, difficulty: difficulty + BigInt(i) }),
  );
}

function stale(account: string, sinceMs: number): RejectionCount {
  return { account, rig: 'r0', reason: 'stale', sinceMs, submits: 3, work: 5n };
}

async function one<T>(sql: string, values: unknown[] = []): Promise<T> {
  const { rows } = await books.pool.query({ text: sql, rowMode: 'array', values });
  return rows[0]?.[0] as T;
}

async function close(atMs: number): Promise<void> {
  await books.pool.query('UPDATE settlement SET closed_until = $1', [new Date(atMs)]);
  await followRound(books.pool);
}

/** By day, kind and who it is: submits and work. */
type Sums = Record<string, string>;

const BY_RIG = `
  SELECT coalesce(a.name || '.' || r.name, '') AS who, kind, date_bin('1 day', starts_at, 'epoch') AS at, sum(submits) AS submits,
         sum(w.work) AS work
  FROM rig_work w LEFT JOIN rig r ON r.id = rig_id LEFT JOIN account a ON a.id = r.account_id GROUP BY 1, 2, 3`;
const BY_ACCOUNT = `
  SELECT a.name AS who, kind, date_bin('1 day', starts_at, 'epoch') AS at, sum(submits) AS submits, sum(work) AS work
  FROM account_work JOIN account a ON a.id = account_id GROUP BY 1, 2, 3`;

async function booked(sql: string): Promise<Sums> {
  const { rows } = await books.pool.query<{
    who: string;
    kind: number;
    at: Date;
    submits: string;
    work: string;
  }>(sql);
  return Object.fromEntries(
    rows.map(({ who, kind, at, submits, work }) => [
      `${who} ${kind} ${at.toISOString().slice(0, 10)}`,
      `${submits}/${work}`,
    ]),
  );
}

const seconds = (table: string) =>
  one<string>(`SELECT array_agg(DISTINCT seconds ORDER BY seconds)::text FROM ${table}`);

describe('sums', () => {
  it('are summed up as they grow old, into fewer and longer partitions, and lose nothing', async () => {
    const nowMs = Date.now();
    for (const ageMs of [100 * DAY_MS, 50 * DAY_MS, 20 * DAY_MS, 3 * DAY_MS, 5 * HOUR_MS, 30 * MINUTE_MS])
      for (let i = 0; i < 5; i++) {
        const atMs = nowMs - ageMs + 11 * MINUTE_MS * i * (ageMs > DAY_MS ? 1 : 0);
        await record(
          [...ofRigs('farm', 7, atMs), ...ofRigs('home', 2, atMs)],
          [stale('farm', atMs), stale('nobody', atMs)],
        );
      }
    const before = [await booked(BY_RIG), await booked(BY_ACCOUNT)];
    expect(Object.keys(before[0] ?? {}).length).toBeGreaterThan(40);
    await keepUp(books.pool, { ...REWARD_RULES, keepRigsMs: 365 * DAY_MS });
    expect([await booked(BY_RIG), await booked(BY_ACCOUNT)]).toEqual(before);
    expect(await seconds('rig_work')).toBe('{10,600,3600}');
    expect(await seconds('account_work')).toBe('{60,600,3600,86400}');
    const names = () =>
      one<string[]>(
        "SELECT array_agg(p.name ORDER BY p.name) FROM unnest('{rig_work,account_work}'::text[]) t, partitions_of(t) p WHERE ends_at < now()",
      );
    const made = await names();
    await keepUp(books.pool, { ...REWARD_RULES, keepRigsMs: 365 * DAY_MS });
    expect(await names()).toEqual(made);
    expect([await booked(BY_RIG), await booked(BY_ACCOUNT)]).toEqual(before);
  });

  it('stay as they are while their slots are open', async () => {
    await record(ofRigs('farm', 6, Date.now() - 3 * DAY_MS));
    await rollUp(books.pool);
    expect(await seconds('rig_work')).toBe('{10}');
    await close(Date.now() - HOUR_MS);
    await rollUp(books.pool);
    expect(await seconds('rig_work')).toBe('{3600}');
  });

  it('take what comes late in the first open slot', async () => {
    const nowMs = Date.now();
    const openMs = Math.floor((nowMs - HOUR_MS) / 10_000) * 10_000;
    await close(openMs);
    await record(ofRigs('farm', 6, nowMs - 5 * HOUR_MS), [stale('farm', nowMs - 9 * HOUR_MS)]);
    expect(await one('SELECT array_agg(DISTINCT starts_at) FROM rig_work')).toEqual([new Date(openMs)]);
  });

  it('count a rig for ten minutes in which it had a share, however often and by whom it is told', async () => {
    const atMs = Math.floor((Date.now() - 3 * HOUR_MS) / 600_000) * 600_000;
    await record(ofRigs('farm', 6, atMs + 300_000));
    await Promise.all([1, 2, 3].map((minute) => record(ofRigs('farm', 8, atMs + minute * 60_000))));
    await record(ofRigs('farm', 2, atMs + 600_000));
    // It comes late: by now they have been seen later.
    await record(ofRigs('farm', 3, atMs - 600_000));
    const online = `SELECT a.name, starts_at AS at, submits::int AS seconds
      FROM account_work m JOIN account a ON a.id = account_id WHERE kind = 100 ORDER BY 1, 2`;
    const { rows } = await books.pool.query(online);
    const expected = [-600_000, 0, 600_000].map((ms, i) => ({
      at: new Date(atMs + ms),
      seconds: 600 * ([3, 8, 2][i] ?? 0),
    }));
    expect(rows).toEqual(['', 'farm'].flatMap((name) => expected.map((row) => ({ name, ...row }))));
  });

  it('keep the best share of a rig, and the minute of its last one', async () => {
    const nowMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - HOUR_MS;
    const add = (slotMs: number, best: number) =>
      books.pool.query("SELECT apply_sums('{a}', '{r}', $1, '{0}', '{1}', '{5}', '{0}', $2)", [
        [Math.floor(slotMs / 10_000)],
        [best],
      ]);
    for (const [ms, best] of [
      [0, 40],
      [120_000, 90],
      [60_000, 70],
      [180_000, 10],
    ] as const)
      await add(nowMs + ms, best);
    const { rows } = await books.pool.query('SELECT best, best_at, last_at FROM rig');
    expect(rows).toEqual([
      { best: 90, best_at: new Date(nowMs + 120_000), last_at: new Date(nowMs + 180_000) },
    ]);
    expect(await one('SELECT max(best) FROM rig_work')).toBe(90);
  });

  it('are put in place of others only while nobody reads them, and nobody waits long for that', async () => {
    const hourMs = (Math.floor(Date.now() / HOUR_MS) - 5) * HOUR_MS;
    await record([...ofRigs('farm', 2, hourMs), ...ofRigs('farm', 2, hourMs + 10_000)]);
    await close(hourMs + HOUR_MS);
    const reader = new pg.Client({
      connectionString: books.connectionString,
      options: '-c search_path=stratum_bridge',
    });
    await reader.connect();
    onTestFinished(() => reader.end());
    await reader.query('BEGIN; SELECT FROM rig_work');
    const rolled = rollUp(books.pool);
    // They stand in the way of neither: what is recorded meanwhile is of now.
    await record(ofRigs('farm', 2, Date.now()));
    await rolled;
    const slots = 'SELECT count(*)::int FROM rig_work WHERE seconds = 10 AND starts_at < $1';
    expect(await one(slots, [new Date(hourMs + HOUR_MS)])).toBe(4);
    await reader.query('COMMIT');
    await rollUp(books.pool);
    expect(await one(slots, [new Date(hourMs + HOUR_MS)])).toBe(0);
    expect(await one('SELECT sum(submits)::int FROM rig_work')).toBe(6);
    const left =
      "SELECT count(*)::int FROM pg_class WHERE relname ~ '^(rig_work|account_work)_' AND relkind = 'r' AND NOT relispartition";
    expect(await one(left)).toBe(0);
  });

  it('are forgotten by partition: those of rigs first, and never by a clock alone', async () => {
    const nowMs = Date.now();
    const days = (table: string) =>
      one<number>(`SELECT count(DISTINCT date_bin('1 day', starts_at, 'epoch'))::int FROM ${table}`);
    for (const day of [120, 80, 50, 20, 10, 3]) await record(ofRigs('farm', 2, nowMs - day * DAY_MS));
    await keepUp(books.pool, { ...REWARD_RULES, keepRigsMs: 2 * DAY_MS, keepAccountsMs: 4 * DAY_MS });
    expect([await days('rig_work'), await days('account_work')]).toEqual([2, 4]);
    // Far too old by the clock: but nothing newer was mined.
    await keepUp(books.pool, { ...REWARD_RULES, keepRigsMs: 3 * DAY_MS, keepAccountsMs: 5 * DAY_MS });
    expect([await days('rig_work'), await days('account_work')]).toEqual([2, 4]);
  });
});

describe('B5: with a year of history', () => {
  const RIGS = 20;
  const HISTORY = "relname LIKE 'rig\\_work\\_%' OR relname LIKE 'account\\_work\\_%'";

  /** By connections that are closed again: what they have read is counted by then. */
  async function makeYear(): Promise<void> {
    const made = await openLedger({ connectionString: books.connectionString, log: SILENT });
    const { pool } = made;
    await pool.query(
      "SELECT know_rigs(array_agg('farm'::text), array_agg('r' || i)) FROM generate_series(1, $1) i",
      [RIGS],
    );
    const days =
      "generate_series(date_bin('1 day', now(), 'epoch') - interval '365 days', now(), interval '1 day') at";
    await pool.query(`SELECT count(need_partition('account_work', at)) FROM ${days}`);
    await pool.query(
      `SELECT count(need_partition('rig_work', at)) FROM ${days} WHERE at > now() - interval '85 days'`,
    );
    // A day that ended 26 hours ago is one partition, and one of later has an hour in each.
    await pool.query(`
      INSERT INTO rig_work (starts_at, rig_id, kind, seconds, submits, work)
        SELECT at + h * interval '1 hour', id, 0, 3600, 10, 100 FROM rig, ${days}, generate_series(0, 23) h
        WHERE at > now() - interval '85 days' AND at < now() - interval '50 hours';
      INSERT INTO account_work (starts_at, account_id, kind, seconds, submits, work)
        SELECT at + h * interval '1 hour', a, 0, 3600, 10, 100 FROM generate_series(0, 1) a, ${days}, generate_series(0, 23) h
        WHERE at < now() - interval '50 hours'`);
    const shares = ofRigs('farm', 5, Date.now() - MINUTE_MS);
    await made.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
    await keepUp(pool);
    await made.close();
  }

  /** Rows of history that this connection has read, whatever way. */
  async function rowsRead(alone: pg.Pool): Promise<number> {
    await alone.query('SELECT pg_stat_force_next_flush()');
    const sum = 'sum(seq_tup_read + coalesce(idx_tup_fetch, 0) + coalesce(n_tup_del, 0))::float8 AS read';
    const { rows } = await alone.query(`SELECT ${sum} FROM pg_stat_user_tables WHERE ${HISTORY}`);
    return rows[0].read;
  }

  /** Names of partitions that a statement's plan looks into. */
  async function lookedInto(text: string, values: unknown[]): Promise<string[]> {
    const { rows } = await books.pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN ${text.replace(/;$/, '')}`,
      values,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    return [...new Set(plan.match(/\b(?:rig_work|account_work)_\d+_\d+_\d+\b/g))];
  }

  it('chores of each minute read no row of it, and who looks the partitions of a time alone', async () => {
    await makeYear();
    const options = '-c search_path=stratum_bridge';
    const alone = new pg.Pool({ connectionString: books.connectionString, options, max: 1 });
    onTestFinished(() => alone.end());
    const before = await rowsRead(alone);
    await keepUp(alone);
    expect(await rowsRead(alone)).toBe(before);
    // What may be forgotten is told by a row of each day.
    const days =
      "SELECT day_of_shares(30) BETWEEN now() - interval '32 days' AND now() - interval '28 days' AS is";
    expect((await alone.query(days)).rows).toEqual([{ is: true }]);
    expect(await rowsRead(alone)).toBeLessThanOrEqual(before + 100);
    // It would be seen.
    await alone.query('SELECT sum(work) FROM account_work');
    expect(await rowsRead(alone)).toBeGreaterThan(before + 1000);
    // Who looks comes to the partitions of the time that is asked for.
    const nowMs = Date.now();
    const within = (ms: number) => [nowMs - ms, MINUTE_MS, nowMs - ms, nowMs, 0, [0]];
    const ofAccount = SQL.ofAccount.text;
    expect((await lookedInto(ofAccount, within(HOUR_MS))).length).toBeLessThanOrEqual(2);
    expect((await lookedInto(SQL.ofSlots.text, within(MINUTE_MS))).length).toBeLessThanOrEqual(2);
    const year = await lookedInto(ofAccount, within(365 * DAY_MS));
    expect(year.filter((name) => name.includes('_86400_')).length).toBeGreaterThanOrEqual(10);
    expect(year.length).toBeLessThanOrEqual(13 + 62);
  });
});

describe('whatever comes, by whomever, in any order', () => {
  const SUM = fc.record({
    account: fc.integer({ min: 0, max: 2 }),
    rig: fc.integer({ min: 0, max: 3 }),
    minutesAgo: fc.oneof(fc.integer({ min: 1, max: 180 }), fc.integer({ min: 1, max: 50 * 1440 })),
    work: fc.integer({ min: 1, max: 1000 }),
    isRefused: fc.boolean(),
  });
  /** Entries that come at once, and how much is closed after them, in minutes ago. */
  const ROUND = fc.record({
    entries: fc.array(fc.array(SUM, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
    closedMinutesAgo: fc.integer({ min: 0, max: 60 * 1440 }),
  });

  it('totals by account, rig, kind and day are exact, with repeated entries, and rolled up at random', async () => {
    const other = await openLedger({ connectionString: books.connectionString, log: SILENT });
    onTestFinished(() => other.close());
    await fc.assert(
      fc.asyncProperty(fc.array(ROUND, { minLength: 1, maxLength: 4 }), async (rounds) => {
        await books.empty();
        await books.pool.query('TRUNCATE rig CASCADE');
        const nowMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
        const model = new Model();
        for (const { entries, closedMinutesAgo } of rounds) {
          // A rig is known from its first share on: rejections go with one.
          const made = entries.map((sums) => {
            const shares = sums.map(({ account, rig, minutesAgo, work }) =>
              makeShare({
                ...{ account: `a${account}`, rig: `r${rig}`, difficulty: BigInt(work) },
                acceptedAtMs: nowMs - minutesAgo * MINUTE_MS,
              }),
            );
            const rejections = sums
              .filter(({ isRefused }) => isRefused)
              .map(({ account, rig, minutesAgo, work }) => ({
                ...{ account: `a${account}`, rig: `r${rig}`, reason: 'duplicate' as const, submits: work },
                ...{ work: 1n, sinceMs: nowMs - minutesAgo * MINUTE_MS },
              }));
            model.add(shares, rejections);
            return entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections });
          });
          const brought = made.flatMap((entry) => [
            books.ledger.recordEntry(entry),
            other.recordEntry(entry),
            books.ledger.recordEntry(entry),
          ]);
          // All of them to their end, so that none is under way when the next story empties the books.
          const outcomes = await Promise.allSettled(brought);
          expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
          expect(
            outcomes.filter((one) => one.status === 'fulfilled' && one.value === 'recorded'),
          ).toHaveLength(made.length);
          model.closedMs = Math.max(model.closedMs, nowMs - closedMinutesAgo * MINUTE_MS);
          await close(model.closedMs);
          await Promise.all([rollUp(books.pool), rollUp(other.pool)]);
        }
        expect(await booked(BY_RIG)).toEqual(model.byRig());
        expect(await booked(BY_ACCOUNT)).toEqual(model.byAccount());
      }),
      { numRuns: 12 },
    );
  });

  /** What the books must hold. */
  class Model {
    closedMs = 0;
    readonly #rows: {
      account: string;
      rig: string;
      kind: number;
      atMs: number;
      submits: number;
      work: bigint;
    }[] = [];

    add(shares: readonly Share[], rejections: readonly RejectionCount[]): void {
      const at = (ms: number): number => Math.max(ms, this.closedMs);
      for (const { account, rig, difficulty, acceptedAtMs } of shares)
        this.#rows.push({ account, rig, kind: 0, atMs: at(acceptedAtMs), submits: 1, work: difficulty });
      for (const { account, rig, submits, work, sinceMs } of rejections)
        this.#rows.push({ account, rig, kind: 3, atMs: at(sinceMs), submits, work });
    }

    byRig(): Sums {
      return this.#sums(({ account, rig }) => [`${account}.${rig}`]);
    }

    byAccount(): Sums {
      const sums = this.#sums(({ account }) => [account, '']);
      const online = new Set(
        this.#rows
          .filter(({ kind }) => kind === 0)
          .map(({ account, rig, atMs }) => JSON.stringify([account, rig, Math.floor(atMs / 600_000)])),
      );
      const totals = new Map<string, number>();
      for (const present of online) {
        const [account, , tenMinutes] = JSON.parse(present) as [string, string, number];
        for (const who of [account, '']) {
          const key = keyOf(who, 100, tenMinutes * 600_000);
          totals.set(key, (totals.get(key) ?? 0) + 600);
        }
      }
      return { ...sums, ...Object.fromEntries([...totals].map(([key, sum]) => [key, `${sum}/0`])) };
    }

    #sums(of: (row: { account: string; rig: string }) => string[]): Sums {
      const sums = new Map<string, [number, bigint]>();
      for (const row of this.#rows)
        for (const who of of(row)) {
          const key = keyOf(who, row.kind, row.atMs);
          const [submits, work] = sums.get(key) ?? [0, 0n];
          sums.set(key, [submits + row.submits, work + row.work]);
        }
      return Object.fromEntries([...sums].map(([key, [submits, work]]) => [key, `${submits}/${work}`]));
    }
  }

  function keyOf(who: string, kind: number, atMs: number): string {
    return `${who} ${kind} ${new Date(atMs).toISOString().slice(0, 10)}`;
  }
});
