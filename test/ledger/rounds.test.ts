/** Rounds of `prop` while blocks come, go and come back in any order. */
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatAmount } from '../../src/core/amount.js';
import { splitByWork } from '../../src/core/rewards.js';
import { applySight } from '../../src/ledger/blocks/block-moves.js';
import type { BlockState } from '../../src/ledger/blocks/blocks.js';
import { REWARD_RULES, type RewardRules } from '../../src/ledger/settlement/reward-rules.js';
import { verifyBooks } from '../../src/ledger/settlement/verify.js';
import { useBooks } from '../helpers/books.js';
import { makeShare } from '../helpers/shares.js';
import { makeSolution } from '../helpers/solutions.js';

const FEES = { basisPoints: 130, overrides: new Map([['b', 0]]) };
const RULES: RewardRules = { ...REWARD_RULES, scheme: 'prop', fees: FEES };
const COIN = 10n ** 12n;

const books = useBooks();
let solutions = 0;

/** A block as the test knows it: the work since the block before it was seen, and where it stands. */
interface KnownBlock {
  readonly id: string;
  readonly reward: bigint;
  readonly work: ReadonlyMap<string, bigint>;
  state: BlockState;
}

/** A pool: what it did, and what its books must then say. */
class Pool {
  readonly blocks: KnownBlock[] = [];
  #work = new Map<string, bigint>();

  async reset(): Promise<void> {
    await books.empty();
  }

  async mine(account: string, difficulty: bigint): Promise<void> {
    const shares = [makeShare({ account, difficulty })];
    await books.ledger.recordEntry({ id: { producer: randomUUID(), number: 1 }, shares, rejections: [] });
    this.#work.set(account, (this.#work.get(account) ?? 0n) + difficulty);
  }

  async find(reward: bigint): Promise<KnownBlock> {
    solutions++;
    const solution = makeSolution({}, { parent: solutions % 256, height: solutions });
    await books.ledger.recordSolution(solution, 'received', '');
    const { rows } = await books.pool.query<{ id: string }>('SELECT max(id) AS id FROM solution');
    const block: KnownBlock = { id: rows[0]?.id ?? '', reward, work: this.#work, state: 'pending' };
    this.#work = new Map();
    this.blocks.push(block);
    await this.see(block, 'onChain');
    return block;
  }

  async see(block: KnownBlock, state: BlockState): Promise<void> {
    const sight = { state, depth: state === 'confirmed' ? 6 : 1, tipHeight: 1, settled: false, isSeen: true };
    await applySight(books.pool, block.id, sight, { amount: block.reward, source: 'schedule' }, RULES);
    block.state = state;
  }

  /** Every block on the chain is paid by the work since the one before it on the chain. */
  due(): Record<string, string> {
    const due = new Map<string, bigint>();
    let work = new Map<string, bigint>();
    for (const block of this.blocks) {
      for (const [account, one] of block.work) work.set(account, (work.get(account) ?? 0n) + one);
      if (block.state === 'orphaned') continue;
      const weights = Array.from(work, ([account, one]) => ({ account, work: one }));
      const { credits, operator } = splitByWork(block.reward, weights, FEES);
      const book = block.state === 'confirmed' ? 'balance' : 'held';
      for (const { account, amount } of [...credits, { account: '', amount: operator }]) {
        const key = `${book} ${account}`;
        due.set(key, (due.get(key) ?? 0n) + amount);
      }
      work = new Map();
    }
    const told = Array.from(due).filter(([, amount]) => amount !== 0n);
    return Object.fromEntries(told.map(([key, amount]) => [key, formatAmount(amount)]));
  }

  async inBooks(): Promise<Record<string, string>> {
    const { rows } = await books.pool.query<{ key: string; amount: string }>(
      "SELECT book || ' ' || owner AS key, amount FROM balance WHERE book IN ('held', 'balance') AND amount <> 0",
    );
    return Object.fromEntries(rows.map(({ key, amount }) => [key, amount]));
  }

  async check(): Promise<void> {
    expect(await this.inBooks()).toEqual(this.due());
    expect((await verifyBooks(books.pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  }
}

it('gives an orphan’s round to the next block, and back when the orphan returns', async () => {
  const pool = new Pool();
  await pool.reset();
  await pool.mine('a', 3n);
  const first = await pool.find(8n * COIN);
  await pool.mine('b', 1n);
  const second = await pool.find(8n * COIN);
  await pool.see(second, 'confirmed');
  await pool.check();
  await pool.see(first, 'orphaned');
  expect(await pool.inBooks()).toMatchObject({ 'balance b': '2.000000000000' });
  await pool.check();
  await pool.see(first, 'confirmed');
  expect(await pool.inBooks()).toMatchObject({ 'balance b': '8.000000000000' });
  await pool.check();
});

it('keeps an orphan’s round for a block that is yet to come, unless it returns first', async () => {
  const pool = new Pool();
  await pool.reset();
  await pool.mine('a', 1n);
  const first = await pool.find(4n * COIN);
  await pool.see(first, 'orphaned');
  await pool.mine('b', 1n);
  await pool.see(first, 'onChain');
  await pool.find(4n * COIN);
  await pool.check();
});

const step = fc.oneof(
  fc.record({
    do: fc.constant('mine' as const),
    account: fc.constantFrom('a', 'b', 'c'),
    work: fc.bigInt(1n, 1n << 70n),
  }),
  fc.record({ do: fc.constant('find' as const), reward: fc.bigInt(0n, 5n * COIN) }),
  fc.record({
    do: fc.constant('see' as const),
    which: fc.nat(),
    state: fc.constantFrom<BlockState>('onChain', 'confirmed', 'orphaned'),
  }),
);

it('counts all work for one block at most, whatever blocks are found, orphaned and return in what order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 25 }), async (steps) => {
      const pool = new Pool();
      await pool.reset();
      for (const one of steps) {
        if (one.do === 'mine') await pool.mine(one.account, one.work);
        else if (one.do === 'find') await pool.find(one.reward);
        else {
          const block = pool.blocks[one.which % Math.max(1, pool.blocks.length)];
          if (block) await pool.see(block, one.state);
        }
      }
      await pool.check();
    }),
    { numRuns: 40 },
  );
});

it('splits with the fees of the time, whatever they are later', async () => {
  const pool = new Pool();
  await pool.reset();
  await pool.mine('a', 1n);
  const first = await pool.find(COIN);
  await pool.mine('a', 1n);
  await pool.find(COIN);
  const later = { ...RULES, fees: { basisPoints: 5000, overrides: new Map() } };
  const sight = { state: 'orphaned' as const, depth: 0, tipHeight: 1, settled: false, isSeen: false };
  await applySight(books.pool, first.id, sight, undefined, later);
  first.state = 'orphaned';
  await pool.check();
});
