/** Blocks are split by all that was accepted before them: what people would ask about, one by one (all at once: settlement-model.test.ts). */

import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { unweighed } from '../../../src/ledger/alerts/alerts.js';
import { inTransaction } from '../../../src/ledger/database/transaction.js';
import { rollUp } from '../../../src/ledger/history/rolling.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import type { RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { followRound } from '../../../src/ledger/settlement/open-round.js';
import { lastWorkBefore, tailOf, workOfTime } from '../../../src/ledger/settlement/weights.js';
import { useBooks } from '../../helpers/books/books.js';
import { keepUp } from '../../helpers/books/keep-up.js';
import { listIn } from '../../helpers/books/lists.js';
import { coinsIn, expectProved, moneyIn } from '../../helpers/books/money.js';
import { recordSolution } from '../../helpers/books/record-solution.js';
import { sawBlock, settleAll } from '../../helpers/books/settlement.js';
import { SLOT_MS, START_MS } from '../../helpers/books/settlement-model.js';
import {
  Bridge,
  BY_TIME,
  BY_WORK,
  DIFFICULTY,
  finds,
  numbersOf,
  PROP,
  slotOf,
} from '../../helpers/books/settlement-story.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';

const books = useBooks();

const COIN = 10n ** 12n;

/** Found, seen deep enough on the chain, and settled as far as it can be. */
async function findsConfirmed(slot: number, rules: RewardRules, reward = 12n * COIN): Promise<string> {
  const id = await finds(books, slot);
  await sawBlock(books.pool, id, 'confirmed', { reward });
  await settleAll(books.pool, rules);
  return id;
}

const coins = (): Promise<Record<string, string>> => coinsIn(books.pool, 'due');
const NO_FEES = { basisPoints: 0, overrides: new Map<string, number>() };

it.each([
  [
    'work',
    (to: Date) =>
      inTransaction(books.pool, (client) =>
        tailOf(client, to).then((tail) => lastWorkBefore(client, tail, 27n)),
      ),
    2n,
  ],
  [
    'time',
    (to: Date) =>
      inTransaction(books.pool, (client) =>
        tailOf(client, to).then((tail) => workOfTime(client, tail, 3_000_000)),
      ),
    1n,
  ],
])(
  'a window of %s that ends where minutes are summed up ends with a piece of what is there, and counts no work twice',
  async (_name, read, times) => {
    await books.empty();
    const hourMs = 3_600_000;
    const startMs = Math.floor(Date.now() / hourMs - 5) * hourMs;
    const shares = [
      ['gone', 120_000],
      ['a', 600_000],
      ['b', 900_000],
      ['c', hourMs],
      ['c', hourMs + 30_000],
    ].map(([account, ms]) =>
      makeShare({ account: String(account), difficulty: 10n, acceptedAtMs: startMs + Number(ms) }),
    );
    await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares }));
    await books.pool.query('UPDATE settlement SET closed_until = to_timestamp($1::float8 / 1000)', [
      startMs + hourMs,
    ]);
    await books.pool.query('UPDATE settlement SET round_until = to_timestamp($1::float8 / 1000)', [
      startMs + hourMs,
    ]);
    await rollUp(books.pool);
    const { rows } = await books.pool.query('SELECT DISTINCT seconds FROM account_work ORDER BY 1');
    expect(rows).toEqual([{ seconds: 60 }, { seconds: 600 }]);
    const { weights } = await read(new Date(startMs + hourMs + 30_000));
    const ids = await numbersOf(books);
    const workOf = (name: string) =>
      weights.find(({ account }) => account === String(ids.get(name)))?.work ?? 0n;
    expect(weights).toHaveLength(3);
    // Of the ten minutes of both, as much of the one as of the other.
    expect([workOf('a'), workOf('b')]).toEqual(times === 2n ? [70n, 70n] : [10n, 10n]);
    expect(workOf('c')).toBe(times === 2n ? 20n * 20n : 20n);
  },
);

