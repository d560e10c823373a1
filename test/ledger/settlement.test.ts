/** Blocks are split by all that was accepted before them, whatever comes when: against a model of what is due. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Log, SILENT } from '../../src/core/log.js';
import { lastWork, splitByWork, type Weight } from '../../src/core/rewards.js';
import { inTransaction } from '../../src/ledger/database/transaction.js';
import { keepUp } from '../../src/ledger/history/upkeep.js';
import { followRound } from '../../src/ledger/settlement/open-round.js';
import { REWARD_RULES, type RewardRules } from '../../src/ledger/settlement/reward-rules.js';
import { verifyBooks } from '../../src/ledger/settlement/verify.js';
import { lastWorkBefore } from '../../src/ledger/settlement/weights.js';
import { useBooks } from '../helpers/books.js';
import { coinsIn, expectProved, moneyIn } from '../helpers/money.js';
import { sawBlock, settleAll } from '../helpers/settlement.js';
import { entryOf, makeShare } from '../helpers/shares.js';
import { makeSolution } from '../helpers/solutions.js';

const START_MS = 1_700_000_000_000;
const SLOT_MS = 10_000;
const FEES = { basisPoints: 130, overrides: new Map([['b', 0]]) };
const DIFFICULTY = 10_000n;

const books = useBooks();

interface Work {
  readonly slot: number;
  readonly account: string;
  readonly work: bigint;
}

interface Found {
  readonly slot: number;
  readonly reward: bigint;
  readonly fees: bigint;
  readonly state: 'confirmed' | 'orphaned';
}

/** What the books are to say: of each block on the chain who gets what, by the work in the slots that are its own. */
function due(
  work: readonly Work[],
  blocks: readonly Found[],
  rules: RewardRules,
  numbers: ReadonlyMap<string, number>,
): Record<string, bigint> {
  const money: Record<string, bigint> = {};
  const give = (account: string, amount: bigint): void => {
    money[account] = (money[account] ?? 0n) + amount;
  };
  // Equal remainders go by the books' number of an account.
  const [numbered, named] = [
    (name: string) => `${numbers.get(name)} ${name}`,
    (text: string) => text.replace(/^\d+ /, ''),
  ];
  const fees = {
    ...rules.fees,
    overrides: new Map([['b', 0]].map(([name, fee]) => [numbered(name as string), fee as number])),
  };
  const between = (after: number, to: number): Weight[] =>
    work
      .filter(({ slot }) => slot > after && slot <= to)
      .map(({ account, work }) => ({ account: numbered(account), work }));
  const weightsOf = ({ slot }: Found): Weight[] => {
    const { pplnsWindow: window, scheme } = rules;
    if (scheme === 'prop') {
      const before = blocks.filter((one) => one.state === 'confirmed' && one.slot < slot);
      return between(Math.max(-1, ...before.map((one) => one.slot)), slot);
    }
    if (window.of === 'time') return between(slot - Math.ceil(window.ms / SLOT_MS), slot);
    const slices = Array.from({ length: slot + 1 }, (_, i) => ({ weights: between(slot - i - 1, slot - i) }));
    return lastWork(slices, (DIFFICULTY * window.permille) / 1000n);
  };
  for (const block of blocks.filter(({ state }) => state === 'confirmed')) {
    const { credits, operator } = splitByWork(block.reward + block.fees, weightsOf(block), fees);
    for (const { account, amount } of credits) give(named(account), amount);
    give('', operator);
  }
  return Object.fromEntries(Object.entries(money).filter(([, amount]) => amount > 0n));
}

/** A start of a bridge, as the books know it. */
class Bridge {
  readonly id = randomUUID();
  #number = 0;

  async start(): Promise<void> {
    await books.pool.query(
      "INSERT INTO producer (id, shares, work, place, started_at, watermark) VALUES ($1, 0, 0, 'there', $2, $2)",
      [this.id, new Date(START_MS)],
    );
  }

