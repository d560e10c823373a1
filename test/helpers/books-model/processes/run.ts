/** A history from its begin to its end, in which the books have to be what the model says. */

import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { expect } from 'vitest';
import { toBase64Url } from '../../../../src/core/bytes/bytes.js';
import { SILENT } from '../../../../src/core/names/log.js';
import { expectedBlocks } from '../../../../src/core/shares/share.js';
import type { RewardRules } from '../../../../src/ledger/rules/rule-table.js';
import { settlementChores } from '../../../../src/ledger/settlement/settlement.js';
import type { QueueConnection } from '../../../../src/queue/bullmq/connection.js';
import { EntryQueue } from '../../../../src/queue/bullmq/entry-queue.js';
import { startShareRecorder } from '../../../../src/queue/recording/recorder.js';
import { expectProved } from '../../books/money.js';
import { dropDatabase } from '../../books/postgres.js';
import { signRoot } from '../../books/root-key.js';
import { temporaryFolder } from '../../folder.js';
import { makeShare } from '../../rigs/shares.js';
import { until } from '../../until.js';
import { type Compared, compare, compareExpected } from '../compare.js';
import type { Happened } from '../model.js';
import { solutionOf } from './blocks.js';
import { type History, take } from './history.js';
import {
  type BookedBlock,
  type BookedShare,
  bookedBlocks,
  bookedHeaders,
  bookedShares,
  leftovers,
  openLogs,
} from './ledger-rows.js';
import type { Servers } from './servers.js';
import { type FoundBlock, World } from './world.js';

const COIN = 10n ** 12n;
const CALM_TURNS = 4;
const TURN_MS = 10_000;
/** More than a period of pay per share. */
const LONG_MS = 660_000;

export interface Counts {
  readonly shares: number;
  readonly lateShares: number;
  readonly refused: number;
  readonly blocks: number;
  readonly paid: number;
  readonly logs: number;
}

/** Does it with a ledger that is otherwise than it should be. */
export type Around = (pool: pg.Pool, act: () => Promise<void>) => Promise<void>;

/** Rejects where the books are not what the model says, by a unit. */
export async function live(
  servers: Servers,
  scheme: RewardRules,
  { steps, ...given }: History,
  around: Around = (_pool, act) => act(),
): Promise<Counts> {
  await using folder = await temporaryFolder();
  const rules = { ...scheme, patienceMs: given.patienceMs };
  const world = await World.begin({ ...given, servers, rules, folder: folder.path });
  try {
    let counts: Counts | undefined;
    await around(world.ledger.pool, async () => {
      for (const step of steps) {
        await pause(step[0]);
        await take(world, step);
      }
      await world.bringBack();
      await endRound(world);
      await drain(world);
      counts = await settleAndCompare(world);
    });
    return counts ?? expect.fail('nothing happened');
  } finally {
    await world.end();
    await dropDatabase(servers.postgres, world.databaseUrl);
  }
}

/** By a last block, which is there for what no other was paid for. Rigs rest after it. */
async function endRound(world: World): Promise<void> {
  const [last] = world.machines;
  if (!last) return;
  const height = Math.max(world.chain.next, ...world.blocks.map((block) => block.height + 1));
  const pays = { reward: 7n * COIN, fees: 999n };
  await Promise.all(world.machines.map((machine) => machine.rest()));
  const block = world.find(last, {
    ...{ account: 'k:a', height, difficulty: 100_000n, answer: 'received' as const },
    ...pays,
  });
  await until('the last block is kept', () => world.facts.taken.has(block.number));
}

/** All that was promised is booked, and every bridge has ended in order. */
async function drain(world: World): Promise<void> {
  const { pool } = world.ledger;
  const { facts, machines } = world;
  await until('all is booked but the logs of now', async () => {
    const own = machines.map(({ log }) => log);
    const open = (await openLogs(pool)).filter((log) => !own.includes(log));
    return open.length === 0 && (await unbooked(world)) === 0;
  });
  for (const machine of machines) machine.stop();
  await Promise.all(machines.map((machine) => machine.is('down')));
  const connection: QueueConnection = world.redisUrl
    ? { backend: 'redis', url: world.redisUrl }
    : { backend: 'postgres', connectionString: world.databaseUrl };
  const recorder = startShareRecorder({ connection, ledger: world.ledger, log: SILENT });
  await until('every log has ended', async () => (await openLogs(pool)).length === 0);
  const queue = new EntryQueue(connection, SILENT, 20_000);
  await until('no entry waits', async () => {
    const { waiting, failed } = await queue.counts();
    expect(failed).toBe(0);
    return waiting === 0;
  });
  await Promise.all([recorder.close(), queue.close()]);
  expect(world.deaths).toEqual([]);
  expect(facts.accepted.size).toBeGreaterThan(0);
}