describe('B3: a block is split by all that was accepted before it', () => {
  beforeEach(() => books.empty());

  it.each([
    ['prop', { ...PROP, fees: NO_FEES }, { a: '6', b: '6', c: '24' }],
    [
      'pplns',
      { ...BY_TIME, fees: NO_FEES, pplnsWindow: { of: 'time' as const, ms: 10_000_000 } },
      { a: '11', b: '11', c: '14' },
    ],
  ])('%s: the recorder is away for three blocks', async (_name, rules, due) => {
    const [one, two] = [new Bridge(books), new Bridge(books)];
    await one.start();
    await two.start();
    const blocks = [];
    for (const slot of [1, 3, 5]) blocks.push(await findsConfirmed(slot, rules));
    await one.brings([{ slot: 1, account: 'a', work: 10n }], 4);
    await settleAll(books.pool, rules);
    // What the other one accepted is not known yet: nothing is split, and nothing is closed.
    expect([await coins(), await coinsIn(books.pool, 'expected')]).toEqual([{}, {}]);
    await two.brings([{ slot: 0, account: 'b', work: 10n }], 2);
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual({ a: '6', b: '6' });
    await two.brings([{ slot: 3, account: 'c', work: 20n }], 6);
    await one.brings([{ slot: 5, account: 'c', work: 20n }], 6);
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual(due);
    await expectProved(books.pool);
  });

  it('a bridge that was killed brings what it had when it comes back', async () => {
    const [killed, other] = [new Bridge(books), new Bridge(books)];
    await killed.start();
    await other.start();
    await killed.brings([{ slot: 0, account: 'a', work: 1n }], 1);
    await findsConfirmed(1, PROP);
    await other.brings([{ slot: 1, account: 'b', work: 1n }], 9);
    await books.pool.query(
      "UPDATE log SET heard_at = now() - interval '20 hours', waited = '20 hours' WHERE id = $1",
      [killed.id],
    );
    await settleAll(books.pool, PROP);
    expect(await coins()).toEqual({});
    // What an alert tells the operator.
    const waiting = await unweighed(books.pool);
    expect(waiting).toEqual({ blocks: 1, oldestMs: expect.any(Number), place: 'there' });
    expect(waiting.oldestMs).toBeGreaterThan(0);
    await killed.brings([{ slot: 1, account: 'a', work: 2n }], 2);
    await books.pool.query('UPDATE log SET ended = true WHERE id = $1', [killed.id]);
    await settleAll(books.pool, { ...PROP, fees: NO_FEES });
    expect(await coins()).toEqual({ a: '9', b: '3' });
    expect(await unweighed(books.pool)).toMatchObject({ blocks: 0, oldestMs: 0 });
    await expectProved(books.pool);
  });

  it('a bridge that is silent beyond patience is waited for no longer, aloud, and what it brings later counts for later blocks', async () => {
    const warnings: string[] = [];
    const log: Log = { ...SILENT, warn: (_fields, message) => void warnings.push(message) };
    const [silent, other] = [new Bridge(books), new Bridge(books)];
    await silent.start();
    await other.start();
    await silent.brings([{ slot: 0, account: 'a', work: 1n }], 1);
    await books.pool.query(
      "UPDATE log SET heard_at = now() - interval '25 hours', waited = '25 hours' WHERE id = $1",
      [silent.id],
    );
    await other.brings([{ slot: 1, account: 'b', work: 1n }], 3);
    for (const slot of [1, 2]) {
      const id = await finds(books, slot);
      await sawBlock(books.pool, id, 'confirmed', { reward: 2n * COIN });
    }
    const rules = { ...PROP, fees: NO_FEES };
    await settleAll(books.pool, rules, { log });
    expect(await coins()).toEqual({ a: '1', b: '1', operator: '2' });
    expect(warnings).toEqual([expect.stringContaining('it was silent for longer than rewards.patience')]);
    const notes = (await verifyBooks(books.pool)).flatMap(({ noted }) => noted);
    expect(notes).toEqual([
      expect.stringMatching(new RegExp(`^2 blocks, of .* the bridge at there \\(log ${silent.id}\\)`)),
    ]);
    await silent.brings([{ slot: 1, account: 'a', work: 5n }], 4);
    await other.brings([], 9);
    await silent.brings([], 9);
    await findsConfirmed(4, rules, COIN);
    expect(await coins()).toEqual({ a: '2', b: '1', operator: '2' });
    await expectProved(books.pool);
  });

  it('shares of before a block count for it although upkeep has passed meanwhile', async () => {
    const bridge = new Bridge(books);
    await bridge.start();
    await findsConfirmed(3, PROP);
    await keepUp(books.pool);
    await bridge.brings([{ slot: 2, account: 'a', work: 1n }], 3);
    await keepUp(books.pool);
    await bridge.brings(
      [
        { slot: 3, account: 'b', work: 1n },
        { slot: 4, account: 'late', work: 50n },
      ],
      9,
    );
    await keepUp(books.pool);
    await settleAll(books.pool, { ...PROP, fees: NO_FEES });
    expect(await coins()).toEqual({ a: '6', b: '6' });
  });
});

