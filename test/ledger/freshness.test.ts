/** How fresh jobs are: counted by a bridge, kept in the books of all. */
import { expect, it } from 'vitest';
import { keepDelays } from '../../src/assembly/watch/delay-keeper.js';
import { type BridgeEvents, createBridgeEvents } from '../../src/bridge/events.js';
import { DELAY_SIZES, delayQuantile, JobDelays } from '../../src/bridge/watch/job-delays.js';
import { SPANS } from '../../src/bridge/watch/spans.js';
import { JobBook } from '../../src/core/jobs/job.js';
import { SILENT } from '../../src/core/names/log.js';
import { addDelays } from '../../src/ledger/history/freshness.js';
import { useBooks } from '../helpers/books/books.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';

const MINUTE_MS = 60_000;
const books = useBooks();
const job = new JobBook(1).add(makeWork({}), 'n');

function count(nowMs = Date.now()) {
  const events: BridgeEvents = createBridgeEvents();
  const time = { nowMs };
  const delays = new JobDelays(events, { nowMs: () => time.nowMs });
  const send = (...delaysMs: number[]): void => {
    for (const delayMs of delaysMs) events.emit('jobSent', job, delayMs);
  };
  return { events, time, delays, send };
}

interface Row {
  readonly seconds: number;
  readonly agoMs: number;
  readonly jobs: number;
}

/** Each step's age at its beginning, the latest first. */
async function rowsOf(seconds: number): Promise<Row[]> {
  const { rows } = await books.pool.query<Row>(
    `SELECT step_seconds AS seconds, (extract(epoch FROM now() - starts_at) * 1000)::float8 AS "agoMs",
            (SELECT sum(n) FROM unnest(counts) AS n)::int AS jobs
     FROM freshness WHERE step_seconds = $1 ORDER BY starts_at DESC`,
    [seconds],
  );
  return rows;
}

const jobsIn = async (seconds: number): Promise<number> =>
  (await rowsOf(seconds)).reduce((sum, { jobs }) => sum + jobs, 0);

it('counts jobs and retirements by the minute, a size to a fifth, and whatever comes', () => {
  const { events, time, delays, send } = count();
  send(10, 10, 10, 500, 0, -1, Number.NaN, 1e12, Number.POSITIVE_INFINITY);
  time.nowMs += 3 * MINUTE_MS;
  events.emit('chainsRetired', [1], 40);
  const [first, second, ...more] = delays.take();
  expect(more).toEqual([]);
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBe(3 * MINUTE_MS);
  expect(first?.counts).toHaveLength(DELAY_SIZES);
  const quantile = delayQuantile(second?.counts ?? [], 0.5) ?? 0;
  expect([quantile > 33, quantile < 48]).toEqual([true, true]);
  expect(delayQuantile(Array(DELAY_SIZES).fill(0), 0.5)).toBeNull();
  expect(delays.take()).toEqual([]);
});

it('keeps a day of what the books have not taken, and forgets the oldest', () => {
  const { time, delays, send } = count();
  for (let minute = 0; minute < 1500; minute++) {
    send(1);
    time.nowMs += MINUTE_MS;
    if (minute === 700) delays.giveBack(delays.take());
  }
  const kept = delays.take();
  expect(kept).toHaveLength(1440);
  expect((kept.at(-1)?.atMs ?? 0) - (kept[0]?.atMs ?? 0)).toBe(1439 * MINUTE_MS);
  send(1);
  delays.giveBack(kept);
  expect(delays.take()).toHaveLength(1440);
});

it('sums what bridges counted in steps of each length, and forgets what no step shows', async () => {
  await books.empty();
  const [one, other] = [count(), count()];
  one.send(5, 5, 5);
  other.send(80);
  for (const { delays, time } of [one, other]) await addDelays(books.pool, delays.take(), time.nowMs);
  for (const { stepMs } of Object.values(SPANS)) expect(await jobsIn(stepMs / 1000)).toBe(4);

  // Of a bridge that had no ledger for half a day, and of one whose clock is fast.
  const [late, fast] = [count(Date.now() - 12 * 3_600_000), count(Date.now() + 3_600_000)];
  late.send(1);
  fast.send(1);
  await addDelays(books.pool, late.delays.take(), Date.now());
  await addDelays(books.pool, fast.delays.take(), Date.now());
  expect(await jobsIn(60)).toBe(5);
  expect(await jobsIn(600)).toBe(6);
  expect((await rowsOf(60)).every(({ agoMs }) => agoMs >= 0 && agoMs < 61 * MINUTE_MS)).toBe(true);
  await books.pool.query("UPDATE freshness SET starts_at = starts_at - interval '400 days'");
  one.send(1);
  await addDelays(books.pool, one.delays.take(), one.time.nowMs);
  for (const { stepMs } of Object.values(SPANS)) expect(await jobsIn(stepMs / 1000)).toBe(1);
});

it('comes to the books by itself, after an outage too, and at the end', async () => {
  await books.empty();
  const { delays, send } = count();
  const broken = { fails: true, asked: 0 };
  const ledger = {
    get pool() {
      broken.asked++;
      if (broken.fails) throw new Error('away');
      return books.pool;
    },
  };
  send(1, 2);
  const keeper = keepDelays(delays, ledger, SILENT, 20);
  await until('it has been tried', () => broken.asked > 0);
  send(3);
  broken.fails = false;
  await until('it is written', async () => (await jobsIn(86_400)) === 3);
  await keeper.close();
  const last = keepDelays(delays, ledger, SILENT, 3_600_000);
  send(4);
  await last.close();
  expect(await jobsIn(86_400)).toBe(4);
});