/** How much of what was promised is not in the books yet. */
async function unbooked({ ledger, facts, blocks }: World): Promise<number> {
  const shares = new Set((await bookedShares(ledger.pool)).map(({ number }) => number));
  const headers = await bookedHeaders(ledger.pool);
  const missing = blocks.filter((block) => facts.found.has(block.number) && !headers.has(headerOf(block)));
  return [...facts.accepted.keys()].filter((number) => !shares.has(number)).length + missing.length;
}

const headerOf = (block: FoundBlock): string => toBase64Url(solutionOf(block, 0).header);

/** From here on time passes when it is said. */
async function settleAndCompare(world: World): Promise<Counts> {
  const { ledger, rules, facts, chain, blocks } = world;
  let atMs = world.nowMs;
  const pass = async (ms: number): Promise<void> => {
    atMs += ms;
    await world.setTime({ atMs, sinceMs: 0 }, false);
  };
  const calm = async (): Promise<void> => {
    for (let left = CALM_TURNS; left > 0; left--) {
      await pass(TURN_MS);
      await turn(world);
    }
  };
  await pass(0);
  const shares = await bookedShares(ledger.pool);
  await world.followLate();
  await calm();
  const compared = await comparedOf(world, shares);
  await expectSlots(world, shares);
  await compareExpected(compared, ledger, rules);
  const highest = Math.max(...blocks.map(({ height }) => height));
  while (chain.next <= highest) await world.decide(0);
  await calm();
  if (rules.scheme === 'pps') {
    await pass(LONG_MS);
    await calm();
  }
  await compare(await comparedOf(world, shares), ledger, rules);
  await expectProved(ledger.pool);
  expect(await leftovers(ledger.pool)).toEqual([]);
  const paid = blocks.filter(({ height, hash }) => chain.at(height) === hash).length;
  return {
    ...{ shares: shares.length, lateShares: facts.lateShares(shares), refused: facts.refused.size },
    ...{ blocks: facts.found.size, paid, logs: facts.logs.length },
  };
}

/** Of settlement, as the leader takes it. */
async function turn({ ledger, rules }: World): Promise<void> {
  const chores = settlementChores({ pool: ledger.pool, rules: async () => rules, signRoot, log: SILENT });
  for (const chore of chores) await chore.run(new AbortController().signal);
}

/** In which shares and blocks count, by what is known of them without the ledger. */
async function expectSlots({ ledger, facts, blocks, rules }: World, shares: readonly BookedShare[]) {
  facts.expectBookedOnce(shares);
  const rows = await bookedBlocks(ledger.pool);
  const byNumber = new Map<number, BookedBlock>();
  for (const { number, hash } of blocks) {
    const row = rows.find((one) => one.hash === hash);
    if (row) byNumber.set(number, row);
  }
  const unplaced = [...facts.taken.keys()].filter((number) => byNumber.get(number)?.slot === undefined);
  expect(unplaced, 'blocks that a node may have, and that have no round').toEqual([]);
  for (const [number, { log }] of byNumber) {
    const found = facts.found.get(number);
    if (found) expect({ number, log }).toEqual({ number, log: found.log });
  }
  facts.expectAfterItsShares(shares, (number) => byNumber.get(number)?.slot);
  facts.expectInTime(shares, byNumber, rules.patienceMs);
}

/** What the model goes by: in which slots the ledger has counted what. */
async function comparedOf(world: World, shares: readonly BookedShare[]): Promise<Compared> {
  const { ledger, chain, blocks, facts } = world;
  const slots = new Map((await bookedBlocks(ledger.pool)).map(({ hash, slot }) => [hash, slot]));
  const isOnChain = ({ height, hash }: Pick<FoundBlock, 'height' | 'hash'>) => chain.at(height) === hash;
  const happened = (rules: RewardRules): Happened => ({
    rules,
    shares: shares.map(({ slot, account, work }) => {
      return { slot, account, work, expected: expectedBlocks(makeShare({ difficulty: work })) };
    }),
    blocks: blocks.flatMap((block) => {
      const slot = slots.get(block.hash);
      return slot === undefined ? [] : { ...block, slot, isOnChain: isOnChain(block) };
    }),
  });
  return {
    machines: [],
    truth: {
      blocks,
      happened,
      missingOf: () =>
        [...facts.taken.keys()].filter((number) => !slots.has(blocks[number - 1]?.hash ?? '')).length,
      stateOf: (block) =>
        block.height >= chain.next ? 'pending' : isOnChain(block) ? 'confirmed' : 'orphaned',
    },
  };
}
