/** Stories of bridges, blocks and leaders, brought into real books in any order, beside what the books count of them. */

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type pg from 'pg';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { followRound } from '../../../src/ledger/settlement/open-round.js';
import { entryOf, makeShare } from '../rigs/shares.js';
import { makeSolution } from '../rigs/solutions.js';
import type { Books } from './books.js';
import { recordSolution } from './record-solution.js';
import { sawBlock, settleAll } from './settlement.js';
import { type Found, SLOT_MS, START_MS, type Told, type Work } from './settlement-model.js';

export const DIFFICULTY = 10_000n;
const FEES = { basisPoints: 130, overrides: new Map([['b', 0]]) };

export const PROP: RewardRules = { ...REWARD_RULES, scheme: 'prop', fees: FEES };
export const BY_TIME: RewardRules = { ...PROP, scheme: 'pplns', pplnsWindow: { of: 'time', ms: 35_000 } };
export const BY_WORK: RewardRules = {
  ...PROP,
  scheme: 'pplns',
  pplnsWindow: { of: 'difficulty', permille: 2500n },
};
const SOLO: RewardRules = { ...PROP, scheme: 'solo', fees: { ...FEES, basisPoints: 4000 } };
const LONGER: RewardRules = { ...BY_WORK, pplnsWindow: { of: 'difficulty', permille: 9000n } };

const SLOTS = 14;
const MOST_BLOCKS = 6;
/** Where entries end. What comes late is of the first open slot, which may be ten minutes later each time that these are closed: far before the last. */
const CUTS = [2, 5, 9, 6_000];

type Made<A> = A extends fc.Arbitrary<infer T> ? T : never;

const work: fc.Arbitrary<Work> = fc.record({
  slot: fc.nat(SLOTS - 1),
  account: fc.constantFrom('a', 'b', 'c', ''),
  work: fc.bigInt(1n, 9_000n),
});

/** It is started anew after so many of its entries, or goes silent before one of them, and returns with it. */
const bridge = fc.record({
  work: fc.array(work, { maxLength: 12 }),
  restartsAfter: fc.option(fc.nat(CUTS.length - 2)),
  silentBefore: fc.option(fc.nat(CUTS.length - 1)),
});

const block = fc.record({
  /** Few, so that many have one slot. */
  slot: fc.oneof(fc.nat(SLOTS - 1), fc.constantFrom(3, 8)),
  msInSlot: fc.nat(SLOT_MS - 1),
  account: fc.constantFrom('a', 'c', ''),
  difficulty: fc.constantFrom(DIFFICULTY, 3n * DIFFICULTY),
  reward: fc.bigInt(0n, 10n ** 15n),
  fees: fc.bigInt(0n, 10n ** 9n),
  state: fc.constantFrom('confirmed' as const, 'orphaned' as const),
  /** What was seen of it before. */
  before: fc.array(fc.constantFrom('pending' as const, 'confirmed' as const, 'orphaned' as const), {
    maxLength: 3,
  }),
});

type PlannedBridge = Made<typeof bridge>;
type PlannedBlock = Made<typeof block>;

export const story = fc.record({
  bridges: fc.array(bridge, { minLength: 1, maxLength: 3 }),
  blocks: fc.array(block, { minLength: 1, maxLength: MOST_BLOCKS }),
  /** Rules of after this time, in slots. */
  later: fc.constantFrom(PROP, BY_TIME, BY_WORK, SOLO, LONGER),
  changesAt: fc.double({ min: 1, max: 2 * SLOTS, noNaN: true }),
  order: fc.infiniteStream(fc.nat()),
});

export type Story = Made<typeof story>;

/** A start of a bridge, as the books know it. */
export class Bridge {
  readonly id = randomUUID();
  readonly #books: Books;
  #number = 0;

  constructor(books: Books) {
    this.#books = books;
  }

