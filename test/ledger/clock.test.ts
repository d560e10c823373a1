/** A clock of the database that is wrong for a while. A bridge's own is shown in test/long/stories/two-bridges.test.ts: the books know only theirs. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { rollUp } from '../../src/ledger/history/rolling.js';
import { verifyBooks } from '../../src/ledger/proof/verify.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { useBooks } from '../helpers/books/books.js';
import { keepUp } from '../helpers/books/keep-up.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const books = useBooks();
beforeEach(() => books.empty());

async function share(acceptedAtMs: number): Promise<void> {
  const shares = [makeShare({ acceptedAtMs })];
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
}

async function one<T>(sql: string): Promise<T> {
  const { rows } = await books.pool.query({ text: sql, rowMode: 'array' });
  return rows[0]?.[0] as T;
}

const sharesUpToNow = () => one<string>('SELECT sum(submits) FROM rig_work WHERE starts_at <= now()');
const closedProof = async () => (await verifyBooks(books.pool)).find(({ name }) => name === 'closed');

describe('a wrong clock', () => {
  it('X1: of a bridge of an earlier version closes no time that is yet to come', async () => {
    await books.pool.query("SELECT close_slots(now() + interval '2 hours', '1 day')");
    await share(Date.now());
    expect(await sharesUpToNow()).toBe('1');
  });

  it('X1: of the database is found by verify once it is right again, and the next upkeep brings the time back', async () => {
    await share(Date.now() - 30 * HOUR_MS);
    await books.pool.query("UPDATE settlement SET closed_until = now() + interval '1 hour'");
    await rollUp(books.pool);
    expect((await closedProof())?.broken.join()).toMatch(/shares are closed until .*a clock was wrong/);
    await keepUp(books.pool);
    expect((await closedProof())?.broken).toEqual([]);
    await share(Date.now());
    expect(await sharesUpToNow()).toBe('2');
  });

  it('X1: is not what a transaction finds that has waited while others closed what has ended since it began', async () => {
    const client = await books.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query('SELECT now()');
      await books.pool.query('UPDATE settlement SET closed_until = clock_timestamp()');
      const closed = await one<Date>('SELECT closed_until FROM settlement');
      const { rows } = await client.query(
        "SELECT close_slots(now() - interval '10 minutes', '1 day') AS until",
      );
      expect(rows).toEqual([{ until: closed }]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('X1: is not brought back over what was counted for a block: its shares would count once more', async () => {
    await books.pool.query(
      "UPDATE settlement SET closed_until = now() + interval '1 second', round_until = now() - interval '10 minutes'",
    );
    await books.pool.query("SELECT close_slots('epoch', '1 day')");
    expect(await one('SELECT closed_until = round_until FROM settlement')).toBe(true);
  });

  it('X1: that closed hours too early leaves times that take what comes, and are summed up once more', async () => {
    const dayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
    for (let i = 0; i < 3; i++) {
      await share(dayMs + i * 3_600_000);
      await books.pool.query('UPDATE settlement SET closed_until = now()');
      await rollUp(books.pool);
      await books.pool.query("UPDATE settlement SET closed_until = 'epoch'");
    }
    await keepUp(books.pool);
    expect(await sharesUpToNow()).toBe('3');
  });

  it('X1: alone makes no share too old to be kept: as many days with shares must have come after it', async () => {
    const days = async (): Promise<number> => one('SELECT count(DISTINCT starts_at)::int FROM rig_work');
    for (const ago of [500, 499, 498]) await share(Date.now() - ago * DAY_MS);
    await share(Date.now());
    await keepUp(books.pool);
    expect(await days()).toBe(4);
    await keepUp(books.pool, { ...REWARD_RULES, keepRigsMs: 2 * DAY_MS });
    expect(await days()).toBe(2);
  });
});
