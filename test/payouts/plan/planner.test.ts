/** Payments over chains (31): never over what there is, never under the reserve, the same plan twice. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Amount, parseAmount } from '../../../src/core/money/amount.js';
import {
  type ChainFunds,
  type PaymentDue,
  type PlanInput,
  planPayments,
} from '../../../src/payouts/plan/planner.js';

const coins = (text: string): Amount => parseAmount(text) ?? expect.fail(text);
const GAS = coins('0.001');
const due = (id: number, amount: string, wishedChain?: number): PaymentDue => ({
  ...{ id: String(id), account: `k:${id}`, amount: coins(amount), minimum: coins('1') },
  wishedChain,
});
const chain = (chainId: number, available: string): ChainFunds => ({ chainId, available: coins(available) });

/** `id chain amount`, in order. */
function planned(payments: readonly PaymentDue[], chains: readonly ChainFunds[], split = true): string[] {
  const { lines, waiting } = planPayments({ payments, chains, gas: GAS, split });
  return [
    ...lines.map(({ id, chainId, amount }) => `${id} on ${chainId}: ${Number(amount) / 1e12}`),
    ...waiting.map(({ id, why }) => `${id} waits: ${why}`),
  ];
}

describe('a plan', () => {
  it('serves wishes first, the oldest first, on that chain or not now', () => {
    const chains = [chain(0, '10'), chain(1, '100')];
    expect(
      planned([due(1, '50'), due(2, '6', 0), due(3, '5', 0), due(4, '3', 0), due(5, '1', 7)], chains),
    ).toEqual([
      '2 on 0: 6',
      '4 on 0: 3',
      '1 on 1: 50',
      '3 waits: chain 0, where it is wished for, has 3.999 to spend, and with its gas it takes 5.001',
      '5 waits: nothing is paid on chain 7 now, and it is wished for there',
    ]);
  });

  it('puts the largest on the fullest chain', () => {
    expect(planned([due(1, '1'), due(2, '5'), due(3, '4')], [chain(0, '8'), chain(1, '9')])).toEqual([
      '2 on 1: 5',
      '3 on 0: 4',
      '1 on 0: 1',
    ]);
  });

  it('spends a chain to the last unit, and not one more', () => {
    expect(planned([due(1, '7.999')], [chain(0, '8')])).toEqual(['1 on 0: 7.999']);
    expect(planned([due(1, '7.999000000001')], [chain(0, '8')])).toEqual([
      '1 waits: all chains together have 7.999 to spend in parts of at least 1.0, and it takes 7.999000000001',
    ]);
  });

  it('splits what is larger than any chain, in parts from the minimum up, or lets it wait', () => {
    const chains = [chain(0, '5.001'), chain(1, '3.001'), chain(2, '1.5')];
    expect(planned([due(1, '7')], chains)).toEqual(['1 on 0: 5', '1 on 1: 2']);
    // The last part would be half a coin.
    expect(planned([due(1, '5.5')], chains)).toEqual(['1 on 0: 4.5', '1 on 1: 1']);
    expect(planned([due(1, '9')], chains)).toEqual(['1 on 0: 5', '1 on 1: 3', '1 on 2: 1']);
    expect(planned([due(1, '7')], chains, false)).toEqual([
      '1 waits: no chain has 7.001 to spend (the most: 5.001 on chain 0), and it is not split',
    ]);
    expect(planned([due(1, '1.9')], [chain(0, '1.501'), chain(1, '1.501')])).toEqual([
      '1 waits: it would take 2 parts, of which one is below the minimum of 1.0',
    ]);
    expect(planned([due(1, '1')], [])).toEqual(['1 waits: nothing is paid on any chain now']);
  });

  it('lets one wait, and pays the others', () => {
    expect(planned([due(1, '1000'), due(2, '1')], [chain(0, '5')])).toEqual([
      '2 on 0: 1',
      expect.stringMatching(/^1 waits: all chains together/),
    ]);
  });
});

