import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../src/core/money/amount.js';
import {
  expectedValue,
  type Fees,
  lastWork,
  type Slice,
  splitByWork,
  type Weight,
} from '../../src/core/money/rewards.js';

const NO_FEE: Fees = { basisPoints: 0, overrides: new Map() };
const account = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const weight = fc.record({ account, work: fc.bigInt(0n, 1n << 90n) });
const weights = fc.array(weight, { maxLength: 20 });
const reward = fc.bigInt(0n, 10n ** 18n);
const fees = fc.record({
  basisPoints: fc.integer({ min: 0, max: 10_000 }),
  overrides: fc.array(fc.tuple(account, fc.integer({ min: 0, max: 10_000 }))).map((pairs) => new Map(pairs)),
});

function paid(reward: bigint, weights: readonly Weight[], fees = NO_FEE): Record<string, bigint> {
  return Object.fromEntries(
    splitByWork(reward, weights, fees).credits.map(({ account, amount }) => [account, amount]),
  );
}

describe('split by work', () => {
  it('sums to the reward exactly, with any fee', () => {
    fc.assert(
      fc.property(reward, weights, fees, (reward, weights, fees) => {
        const { credits, operator } = splitByWork(reward, weights, fees);
        expect(credits.reduce((sum, { amount }) => sum + amount, operator)).toBe(reward);
        expect(operator).toBeGreaterThanOrEqual(0n);
        expect(new Set(credits.map((credit) => credit.account)).size).toBe(credits.length);
        expect(credits.every((credit) => credit.amount > 0n)).toBe(true);
      }),
    );
  });

  it('does not depend on the order of the work, nor on how it is cut', () => {
    fc.assert(
      fc.property(reward, weights, fees, (reward, weights, fees) => {
        const turned = weights.toReversed();
        const halves = weights.flatMap(({ account, work }) => [
          { account, work: work / 2n },
          { account, work: work - work / 2n },
        ]);
        const expected = paid(reward, weights, fees);
        expect(paid(reward, turned, fees)).toEqual(expected);
        expect(paid(reward, halves, fees)).toEqual(expected);
      }),
    );
  });

  it('is off by less than one unit from the exact part', () => {
    fc.assert(
      fc.property(reward, weights, (reward, weights) => {
        const total = weights.reduce((sum, { work }) => sum + work, 0n);
        const work = new Map<string, bigint>();
        for (const one of weights) work.set(one.account, (work.get(one.account) ?? 0n) + one.work);
        for (const [account, amount] of Object.entries(paid(reward, weights))) {
          const difference = amount * total - reward * (work.get(account) ?? 0n);
          expect(difference < total && -difference < total).toBe(true);
        }
      }),
    );
  });

  it('gives all to one account, all to the operator when there is no work or all is fee', () => {
    expect(paid(7n, [{ account: 'a', work: 1n }])).toEqual({ a: 7n });
    expect(splitByWork(7n, [{ account: 'a', work: 0n }], NO_FEE)).toEqual({ credits: [], operator: 7n });
    expect(splitByWork(7n, [], NO_FEE)).toEqual({ credits: [], operator: 7n });
    const all = { basisPoints: 10_000, overrides: new Map([['b', 0]]) };
    const even = [
      { account: 'a', work: 1n },
      { account: 'b', work: 1n },
    ];
    expect(splitByWork(8n, even, all)).toEqual({ credits: [{ account: 'b', amount: 4n }], operator: 4n });
  });

  it('rounds the fee in favour of the account', () => {
    const split = splitByWork(199n, [{ account: 'a', work: 1n }], { basisPoints: 100, overrides: new Map() });
    expect(split).toEqual({ credits: [{ account: 'a', amount: 198n }], operator: 1n });
  });

  it('splits among a million accounts', () => {
    const many = Array.from({ length: 1_000_000 }, (_, i) => ({
      account: `k:${i}`,
      work: BigInt(1 + (i % 97)),
    }));
    const { credits, operator } = splitByWork(10n ** 12n + 7n, many, NO_FEE);
    expect(credits.length).toBe(1_000_000);
    expect(operator).toBe(0n);
    expect(credits.reduce((sum, { amount }) => sum + amount, 0n)).toBe(10n ** 12n + 7n);
  });
});

describe('last work', () => {
  const slices = fc.array(fc.record({ weights }), { maxLength: 8 });
  const workOf = (all: readonly Weight[]): bigint => all.reduce((sum, { work }) => sum + work, 0n);

  it('is all there is when the window is larger', () => {
    fc.assert(
      fc.property(slices, (slices) => {
        const all = slices.flatMap((slice) => slice.weights);
        expect(workOf(lastWork(slices, 1n << 200n))).toBe(workOf(all));
      }),
    );
  });

  it('does not depend on the order within a slice', () => {
    fc.assert(
      fc.property(slices, fc.bigInt(0n, 1n << 92n), reward, (slices, window, reward) => {
        const turned = slices.map((slice) => ({ weights: slice.weights.toReversed() }));
        expect(paid(reward, lastWork(turned, window))).toEqual(paid(reward, lastWork(slices, window)));
      }),
    );
  });

  it('counts the slice in which the window ends by the same fraction for all', () => {
    const slices: Slice[] = [
      { weights: [{ account: 'new', work: 60n }] },
      {
        weights: [
          { account: 'a', work: 300n },
          { account: 'b', work: 100n },
        ],
      },
      { weights: [{ account: 'old', work: 1n }] },
    ];
    expect(paid(100n, lastWork(slices, 100n))).toEqual({ new: 60n, a: 30n, b: 10n });
    expect(paid(100n, lastWork(slices, 0n))).toEqual({});
    expect(paid(100n, lastWork(slices, 60n))).toEqual({ new: 100n });
  });
});

describe('expected value', () => {
  it('never pays more than is due, and loses nothing in the long run', () => {
    const unit = 10n ** 18n;
    fc.assert(
      fc.property(
        fc.bigInt(1n, 10n ** 14n),
        fc.array(fc.bigInt(0n, unit), { maxLength: 30 }),
        (reward, parts) => {
          let rest = 0n;
          let amount = 0n;
          for (const part of parts) {
            const value = expectedValue(reward, part + rest, unit);
            amount += value.amount;
            rest = value.rest;
            expect(rest).toBeGreaterThanOrEqual(0n);
          }
          const due = (reward * parts.reduce((sum, part) => sum + part, 0n)) / unit;
          expect(amount).toBeLessThanOrEqual(due);
          expect(due - amount).toBeLessThanOrEqual(BigInt(parts.length) + 1n);
        },
      ),
    );
    expect(expectedValue(0n, 5n, unit)).toEqual({ amount: 0n, rest: 5n });
  });
});

describe('amount', () => {
  it('is the same after text and back', () => {
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), (amount) => {
        expect(parseAmount(formatAmount(amount))).toBe(amount);
      }),
    );
    expect(['1', '0.5', '-2.000000000001', '1.0000000000001', '1e3', '.5', ''].map(parseAmount)).toEqual([
      10n ** 12n,
      5n * 10n ** 11n,
      -2_000_000_000_001n,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
