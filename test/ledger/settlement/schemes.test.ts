/** Every scheme on real books: what a block pays is split to the last unit, whatever the shares and their order. */

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scheme } from '../../../src/core/money/rewards.js';
import type { Share } from '../../../src/core/shares/share.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { useBooks } from '../../helpers/books/books.js';
import { moneyIn } from '../../helpers/books/money.js';
import { recordSolution } from '../../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../../helpers/books/settlement.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';

const FOUND_MS = 1_700_000_000_000;
const BUCKET_MS = 10_000;
const SCHEMES: Scheme[] = ['pplns', 'prop', 'solo', 'pps'];
const RUNS = { numRuns: 8 };

const books = useBooks();

interface Case {
  readonly shares: readonly Share[];
  readonly reward: bigint;
  readonly rules: RewardRules;
}

/** Shares in a few buckets before the block; some a long time before. */
const share = fc
  .record({
    account: fc.constantFrom('', 'a', 'b', 'c'),
    rig: fc.constantFrom('x', 'y'),
    difficulty: fc.bigInt(1n, 1n << 80n),
    bucket: fc.constantFrom(1, 2, 3, 5000),
    offset: fc.integer({ min: 0, max: BUCKET_MS - 1 }),
  })
  .map(({ bucket, offset, ...fields }) =>
    makeShare({
      ...fields,
      blockDifficulty: 1n << 70n,
      acceptedAtMs: FOUND_MS - bucket * BUCKET_MS + offset,
    }),
  );
const reward = fc.bigInt(0n, 10n ** 16n);
const fees = fc.record({
  basisPoints: fc.integer({ min: 0, max: 10_000 }),
  overrides: fc.constantFrom(new Map<string, number>(), new Map([['a', 0]])),
});
const window = fc.oneof(
  fc.bigInt(1n, 1n << 30n).map((permille) => ({ of: 'difficulty' as const, permille })),
  fc.integer({ min: 1, max: 86_400_000 }).map((ms) => ({ of: 'time' as const, ms })),
);

function caseOf(scheme: Scheme, shares = fc.array(share, { maxLength: 12 })): fc.Arbitrary<Case> {
  return fc
    .record({ shares, reward, fees, pplnsWindow: window })
    .map(({ shares, reward, fees, pplnsWindow }) => ({
      shares,
      reward,
      rules: {
        ...REWARD_RULES,
        scheme,
        fees,
        pplnsWindow,
        schedule: [{ fromHeight: 0, amount: reward }],
      },
    }));
}

interface Paid {
  readonly chains: bigint;
  /** By owner, the operator's too. */
  readonly due: Record<string, bigint>;
}

/** Books of these shares and one block. */
async function paid({ shares, reward, rules }: Case): Promise<Paid> {
  const { pool } = books;
  await books.empty();
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
  const solution = makeSolution({ account: 'a', foundAtMs: FOUND_MS });
  await recordSolution(books.ledger, solution, 'received', '');
  const block = await newestBlock(pool);
  await sawBlock(pool, block, 'confirmed', { reward });
  await settleAll(pool, rules);
  expect((await verifyBooks(pool)).filter(({ broken }) => broken.length > 0)).toEqual([]);
  return { chains: sumOf(await moneyIn(pool, 'chains')), due: await moneyIn(pool, 'due') };
}

function sumOf(amounts: Record<string, bigint>): bigint {
  return Object.values(amounts).reduce((sum, amount) => sum + amount, 0n);
}

describe.each(SCHEMES)('%s', (scheme) => {
  it('credits exactly what the block pays, and what shares were paid at once', async () => {
    await fc.assert(
      fc.asyncProperty(caseOf(scheme), async (one) => {
        const { chains, due } = await paid(one);
        expect([chains, sumOf(due)]).toEqual([-one.reward, one.reward]);
        if (scheme !== 'pps') expect(due[''] ?? 0n).toBeGreaterThanOrEqual(0n);
      }),
      RUNS,
    );
  });

  it('does not depend on the order of shares within a bucket, nor on their times there', async () => {
    await fc.assert(
      fc.asyncProperty(caseOf(scheme), fc.integer({ min: 0, max: BUCKET_MS - 1 }), async (one, shift) => {
        const moved = one.shares.toReversed().map((share) => {
          const bucket = Math.floor(share.acceptedAtMs / BUCKET_MS) * BUCKET_MS;
          return { ...share, acceptedAtMs: bucket + ((share.acceptedAtMs + shift) % BUCKET_MS) };
        });
        expect(await paid({ ...one, shares: moved })).toEqual(await paid(one));
      }),
      RUNS,
    );
  });

  it('pays the one account that works, less the fee', async () => {
    const alone = fc.array(
      share.map((one) => ({ ...one, account: 'a', blockDifficulty: one.difficulty })),
      {
        minLength: 1,
        maxLength: 1,
      },
    );
    await fc.assert(
      fc.asyncProperty(caseOf(scheme, alone), async (one) => {
        const near = one.shares.map((share) => ({ ...share, acceptedAtMs: FOUND_MS - 1 }));
        const rules = { ...one.rules, pplnsWindow: { of: 'time' as const, ms: 3_600_000 } };
        const { due } = await paid({ ...one, shares: near, rules });
        const fee = (one.reward * BigInt(rules.fees.overrides.get('a') ?? rules.fees.basisPoints)) / 10_000n;
        expect(due['a'] ?? 0n).toBe(one.reward - fee);
      }),
      RUNS,
    );
  });

  it('leaves a block without any work to the operator, or to its finder', async () => {
    await fc.assert(
      fc.asyncProperty(caseOf(scheme, fc.constant([])), async (one) => {
        const { due } = await paid(one);
        expect(sumOf(due)).toBe(one.reward);
        if (scheme !== 'solo') expect(Object.keys(due)).toEqual(one.reward > 0n ? [''] : []);
      }),
      RUNS,
    );
  });
});
