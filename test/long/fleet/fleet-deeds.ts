/** What happens to the pool in one day of the week of a fleet. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Random } from '../../helpers/fuzz/random.js';
import { FRONTS, MANAGERS } from './fleet-bridge.js';
import { type Pool, SHARE_DIFFICULTY } from './fleet-pool.js';

/** Two deeds on one part wait for each other; on different parts they may fall together. */
export interface Deed {
  readonly part: 'bridge' | 'recorder' | 'database' | 'redis';
  readonly name: string;
  do(): Promise<unknown>;
}

export const PAUSE_MS = 5_000;
const AWAY_MS = 8_000;
const RUSH_MS = 4_000;
/** Of one day, in no order. */
export function deedsOf(pool: Pool, random: Random): Deed[] {
  return [...deedsOnBridge(pool, random), ...deedsOnBooks(pool, random)];
}

function deedsOnBridge(pool: Pool, random: Random): Deed[] {
  const { bridge } = pool;
  const on = (name: string, act: () => Promise<unknown>): Deed => ({ part: 'bridge', name, do: act });
  const manager = random.pick(MANAGERS);
  const rushMs = random.chance(0.5) ? RUSH_MS * random.fraction() : undefined;
  const behind = rushMs === undefined ? '' : ` ${Math.round(rushMs)} ms behind a front`;
  const difficulties = random.times(3, () => SHARE_DIFFICULTY + random.below(SHARE_DIFFICULTY));
  const origin = `https://${random.next()}.example`;
  const fronts = Array.from({ length: 2 * FRONTS }, (_, i) => i % FRONTS);
  return [
    ...fronts.map((which) => on(`front ${which} is killed`, () => bridge.killFront(which))),
    on(`the hub is killed${behind}; its manager ${manager}`, () => bridge.killHub(manager, rushMs)),
    ...difficulties.map((difficulty) =>
      on('a setting changes under rigs', () => change(pool, { 'stratum.shareDifficulty': difficulty })),
    ),
    on('new fronts take a setting', () => change(pool, { 'stratum.origins': [origin] })),
    on('another start takes the place of the bridge', () => bridge.replace()),
  ];
}

function deedsOnBooks(pool: Pool, random: Random): Deed[] {
  const killRecorder = async (): Promise<void> => {
    await pool.killRecorder();
    await pause(PAUSE_MS * random.fraction());
    await pool.startRecorder();
  };
  const killRedis = async (): Promise<void> => {
    await pool.redis?.kill();
    await pause(AWAY_MS);
    await pool.redis?.start();
  };
  return [
    ...random.times(2, (): Deed => ({ part: 'recorder', name: 'the recorder is killed', do: killRecorder })),
    { part: 'database', name: 'the database is killed', do: () => pool.killDatabase(0) },
    { part: 'database', name: 'the database is killed, and away', do: () => pool.killDatabase(AWAY_MS) },
    ...random.times(
      pool.redis ? 2 : 0,
      (): Deed => ({ part: 'redis', name: 'Redis is killed', do: killRedis }),
    ),
  ];
}

/** Each value is in force at all rigs, or at all fronts, when the reload has answered. */
async function change(pool: Pool, changed: Readonly<Record<string, unknown>>): Promise<void> {
  await pool.settle(changed);
  const { tookEffect, wantsRestart } = await pool.bridge.reload();
  expect(wantsRestart).toEqual([]);
  // By chance a value may be the same as before.
  for (const key of tookEffect) expect(Object.keys(changed)).toContain(key);
}