  async start(): Promise<void> {
    await this.#books.ledger.renewLogs([this.id], 'there');
    await this.#books.pool.query('UPDATE log SET started_at = $2 WHERE id = $1', [
      this.id,
      new Date(START_MS),
    ]);
  }

  /** An entry: this work, and the word that all before that slot is in the books with it. Resolves with where the books count it. */
  async brings(work: readonly Work[], until: number, ends = false): Promise<Work[]> {
    const { pool, ledger } = this.#books;
    const { rows } = await pool.query<{ until: Date }>('SELECT closed_until AS until FROM settlement');
    const open = ((rows[0]?.until.getTime() ?? 0) - START_MS) / SLOT_MS;
    const shares = work.map(({ account, slot, work: difficulty }) =>
      makeShare({
        account,
        difficulty,
        acceptedAtMs: START_MS + slot * SLOT_MS + 7 * Number(difficulty % 1000n),
      }),
    );
    const entry = entryOf({ id: { log: this.id, number: ++this.#number }, shares });
    await ledger.recordEntry({ ...entry, watermarkMs: START_MS + until * SLOT_MS, ends });
    return work.map((one) => ({ ...one, slot: Math.max(one.slot, open) }));
  }

  /** Nothing was heard of it for longer than anybody has patience. */
  async isSilent(hours = 25): Promise<void> {
    await this.#books.pool.query(
      "UPDATE log SET heard_at = now() - $2 * interval '1 hour', waited = $2 * interval '1 hour' WHERE id = $1",
      [this.id, hours],
    );
  }
}

let found = 0;

export async function finds(
  books: Books,
  slot: number,
  { msInSlot = 5_000, account = 'a', difficulty = DIFFICULTY } = {},
): Promise<string> {
  found++;
  const solution = makeSolution(
    { account, foundAtMs: START_MS + slot * SLOT_MS + msInSlot },
    { parent: found % 256, height: found, difficulty },
    BigInt(found),
  );
  // The nonce meets no such target: what is judged elsewhere is not the point here.
  await recordSolution(books.ledger, solution, 'received', '');
  const { rows } = await books.pool.query<{ id: string }>('SELECT max(id) AS id FROM block');
  return rows[0]?.id ?? '';
}

export async function numbersOf({ pool }: Books): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ name: string; id: number }>('SELECT name, id FROM account');
  return new Map(rows.map(({ name, id }) => [name, id]));
}

/** The block's slot by the books. */
export async function slotOf({ pool }: Books, id: string): Promise<number> {
  const { rows } = await pool.query<{ slot: Date }>('SELECT slot FROM block WHERE id = $1', [id]);
  return ((rows[0]?.slot.getTime() ?? 0) - START_MS) / SLOT_MS;
}

type Action = () => Promise<unknown>;

/** Brings all of a story into the books, in its order. @param other another bridge's connections: both lead, in turns or at once. */
export async function play(books: Books, other: pg.Pool, first: RewardRules, told: Story): Promise<Told> {
  const [work, blocks]: [Work[], Found[]] = [[], []];
  const changesMs = START_MS + Math.floor(told.changesAt * SLOT_MS);
  const rules = (at: Date): RewardRules => (at.getTime() < changesMs ? first : told.later);
  const rulesOf = async (at = new Date()): Promise<RewardRules> => rules(at);
  const waiting: Action[][] = [
    ...(await Promise.all(told.bridges.map((bridge) => entriesOf(books, bridge, work)))),
    ...told.blocks.map((block) => sightsOf(books, block, blocks)),
    Array.from({ length: 3 }, () => () => settleAll(books.pool, rulesOf)),
    Array.from({ length: 3 }, () => () => settleAll(other, rulesOf)),
    [() => Promise.all([books.pool, other].map((pool) => settleAll(pool, rulesOf)))],
    [() => followRound(books.pool), () => followRound(other)],
  ];
  for (const choice of told.order) {
    const open = waiting.filter((actions) => actions.length > 0);
    if (open.length === 0) break;
    await open[choice % open.length]?.shift()?.();
  }
  await settleAll(other, rulesOf);
  return { work, blocks, rules, numbers: await numbersOf(books) };
}

/** What a bridge brings, one after the other. @param counted where the books count it. */
async function entriesOf(books: Books, planned: PlannedBridge, counted: Work[]): Promise<Action[]> {
  let bridge = new Bridge(books);
  await bridge.start();
  return CUTS.flatMap((until, i) => {
    const from = CUTS[i - 1] ?? 0;
    const own = planned.work.filter(({ slot }) => slot >= from && slot < until);
    const brings = async (): Promise<void> => {
      const before = bridge;
      const ends = planned.restartsAfter === i;
      if (ends) {
        bridge = new Bridge(books);
        await bridge.start();
      }
      counted.push(...(await before.brings(own, until, ends)));
    };
    return planned.silentBefore === i ? [() => bridge.isSilent(), brings] : [brings];
  });
}

/** What becomes of a block, one after the other. @param counted as the books have it. */
function sightsOf(books: Books, { before, msInSlot, ...planned }: PlannedBlock, counted: Found[]): Action[] {
  let id = '';
  const { reward, fees, difficulty, account } = planned;
  return [
    async () => {
      id = await finds(books, planned.slot, { msInSlot, difficulty, account });
      const foundAtMs = START_MS + planned.slot * SLOT_MS + msInSlot;
      counted.push({ ...planned, foundAtMs, slot: await slotOf(books, id) });
    },
    ...[...before, planned.state].map((state) => () => sawBlock(books.pool, id, state, { reward, fees })),
  ];
}