describe('blocks', () => {
  beforeEach(() => books.empty());

  it('of one slot are paid by the same work, and what they took is told of each in part', async () => {
    const bridge = new Bridge(books);
    await bridge.start();
    await bridge.brings(
      [
        { slot: 0, account: 'a', work: 3n },
        { slot: 2, account: 'b', work: 2n },
      ],
      9,
    );
    const first = await finds(books, 2);
    const second = await finds(books, 2, { msInSlot: 9_000 });
    for (const id of [second, first]) await sawBlock(books.pool, id, 'confirmed', { reward: 5n * COIN });
    const rules = { ...PROP, fees: NO_FEES };
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual({ a: '6', b: '4' });
    const { rows } = await books.pool.query(
      'SELECT round_work::int AS work FROM block WHERE state IS NOT NULL ORDER BY id',
    );
    expect(rows).toEqual([{ work: 3 }, { work: 2 }]);
    // While one of them is on the chain, the next block has nothing of that slot.
    await sawBlock(books.pool, first, 'orphaned');
    await bridge.brings([{ slot: 10, account: 'c', work: 1n }], 12);
    await findsConfirmed(10, rules, COIN);
    expect(await coins()).toEqual({ a: '3', b: '2', c: '1' });
    await sawBlock(books.pool, second, 'orphaned');
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual({ a: '0.5', b: '0.333333333333', c: '0.166666666667' });
    await expectProved(books.pool);
  });

  it('pplns: of one slot have one window, by the highest of their difficulties', async () => {
    const bridge = new Bridge(books);
    await bridge.start();
    await bridge.brings(
      [
        { slot: 1, account: 'a', work: DIFFICULTY },
        { slot: 2, account: 'b', work: DIFFICULTY },
      ],
      9,
    );
    const rules = { ...BY_WORK, fees: NO_FEES, pplnsWindow: { of: 'difficulty' as const, permille: 1000n } };
    for (const difficulty of [DIFFICULTY, 2n * DIFFICULTY]) {
      const id = await finds(books, 2, { difficulty });
      await sawBlock(books.pool, id, 'confirmed', { reward: 2n * COIN });
    }
    await settleAll(books.pool, rules);
    // Alone, the first one would have been b's.
    expect(await coins()).toEqual({ a: '2', b: '2' });
  });

  it('of another scheme pay the round of an orphan before them, with its part of the work since the block before', async () => {
    const bridge = new Bridge(books);
    await bridge.start();
    await bridge.brings(
      [
        { slot: 0, account: 'a', work: 3n },
        { slot: 2, account: 'b', work: 1n },
      ],
      9,
    );
    const rulesOf = async (at = new Date()): Promise<RewardRules> =>
      ({ ...PROP, fees: NO_FEES, scheme: at.getTime() < START_MS + SLOT_MS ? 'prop' : 'solo' }) as const;
    const [orphan, next] = [await finds(books, 0), await finds(books, 2, { account: 'c' })];
    await sawBlock(books.pool, next, 'confirmed', { reward: 8n * COIN });
    await settleAll(books.pool, rulesOf);
    // It waits: whose round it pays is not known yet.
    expect([await coins(), await coinsIn(books.pool, 'expected')]).toEqual([{}, { c: '8' }]);
    await sawBlock(books.pool, orphan, 'orphaned');
    await settleAll(books.pool, rulesOf);
    expect(await coins()).toEqual({ a: '6', c: '2' });
    await sawBlock(books.pool, orphan, 'confirmed', { reward: COIN });
    await settleAll(books.pool, rulesOf);
    expect(await coins()).toEqual({ a: '1', c: '8' });
    await expectProved(books.pool);
  });

  it('that come into the books after their slot was closed are of the first open one', async () => {
    const bridge = new Bridge(books);
    await bridge.start();
    await bridge.brings([{ slot: 2, account: 'a', work: 1n }], 9);
    await findsConfirmed(3, PROP);
    const late = await finds(books, 1);
    expect(await slotOf(books, late)).toBe(4);
    const future = makeSolution({ foundAtMs: Date.now() + 86_400_000 }, { height: 1_000_000 });
    await recordSolution(books.ledger, future, 'received', '');
    const { rows } = await books.pool.query(
      'SELECT slot <= now() AS past FROM block WHERE state IS NOT NULL ORDER BY id DESC LIMIT 1',
    );
    expect(rows).toEqual([{ past: true }]);
  });

  it.each(['unclaimed', 'disowned'])(
    'that are %s hold nothing back: neither the open round nor what is summed up, and wait for no bridge',
    async (state) => {
      const [bridge, behind] = [new Bridge(books), new Bridge(books)];
      await bridge.start();
      await behind.start();
      await bridge.brings([{ slot: 0, account: 'a', work: 5n }], 90);
      const id = await finds(books, 1);
      await books.pool.query('UPDATE block SET state = $2 WHERE id = $1', [id, state]);
      expect((await listIn(books.pool, 'logs')).map(({ blocks }) => blocks)).toEqual([0, 0]);
      const closed = new Date(START_MS + 40 * 86_400_000);
      await books.pool.query('UPDATE settlement SET closed_until = $1', [closed]);
      await followRound(books.pool);
      const { rows } = await books.pool.query<{ until: Date; work: string[] }>(
        'SELECT round_until AS until, round_work::text[] AS work FROM settlement',
      );
      expect([(rows[0]?.until.getTime() ?? 0) > closed.getTime() - 60_000, rows[0]?.work]).toEqual([
        true,
        ['5'],
      ]);
      await rollUp(books.pool);
      expect((await books.pool.query('SELECT seconds > 10 AS summed FROM rig_work')).rows).toEqual([
        { summed: true },
      ]);
    },
  );

  it('prop: wait for those of earlier slots that may yet leave the chain', async () => {
    const bridge = new Bridge(books);
    await bridge.start();
    await bridge.brings(
      [
        { slot: 0, account: 'a', work: 1n },
        { slot: 1, account: 'b', work: 1n },
      ],
      9,
    );
    const first = await finds(books, 0);
    await sawBlock(books.pool, first, 'pending', { reward: COIN });
    const rules = { ...PROP, fees: NO_FEES };
    await findsConfirmed(1, rules, COIN);
    expect([await coins(), await coinsIn(books.pool, 'expected')]).toEqual([{}, { a: '1', b: '1' }]);
    await sawBlock(books.pool, first, 'orphaned');
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual({ a: '0.5', b: '0.5' });
    await sawBlock(books.pool, first, 'confirmed');
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual({ a: '1', b: '1' });
    const { rows } = await books.pool.query(
      'SELECT code, sum(amount)::text AS amount FROM transfer GROUP BY code ORDER BY code',
    );
    expect(rows).toEqual([
      { code: 'block', amount: '3.000000000000' },
      { code: 'block reversed', amount: '1.000000000000' },
    ]);
    await expectProved(books.pool);
  });

  it('are split by the rules and fees of when they were found', async () => {
    const bridge = new Bridge(books);
    await bridge.start();
    await bridge.brings(
      [0, 1, 2].map((slot) => ({ slot, account: 'a', work: 1n })),
      9,
    );
    const half = { ...PROP, fees: { basisPoints: 5000, overrides: new Map<string, number>() } };
    const rulesOf = async (at = new Date()): Promise<RewardRules> =>
      at.getTime() < START_MS + SLOT_MS ? { ...PROP, fees: NO_FEES } : half;
    const first = await finds(books, 0);
    const second = await finds(books, 1);
    for (const id of [first, second]) await sawBlock(books.pool, id, 'confirmed', { reward: COIN });
    await settleAll(books.pool, rulesOf);
    expect(await coins()).toEqual({ a: '1.5', operator: '0.5' });
    await sawBlock(books.pool, second, 'orphaned');
    await settleAll(books.pool, rulesOf);
    await sawBlock(books.pool, second, 'pending', { reward: COIN });
    await settleAll(books.pool, rulesOf);
    expect(await coinsIn(books.pool, 'expected')).toEqual({ a: '0.5', operator: '0.5' });
  });

  it('pps: what a block pays besides its reward is split by the work since the block before', async () => {
    const bridge = new Bridge(books);
    await bridge.start();
    await bridge.brings(
      [
        { slot: 0, account: 'a', work: 3n },
        { slot: 1, account: 'b', work: 1n },
      ],
      9,
    );
    const id = await finds(books, 1);
    await sawBlock(books.pool, id, 'confirmed', { reward: COIN, fees: 4_000n });
    await settleAll(books.pool, { ...PROP, scheme: 'pps', fees: NO_FEES });
    expect(await moneyIn(books.pool, 'due')).toEqual({ '': COIN, a: 3_000n, b: 1_000n });
    await expectProved(books.pool);
  });
});