const amount = fc.oneof(
  fc.bigInt(1n, 10n ** 14n),
  fc.bigInt(1n, 10n ** 32n),
  fc.constantFrom(1n, 10n ** 12n),
);
const inputs: fc.Arbitrary<PlanInput> = fc.record({
  payments: fc.array(
    fc.record({
      id: fc.nat().map(String),
      account: fc.constant('k:a'),
      amount,
      wishedChain: fc.option(fc.nat(6), { nil: undefined }),
      minimum: fc.oneof(fc.constant(0n), fc.bigInt(1n, 10n ** 13n)),
    }),
    { maxLength: 30 },
  ),
  chains: fc.uniqueArray(fc.record({ chainId: fc.nat(19), available: fc.oneof(fc.constant(0n), amount) }), {
    maxLength: 20,
    selector: ({ chainId }) => chainId,
  }),
  gas: fc.bigInt(1n, 10n ** 12n),
  split: fc.boolean(),
});

describe('any plan (31)', () => {
  it('spends no more of a chain than there is, gas with it', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { lines } = planPayments(input);
        for (const { chainId, available } of input.chains) {
          const own = lines.filter((line) => line.chainId === chainId);
          const spent = own.reduce((sum, line) => sum + line.amount + input.gas, 0n);
          expect(spent <= available).toBe(true);
        }
        const known = input.chains.map(({ chainId }) => chainId);
        expect(lines.filter(({ chainId }) => !known.includes(chainId))).toEqual([]);
      }),
    );
  });

  it('pays each payment whole or not at all, on the chain that was wished for, in parts that are not too small', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const payments = given.payments.map((one, i) => ({ ...one, id: String(i) }));
        const { lines, waiting } = planPayments({ ...given, payments });
        for (const { id, amount: whole, wishedChain, minimum } of payments) {
          const own = lines.filter((line) => line.id === id);
          const waits = waiting.filter((one) => one.id === id);
          expect([own.length > 0, waits.length]).toEqual([waits.length === 0, own.length === 0 ? 1 : 0]);
          if (own.length === 0) continue;
          expect(own.reduce((sum, line) => sum + line.amount, 0n)).toBe(whole);
          expect(own.map(({ part, parts }) => [part, parts])).toEqual(own.map((_, i) => [i + 1, own.length]));
          if (wishedChain !== undefined) expect(own.map(({ chainId }) => chainId)).toEqual([wishedChain]);
          if (own.length > 1) {
            expect([given.split, new Set(own.map(({ chainId }) => chainId)).size]).toEqual([
              true,
              own.length,
            ]);
            for (const line of own) expect(line.amount >= minimum && line.amount > 0n).toBe(true);
          }
        }
      }),
    );
  });

  it('lets nobody wait who fits on a chain as it is left', () => {
    fc.assert(
      fc.property(inputs, (given) => {
        const payments = given.payments.map((one, i) => ({ ...one, id: String(i) }));
        const { lines, waiting } = planPayments({ ...given, payments });
        const left = (chainId: number, available: Amount): Amount =>
          lines
            .filter((line) => line.chainId === chainId)
            .reduce((sum, line) => sum - line.amount - given.gas, available);
        for (const { id, amount: whole } of waiting) {
          const wish = payments[Number(id)]?.wishedChain;
          const fits = given.chains.filter(
            ({ chainId, available }) => left(chainId, available) >= whole + given.gas,
          );
          expect(fits.filter(({ chainId }) => wish === undefined || wish === chainId)).toEqual([]);
        }
      }),
    );
  });

  it('is the same twice, and changes nothing of what it is given', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const before = structuredClone(input);
        const plan = planPayments(input);
        expect(planPayments(structuredClone(input))).toEqual(plan);
        expect(planPayments({ ...input, chains: [...input.chains].reverse() })).toEqual(plan);
        expect(input).toEqual(before);
      }),
    );
  });

  it('of ten thousand lines on twenty chains is exact (30)', () => {
    const payments = Array.from({ length: 10_000 }, (_, i): PaymentDue => {
      const wished = i % 7 === 0 ? i % 20 : undefined;
      return {
        id: String(i),
        account: 'k:a',
        amount: 10n ** 12n + BigInt((i * 7919) % 10_007),
        minimum: 1n,
        wishedChain: wished,
      };
    });
    const chains = Array.from({ length: 20 }, (_, chainId) => chain(chainId, '600'));
    const { lines, waiting } = planPayments({ payments, chains, gas: GAS, split: true });
    const sum = (all: readonly { amount: Amount }[]): Amount =>
      all.reduce((whole, one) => whole + one.amount, 0n);
    expect([waiting, sum(lines)]).toEqual([[], sum(payments)]);
  });
});
