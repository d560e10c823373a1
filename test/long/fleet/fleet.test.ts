/**
 * A week of a bridge of two fronts in fast motion: fronts, hub, recorder and database are killed at random, and settings change, under
 * 10,000 rigs that come back by themselves. Afterwards each rig has in the books what it was answered `true` for, to the share.
 *
 * A day is what happens in it. STRATUM_BRIDGE_TEST_RIGS, STRATUM_BRIDGE_TEST_DAYS, STRATUM_BRIDGE_TEST_SEED and STRATUM_BRIDGE_TEST_QUEUE
 * (postgres or redis) set others.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CloseStack } from '../../../src/cli/service/stop.js';
import { SILENT } from '../../../src/core/names/log.js';
import type { Summary } from '../../../src/web/state/summary.js';
import { findRedis } from '../../helpers/books/redis.js';
import { Random } from '../../helpers/fuzz/random.js';
import { until } from '../../helpers/until.js';
import { expectBooked, isAllBooked } from './fleet-books.js';
import { memoryOf } from './fleet-bridge.js';
import { deedsOf, PAUSE_MS } from './fleet-deeds.js';
import { type Backend, Pool, type Rigs } from './fleet-pool.js';
import type { Told } from './fleet-rigs.js';

const RIGS = Number(process.env['STRATUM_BRIDGE_TEST_RIGS'] ?? 10_000);
const DAYS = Number(process.env['STRATUM_BRIDGE_TEST_DAYS'] ?? 7);
const SEED = Number(process.env['STRATUM_BRIDGE_TEST_SEED'] ?? Math.floor(Date.now() / 1000));
const BACKEND = (process.env['STRATUM_BRIDGE_TEST_QUEUE'] ?? 'postgres') as Backend;
const redisIsMissing = BACKEND === 'redis' && (await findRedis()) !== undefined;
/** Of a day in which nothing goes well. */
const DAY_MS = 1_800_000;
/** While the machine is busy, all is much slower. */
const PATIENCE_MS = 600_000;
const RECORDED_MS = 120_000;
const SHARES_SINCE = 200;
/** From the first half of the days to the second, of the hub, of both fronts together, and of the recorder. */
const GROWTH_MIB = 100;
/** Chain has moved on; the share log was closed or is away; nobody is let in. */
const MAY_BE_REFUSED = /^(20|21) /;

it.skipIf(process.platform !== 'linux' || redisIsMissing)(
  `books to the share what ${RIGS} rigs were answered for in ${DAYS} days (seed ${SEED}, queue on ${BACKEND})`,
  async () => {
    const open = new CloseStack();
    try {
      await liveThrough(open);
    } finally {
      await open.close(SILENT);
    }
  },
  DAYS * DAY_MS + 2 * PATIENCE_MS,
);

async function liveThrough(open: CloseStack): Promise<void> {
  const random = new Random(SEED);
  const options = { backend: BACKEND, rigs: RIGS, seed: SEED };
  const pool = await Pool.open(open, options);
  const rigs = pool.startRigs(open, options);
  await isWell(rigs);
  const memory: Record<string, number>[] = [];
  for (let day = 1; day <= DAYS; day++) {
    await liveDay(day, { pool, rigs, random });
    await pool.bridge.isSettled();
    const recorder = await memoryOf(pool.recorder?.pid ?? 0);
    memory.push({ ...(await pool.bridge.memory()), recorder });
    const sessions = (await pool.bridge.sessions()).join(' and ');
    say(`day ${day} is over: MiB ${JSON.stringify(memory.at(-1))}, sessions ${sessions}`);
  }
  hasNotGrown(memory);
  const told = await rigs.stop();
  sayWhatCame(told);
  expect(refusalsOf(told).filter((words) => !MAY_BE_REFUSED.test(words))).toEqual([]);
  await allIsBooked(pool);
  say(`error lines: ${JSON.stringify(pool.bridge.said('error'), undefined, 1)}`);
  say(`warnings: ${JSON.stringify(pool.bridge.said('warn'), undefined, 1)}`);
  say(JSON.stringify(await expectBooked(pool, told)));
  expect(await pool.bridge.living()).toEqual([]);
}