  /** An entry: this work, and the word that all before that slot is in the books with it. */
  async brings(work: readonly Work[], until: number): Promise<void> {
    const shares = work.map(({ account, slot, work: difficulty }) =>
      makeShare({
        account,
        difficulty,
        acceptedAtMs: START_MS + slot * SLOT_MS + 7 * Number(difficulty % 1000n),
      }),
    );
    const entry = entryOf({ id: { producer: this.id, number: ++this.#number }, shares });
    const watermarkMs = START_MS + until * SLOT_MS;
    await books.ledger.recordEntry({ ...entry, watermarkMs, ends: false });
  }
}

let found = 0;

async function finds(slot: number, msInSlot = 5_000): Promise<string> {
  found++;
  const solution = makeSolution(
    { account: 'a', foundAtMs: START_MS + slot * SLOT_MS + msInSlot },
    { parent: found % 256, height: found, difficulty: DIFFICULTY },
    BigInt(found),
  );
  // The nonce meets no such target: what is judged elsewhere is not the point here.
  await books.ledger.recordSolution(solution, 'received', '');
  const { rows } = await books.pool.query<{ id: string }>('SELECT max(id) AS id FROM solution');
  return rows[0]?.id ?? '';
}

async function numbersOf(): Promise<Map<string, number>> {
  const { rows } = await books.pool.query<{ name: string; id: number }>('SELECT name, id FROM account');
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** The block's slot by the books. */
async function slotOf(id: string): Promise<number> {
  const { rows } = await books.pool.query<{ slot: Date }>('SELECT slot FROM block WHERE solution_id = $1', [
    id,
  ]);
  return ((rows[0]?.slot.getTime() ?? 0) - START_MS) / SLOT_MS;
}

const PROP: RewardRules = { ...REWARD_RULES, scheme: 'prop', fees: FEES };
const BY_TIME: RewardRules = { ...PROP, scheme: 'pplns', pplnsWindow: { of: 'time', ms: 35_000 } };
const BY_WORK: RewardRules = { ...PROP, scheme: 'pplns', pplnsWindow: { of: 'difficulty', permille: 2500n } };
const SLOTS = 12;
const MOST_BLOCKS = 6;

const work = fc.record({
  slot: fc.nat(SLOTS - 1),
  account: fc.constantFrom('a', 'b', 'c', ''),
  work: fc.bigInt(1n, 9_000n),
});
const block = fc.record({
  slot: fc.nat(SLOTS - 1),
  reward: fc.bigInt(0n, 10n ** 15n),
  fees: fc.bigInt(0n, 10n ** 9n),
  state: fc.constantFrom('confirmed' as const, 'orphaned' as const),
  /** What was seen of it before. */
  before: fc.array(fc.constantFrom('onChain' as const, 'confirmed' as const, 'orphaned' as const), {
    maxLength: 3,
  }),
});
const story = fc.record({
  bridges: fc.array(fc.array(work, { maxLength: 12 }), { minLength: 1, maxLength: 3 }),
  blocks: fc.array(block, { minLength: 1, maxLength: MOST_BLOCKS }),
  order: fc.infiniteStream(fc.nat()),
});

describe.each([
  ['prop', PROP],
  ['pplns by time', BY_TIME],
  ['pplns by work', BY_WORK],
])('%s', (_name, rules) => {
  it('pays by the model, whatever comes in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ bridges, blocks, order }) => {
        await books.empty();
        const told = await play(bridges, blocks, order, rules);
        expect(await moneyIn(books.pool, 'balance')).toEqual(
          due(bridges.flat(), told, rules, await numbersOf()),
        );
        expect(await moneyIn(books.pool, 'held')).toEqual({});
        await expectProved(books.pool);
      }),
      // To find a smaller story would take longer than a test may.
      { numRuns: 25, endOnFailure: true },
    );
  });
});

type PlannedBlock = Found & { readonly before: readonly ('onChain' | 'confirmed' | 'orphaned')[] };

/** Brings it all into the books, in this order, settling now and then. The blocks with the slots that they got there. */
async function play(
  bridges: readonly (readonly Work[])[],
  blocks: readonly PlannedBlock[],
  order: Iterable<number>,
  rules: RewardRules,
): Promise<Found[]> {
  const told: Found[] = [];
  const waiting: (() => Promise<void>)[][] = [];
  for (const all of bridges) {
    const bridge = new Bridge();
    await bridge.start();
    // A block that comes late is of the first open slot, which may be one after all of these.
    const cuts = [2, 5, 9, SLOTS + MOST_BLOCKS];
    waiting.push(
      cuts.map((until, i) => () => {
        const from = cuts[i - 1] ?? 0;
        return bridge.brings(
          all.filter(({ slot }) => slot >= from && slot < until),
          until,
        );
      }),
    );
  }
  for (const { before, ...block } of blocks) {
    let id = '';
    const pays = { reward: block.reward, fees: block.fees };
    waiting.push([
      async () => {
        id = await finds(block.slot);
        told.push({ ...block, slot: await slotOf(id) });
      },
      ...[...before, block.state].map((state) => () => sawBlock(books.pool, id, state, pays)),
    ]);
  }
  waiting.push(Array.from({ length: 5 }, () => () => settleAll(books.pool, rules)));
  waiting.push([() => followRound(books.pool)]);
  for (const choice of order) {
    const open = waiting.filter((actions) => actions.length > 0);
    if (open.length === 0) break;
    await open[choice % open.length]?.shift()?.();
  }
  await settleAll(books.pool, rules);
  return told;
}

const COIN = 10n ** 12n;

