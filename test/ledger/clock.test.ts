/** Clocks that are wrong: a bridge's, or the database's itself for a while. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/log.js';
import { rollUp } from '../../src/ledger/history/rolling.js';
import { keepUp, RETENTION, upkeepChore } from '../../src/ledger/history/upkeep.js';
import { verifyBooks } from '../../src/ledger/settlement/verify.js';
import { useBooks } from '../helpers/books.js';
import { entryOf, makeShare } from '../helpers/shares.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const books = useBooks();
beforeEach(() => books.empty());

/** One round of upkeep by a bridge whose clock is wrong by so much; what it said. */
async function upkeepWithClock(aheadMs: number): Promise<string[]> {
  const said: string[] = [];
  const say = (_: object, message: string): void => void said.push(message);
  const upkeep = upkeepChore(books.pool, {
    nowMs: () => Date.now() + aheadMs,
    log: { ...SILENT, info: say, warn: say, error: say },
  });
  await upkeep.run(new AbortController().signal);
  return said;
}

async function share(acceptedAtMs: number): Promise<void> {
  const shares = [makeShare({ acceptedAtMs })];
  await books.ledger.recordEntry(
    entryOf({ id: { producer: randomUUID(), number: 1 }, shares, rejections: [] }),
  );
}

async function one<T>(sql: string): Promise<T> {
  const { rows } = await books.pool.query({ text: sql, rowMode: 'array' });
  return rows[0]?.[0] as T;
}

const sharesUpToNow = () => one<string>('SELECT sum(submits) FROM rig_work WHERE starts_at <= now()');
const closedProof = async () => (await verifyBooks(books.pool)).find(({ name }) => name === 'closed');

describe('a wrong clock', () => {
  it.each([
    ['two hours ahead', 2 * HOUR_MS],
    ['a day ahead', DAY_MS],
    ['500 days ahead', 500 * DAY_MS],
    ['a day behind', -DAY_MS],
  ])('X1: of a bridge, %s, closes no time, deletes no share and holds up no chore', async (_, aheadMs) => {
    await share(Date.now());
    await books.pool.query('TRUNCATE owed');
    const said = await upkeepWithClock(aheadMs);
    await share(Date.now());
    expect(await sharesUpToNow()).toBe('2');
    expect(await one('SELECT until <= now() FROM closed')).toBe(true);
    expect(said.join('\n')).toMatch(
      /this machine is \d+ s (ahead of|behind) that of the database: shares of this bridge .*NTP/,
    );
    expect(await one('SELECT count(*)::int FROM owed')).toBe(1);
    expect(await upkeepWithClock(0)).toEqual([]);
  });

  it('X1: of a bridge of an earlier version closes no time that is yet to come', async () => {
    await books.pool.query("SELECT close_slots(now() + interval '2 hours', '1 day')");
    await share(Date.now());
    expect(await sharesUpToNow()).toBe('1');
  });

  it('X1: of the database is found by verify once it is right again, and the next upkeep brings the time back', async () => {
    await share(Date.now() - 30 * HOUR_MS);
    await books.pool.query("UPDATE closed SET until = now() + interval '1 hour'");
    await rollUp(books.pool);
    expect((await closedProof())?.broken.join()).toMatch(/shares are closed until .*a clock was wrong/);
    await upkeepWithClock(0);
    expect((await closedProof())?.broken).toEqual([]);
    await share(Date.now());
    expect(await sharesUpToNow()).toBe('2');
  });

  it('X1: that closed hours too early leaves times that take what comes, and are summed up once more', async () => {
    const dayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 2 * DAY_MS;
    for (let i = 0; i < 3; i++) {
      await share(dayMs + i * 3_600_000);
      await books.pool.query('UPDATE closed SET until = now()');
      await rollUp(books.pool);
      await books.pool.query("UPDATE closed SET until = 'epoch'");
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
    await keepUp(books.pool, { ...RETENTION, rigsMs: 2 * DAY_MS });
    expect(await days()).toBe(2);
  });
});
