/** What new transactions may take of chains, and whom nothing is paid to. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveTransaction } from '../../../../src/bridge/payouts/payer-books.js';
import { fundsOf, roomsOf } from '../../../../src/payouts/payer/rooms.js';
import { faultOf } from '../../../../src/payouts/payer/send.js';
import { planPayments } from '../../../../src/payouts/plan/planner.js';
import { accountOf, coins } from '../../../helpers/payouts/story.js';
import { TERMS } from '../../../helpers/payouts/terms.js';
import { PAYER } from '../../../helpers/payouts/world.js';

const READ = { height: 10, hash: 'h10' };
const terms = { ...TERMS, reserve: coins('0.5'), gasLimit: 1000, gasPrice: coins('0.000001') };

function transaction(more: Partial<LiveTransaction> = {}): LiveTransaction {
  const line = {
    id: '1',
    paymentId: '1',
    payout: 'a',
    account: accountOf(1),
    amount: coins('2'),
    chainId: 0,
  };
  const text = { attempt: 1, cmd: '', requestKey: '', creationTimeS: 0, ttlS: 900, gasLimit: 1000 };
  const state = { state: 'sent', birth: READ, partial: [], deadKeys: [], isAsked: true } as const;
  return { ...line, ...text, ...state, gasPrice: coins('0.000001'), ...more } as LiveTransaction;
}

function roomWith(live: readonly LiveTransaction[], gasLimit = terms.gasLimit) {
  const account = { chainId: 0, read: READ, balance: coins('10'), credits: 0n, debits: 0n };
  const chains = new Map([[0, { chainId: 0, account, trouble: '' }]]);
  return roomsOf({ terms: { ...terms, gasLimit } }, chains, live).get(0);
}
const coinsWith = (...live: LiveTransaction[]): bigint | undefined => roomWith(live)?.coins;

describe('a chain', () => {
  it('has its balance without the reserve', () => expect(coinsWith()).toBe(coins('9.5')));

  it('has not what is under way, nor its gas, until a block that was read has taken it', () => {
    const [left, all] = [coins('7.499'), coins('9.5')];
    for (const state of ['built', 'signed', 'sent', 'unknown', 'included'] as const)
      expect([state, coinsWith(transaction({ state }))]).toEqual([state, left]);
    for (const state of ['confirmed', 'refused'] as const) {
      const at = (height: number) => transaction({ state, included: { height, hash: '' } });
      expect([coinsWith(at(11)), coinsWith(at(10))]).toEqual([left, all]);
    }
    expect(coinsWith(transaction({ chainId: 1 }))).toBe(all);
  });

  it('has places for what fills two blocks, and none beyond that', () => {
    const waiting = (count: number) => Array.from({ length: count }, () => transaction());
    expect([0, 1, 300, 301].map((count) => roomWith(waiting(count))?.places)).toEqual([300, 299, 0, 0]);
    expect(roomWith([], 150_000)?.places).toBe(2);
  });

  it('has nothing where more is under way than it has, and no room at all in trouble or before it was read', () => {
    expect(coinsWith(transaction({ amount: coins('9.8') }))).toBe(0n);
    const account = { chainId: 0, read: READ, balance: coins('10'), credits: 0n, debits: 0n };
    const chains = new Map([
      [0, { chainId: 0, account, trouble: 'the node lags' }],
      [1, { chainId: 1, account: undefined, trouble: '' }],
    ]);
    expect([...roomsOf({ terms }, chains, [])]).toEqual([]);
  });
});

it('31: whatever is under way or waits for a transaction, a plan leaves a chain its reserve', () => {
  const amount = fc.oneof(fc.bigInt(1n, 10n ** 14n), fc.constantFrom(1n, 10n ** 12n, 10n ** 20n));
  const price = fc.bigInt(1n, 10n ** 6n);
  const live = fc
    .record({ amount, gasLimit: fc.nat(2500), gasPrice: price })
    .map((given) => ({ ...given, cost: given.amount + BigInt(given.gasLimit) * given.gasPrice }));
  const world = fc.record({
    balance: amount,
    reserve: amount,
    gasPrice: price,
    live: fc.array(live, { maxLength: 5 }),
  });
  const lines = fc.record({ lines: fc.integer({ min: 1, max: 3 }), amount, isApproved: fc.boolean() });
  fc.assert(
    fc.property(world, fc.array(lines, { maxLength: 2 }), fc.array(amount), (chain, waiting, amounts) => {
      const read = { chainId: 0, read: READ, balance: chain.balance, credits: 0n, debits: 0n };
      const given = { terms: { ...terms, reserve: chain.reserve, gasPrice: chain.gasPrice } };
      const gas = BigInt(given.terms.gasLimit) * chain.gasPrice;
      const chains = fundsOf(
        given,
        new Map([[0, { chainId: 0, account: read, trouble: '' }]]),
        chain.live.map((one) => transaction(one)),
        waiting.map((one) => ({ ...one, chainId: 0 })),
      );
      const payments = amounts.map((one, i) => ({
        id: String(i),
        account: 'k:a',
        amount: one,
        minimum: 1n,
        wishedChain: undefined,
      }));
      const planned = planPayments({ payments, chains, gas, split: true });
      const under = chain.live.reduce((sum, { cost }) => sum + cost, 0n);
      const bespoken = waiting.reduce((sum, one) => sum + one.amount + BigInt(one.lines) * gas, 0n);
      const spent = planned.lines.reduce((sum, line) => sum + line.amount + gas, 0n);
      if (spent > 0n) expect(chain.balance - under - bespoken - spent >= chain.reserve).toBe(true);
    }),
  );
});

it('nothing is paid to the account that pays, nor to one that no key names', () => {
  expect(faultOf({ terms }, PAYER.account)).toBe('it is the account that pays');
  expect(faultOf({ terms }, 'somebody')).toMatch(/only accounts named by their key/);
  expect(faultOf({ terms }, accountOf(1))).toBeUndefined();
});