/** Found, seen deep enough on the chain, and settled as far as it can be. */
async function findsConfirmed(slot: number, rules: RewardRules, reward = 12n * COIN): Promise<string> {
  const id = await finds(slot);
  await sawBlock(books.pool, id, 'confirmed', { reward });
  await settleAll(books.pool, rules);
  return id;
}

const coins = (): Promise<Record<string, string>> => coinsIn(books.pool, 'balance');
const NO_FEES = { basisPoints: 0, overrides: new Map<string, number>() };

it('a window that ends where slots are summed up goes by the minute, and counts no work twice', async () => {
  await books.empty();
  const hourMs = 3_600_000;
  const startMs = Math.floor(Date.now() / hourMs - 5) * hourMs;
  const shares = [
    makeShare({ account: 'a', difficulty: 10n, acceptedAtMs: startMs }),
    makeShare({ account: 'b', difficulty: 10n, acceptedAtMs: startMs + 300_000 }),
  ];
  await books.ledger.recordEntry(entryOf({ id: { producer: randomUUID(), number: 1 }, shares }));
  await books.pool.query('UPDATE closed SET until = now(); UPDATE open_round SET until = now()');
  const { rows } = await books.pool.query<{ rolled: boolean }>(
    "SELECT roll_partitions('rig_work') AS rolled",
  );
  expect(rows).toEqual([{ rolled: true }]);
  const weights = await inTransaction(books.pool, (client) =>
    lastWorkBefore(client, new Date(startMs + 600_000), 15n),
  );
  const ids = await numbersOf();
  const workOf = (name: string) =>
    weights.find(({ account }) => account === String(ids.get(name)))?.work ?? 0n;
  expect(weights).toHaveLength(2);
  expect(workOf('b')).toBe(2n * workOf('a'));
});

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
    const [one, two] = [new Bridge(), new Bridge()];
    await one.start();
    await two.start();
    const blocks = [];
    for (const slot of [1, 3, 5]) blocks.push(await findsConfirmed(slot, rules));
    await one.brings([{ slot: 1, account: 'a', work: 10n }], 4);
    await settleAll(books.pool, rules);
    // What the other one accepted is not known yet: nothing is split, and nothing is closed.
    expect([await coins(), await coinsIn(books.pool, 'held')]).toEqual([{}, {}]);
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
    const [killed, other] = [new Bridge(), new Bridge()];
    await killed.start();
    await other.start();
    await killed.brings([{ slot: 0, account: 'a', work: 1n }], 1);
    await findsConfirmed(1, PROP);
    await other.brings([{ slot: 1, account: 'b', work: 1n }], 9);
    await books.pool.query("UPDATE producer SET heard_at = now() - interval '20 hours' WHERE id = $1", [
      killed.id,
    ]);
    await settleAll(books.pool, PROP);
    expect(await coins()).toEqual({});
    await killed.brings([{ slot: 1, account: 'a', work: 2n }], 2);
    await books.pool.query('UPDATE producer SET ended = true WHERE id = $1', [killed.id]);
    await settleAll(books.pool, { ...PROP, fees: NO_FEES });
    expect(await coins()).toEqual({ a: '9', b: '3' });
    await expectProved(books.pool);
  });

  it('a bridge that is silent beyond patience is waited for no longer, aloud, and what it brings later counts for later blocks', async () => {
    const warnings: string[] = [];
    const log: Log = { ...SILENT, warn: (_fields, message) => void warnings.push(message) };
    const [silent, other] = [new Bridge(), new Bridge()];
    await silent.start();
    await other.start();
    await silent.brings([{ slot: 0, account: 'a', work: 1n }], 1);
    await books.pool.query("UPDATE producer SET heard_at = now() - interval '25 hours' WHERE id = $1", [
      silent.id,
    ]);
    await other.brings([{ slot: 1, account: 'b', work: 1n }], 3);
    for (const slot of [1, 2]) {
      const id = await finds(slot);
      await sawBlock(books.pool, id, 'confirmed', { reward: 2n * COIN });
    }
    const rules = { ...PROP, fees: NO_FEES };
    await settleAll(books.pool, rules, { log });
    expect(await coins()).toEqual({ a: '1', b: '1', operator: '2' });
    expect(warnings).toEqual([expect.stringContaining('it was silent for longer than rewards.patience')]);
    const notes = (await verifyBooks(books.pool)).flatMap(({ noted }) => noted);
    expect(notes).toEqual([
      expect.stringMatching(new RegExp(`^2 blocks, of .* the bridge at there \\(producer ${silent.id}\\)`)),
    ]);
    await silent.brings([{ slot: 1, account: 'a', work: 5n }], 4);
    await other.brings([], 9);
    await silent.brings([], 9);
    await findsConfirmed(4, rules, COIN);
    expect(await coins()).toEqual({ a: '2', b: '1', operator: '2' });
    await expectProved(books.pool);
  });

  it('shares of before a block count for it although upkeep has passed meanwhile', async () => {
    const bridge = new Bridge();
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
    const bridge = new Bridge();
    await bridge.start();
    await bridge.brings(
      [
        { slot: 0, account: 'a', work: 3n },
        { slot: 2, account: 'b', work: 2n },
      ],
      9,
    );
    const first = await finds(2);
    const second = await finds(2, 9_000);
    for (const id of [second, first]) await sawBlock(books.pool, id, 'confirmed', { reward: 5n * COIN });
    const rules = { ...PROP, fees: NO_FEES };
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual({ a: '6', b: '4' });
    const { rows } = await books.pool.query('SELECT round_work::int AS work FROM block ORDER BY solution_id');
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

  it('that come into the books after their slot was closed are of the first open one', async () => {
    const bridge = new Bridge();
    await bridge.start();
    await bridge.brings([{ slot: 2, account: 'a', work: 1n }], 9);
    await findsConfirmed(3, PROP);
    const late = await finds(1);
    expect(await slotOf(late)).toBe(4);
    const future = makeSolution({ foundAtMs: Date.now() + 86_400_000 }, { height: ++found });
    await books.ledger.recordSolution(future, 'received', '');
    const { rows } = await books.pool.query(
      'SELECT slot <= now() AS past FROM block ORDER BY solution_id DESC LIMIT 1',
    );
    expect(rows).toEqual([{ past: true }]);
  });

  it('prop: wait for those of earlier slots that may yet leave the chain', async () => {
    const bridge = new Bridge();
    await bridge.start();
    await bridge.brings(
      [
        { slot: 0, account: 'a', work: 1n },
        { slot: 1, account: 'b', work: 1n },
      ],
      9,
    );
    const first = await finds(0);
    await sawBlock(books.pool, first, 'onChain', { reward: COIN });
    const rules = { ...PROP, fees: NO_FEES };
    await findsConfirmed(1, rules, COIN);
    expect([await coins(), await coinsIn(books.pool, 'held')]).toEqual([{}, { a: '1', b: '1' }]);
    await sawBlock(books.pool, first, 'orphaned');
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual({ a: '0.5', b: '0.5' });
    await sawBlock(books.pool, first, 'confirmed');
    await settleAll(books.pool, rules);
    expect(await coins()).toEqual({ a: '1', b: '1' });
    const { rows } = await books.pool.query(
      "SELECT cause, sum(amount)::text AS amount FROM posting WHERE book = 'balance' GROUP BY cause ORDER BY cause",
    );
    expect(rows).toEqual([
      { cause: 'block', amount: '2.000000000000' },
      { cause: 'split again', amount: '0.000000000000' },
    ]);
    await expectProved(books.pool);
  });

  it('are split by the rules and fees of when they were found', async () => {
    const bridge = new Bridge();
    await bridge.start();
    await bridge.brings(
      [0, 1, 2].map((slot) => ({ slot, account: 'a', work: 1n })),
      9,
    );
    const half = { ...PROP, fees: { basisPoints: 5000, overrides: new Map<string, number>() } };
    const rulesOf = async (at = new Date()): Promise<RewardRules> =>
      at.getTime() < START_MS + SLOT_MS ? { ...PROP, fees: NO_FEES } : half;
    const first = await finds(0);
    const second = await finds(1);
    for (const id of [first, second]) await sawBlock(books.pool, id, 'confirmed', { reward: COIN });
    await settleAll(books.pool, rulesOf);
    expect(await coins()).toEqual({ a: '1.5', operator: '0.5' });
    await sawBlock(books.pool, second, 'orphaned');
    await settleAll(books.pool, rulesOf);
    await sawBlock(books.pool, second, 'onChain');
    await settleAll(books.pool, rulesOf);
    expect(await coinsIn(books.pool, 'held')).toEqual({ a: '0.5', operator: '0.5' });
  });

  it('pps: what a block pays besides its reward is split by the work since the block before', async () => {
    const bridge = new Bridge();
    await bridge.start();
    await bridge.brings(
      [
        { slot: 0, account: 'a', work: 3n },
        { slot: 1, account: 'b', work: 1n },
      ],
      9,
    );
    const id = await finds(1);
    await sawBlock(books.pool, id, 'confirmed', { reward: COIN, fees: 4_000n });
    await settleAll(books.pool, { ...PROP, scheme: 'pps', fees: NO_FEES });
    expect(await moneyIn(books.pool, 'balance')).toEqual({ '': COIN, a: 3_000n, b: 1_000n });
    await expectProved(books.pool);
  });
});