interface Story {
  readonly pool: Pool;
  readonly rigs: Rigs;
  readonly random: Random;
}

/** In an order by chance, each as soon as the last is on its way, after a while, or once all is well. */
async function liveDay(day: number, { pool, rigs, random }: Story): Promise<void> {
  const underWay = new Map<string, Promise<unknown>>();
  for (const { name, part, do: act } of shuffled(deedsOf(pool, random), random)) {
    await underWay.get(part);
    say(`day ${day}: ${name}`);
    const done = act();
    // Awaited before the next one on this part, and at the end of the day.
    done.catch(() => undefined);
    underWay.set(part, done);
    if (random.chance(0.5)) {
      await Promise.all(underWay.values());
      await isWell(rigs);
    } else await pause(PAUSE_MS * random.fraction());
  }
  await Promise.all(underWay.values());
  await isWell(rigs);
}

/** All rigs work, and are answered. */
async function isWell(rigs: Rigs): Promise<void> {
  const startedMs = performance.now();
  let longestAwayMs = 0;
  const back = await until(
    'every rig works',
    async () => {
      const look = await rigs.look();
      longestAwayMs = Math.max(longestAwayMs, look.longestAwayMs);
      return look.working === RIGS && look;
    },
    PATIENCE_MS,
  );
  const backMs = performance.now() - startedMs;
  const since = back.taken + SHARES_SINCE;
  await until('shares are taken', async () => (await rigs.look()).taken > since, PATIENCE_MS);
  const { taken, lost } = back;
  const seconds = (ms: number): string => (ms / 1000).toFixed(1);
  say(
    `  all work after ${seconds(backMs)} s, ${taken} shares, ${lost} connections lost, longest ${seconds(longestAwayMs)} s`,
  );
}

/** All stops in order, at once; a last start, without rigs, ships what that did not wait for. */
async function allIsBooked(pool: Pool): Promise<void> {
  expect(await pool.bridge.stop()).toBe(0);
  await pool.bridge.start();
  await until('nothing waits', () => nothingWaits(pool), PATIENCE_MS);
  expect(await pool.bridge.stop()).toBe(0);
  // What never comes is told by whose it is.
  await until('the recorder has booked all', () => isAllBooked(pool), RECORDED_MS).catch(() => undefined);
}

async function nothingWaits({ web }: Pool): Promise<boolean> {
  const { queue } = (await (await fetch(`${web}/api/v1/summary`)).json()) as Summary;
  expect(queue.failed).toBe(0);
  return queue.isUp && queue.waiting === 0 && queue.unshipped === 0 && queue.heldBack === 0;
}

/** The least of the later days against the least of the earlier ones: what a storm of rigs takes is given back in some days, not in all. */
function hasNotGrown(days: readonly Record<string, number>[]): void {
  const half = Math.floor(days.length / 2);
  const leastOf = (some: typeof days, part: string): number => Math.min(...some.map((day) => day[part] ?? 0));
  for (const part of half < 2 ? [] : ['hub', 'fronts', 'recorder']) {
    const before = leastOf(days.slice(0, half), part);
    expect([part, before, leastOf(days.slice(-half), part) - before]).toEqual([
      ...[part, before, expect.toSatisfy((grown) => grown < GROWTH_MIB)],
    ]);
  }
}

function refusalsOf(told: readonly Told[]): string[] {
  return told.flatMap(({ refused }) => Object.keys(refused));
}

function sayWhatCame(told: readonly Told[]): void {
  for (const { rigs: _rigs, blocks: _blocks, ...totals } of told) say(JSON.stringify(totals));
}

function shuffled<T>(list: readonly T[], random: Random): T[] {
  const left = [...list];
  return Array.from(list, () => left.splice(random.below(left.length), 1)).flat();
}

function say(words: string): void {
  process.stdout.write(`${words}\n`);
}
