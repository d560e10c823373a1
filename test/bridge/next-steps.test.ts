/** What a newcomer is told of each state of a batch: what it waits for, and what to do. */
import { describe, expect, it } from 'vitest';
import { nextSteps } from '../../src/bridge/watch/next-steps.js';
import type { PayerChainReport, WaitingLines } from '../../src/bridge/watch/payer-watch.js';

const lines = (more: Partial<WaitingLines>): WaitingLines => ({
  ...{ payout: '3f9ea-7', contentHash: '41d0', approvals: 0, approvalFor: null, isRejected: false },
  ...{ chainId: 3, transaction: null, lines: 2, untilMs: null },
  ...more,
});
const chain = (more: Partial<PayerChainReport> = {}): PayerChainReport => ({
  ...{
    chainId: 3,
    height: 9,
    balance: '4',
    waiting: '9',
    missing: '0',
    lines: 2,
    head: undefined,
    trouble: '',
  },
  ...more,
});
const says = (waits: readonly WaitingLines[], chains = [chain()], only?: string) =>
  nextSteps({ waits, chains, account: 'k:ab', nowMs: 0 }, only);

describe('the next step of a batch', () => {
  it('is none where none is under way', () => {
    expect(says([])).toEqual([]);
  });

  it('is its approval, by name and content hash, whatever else is wrong', () => {
    const unapproved = lines({ approvals: 2, approvalFor: 'payouts.mode is approve' });
    expect(says([unapproved], [chain({ missing: '5', trouble: 'too few nodes agree' })])).toEqual([
      'payout 3f9ea-7 waits for approval (payouts.mode is approve; 2 more): look at it with `ledger payout status 3f9ea-7 --lines`, then `ledger payout approve 3f9ea-7 --hash 41d0`',
    ]);
  });

  it('is none of one that was rejected: what was signed of it is followed', () => {
    const rejected = lines({ isRejected: true, approvals: 1, transaction: 'built', untilMs: 60_000 });
    expect(says([rejected])).toEqual([
      expect.stringMatching(/^payout 3f9ea-7 is rejected: 2 payments .*; nothing is to be done$/),
    ]);
  });

  it('is to send coins: to whom, where, and how many', () => {
    expect(says([lines({})], [chain({ missing: '5.000020000000' })])).toEqual([
      'payout 3f9ea-7: 2 payments on chain 3 wait for coins: send 5.000020000000 to k:ab there; other chains go on',
    ]);
  });

  it('is what is wrong with a chain, of what is not on its way there', () => {
    const chains = [chain({ trouble: 'too few nodes agree' })];
    expect(says([lines({ lines: 1 }), lines({ transaction: 'sent' })], chains)).toEqual([
      'payout 3f9ea-7: 1 payment on chain 3: too few nodes agree',
      'payout 3f9ea-7: 2 payments on the way into a block; nothing is to be done',
    ]);
  });

  it('is none where the time to sign has passed, or a block would come too late', () => {
    const late = lines({ transaction: 'built', untilMs: 59_000 });
    expect(says([late, lines({ transaction: 'built', untilMs: 61_000, lines: 1 })])).toEqual([
      'payout 3f9ea-7: 2 payments to be built anew once no block can have what was not signed in time (payouts.ttl); nothing is to be done',
      expect.stringMatching(/^payout 3f9ea-7: 1 payment to be signed until 1970-01-01T00:01:01.000Z: /),
    ]);
  });

  it('is signatures, and until when', () => {
    const early = lines({ transaction: 'built', untilMs: 60_000 });
    const late = lines({ transaction: 'built', chainId: 4, untilMs: 90_000 });
    expect(says([early, late], [chain(), chain({ chainId: 4 })])).toEqual([
      expect.stringMatching(
        /^payout 3f9ea-7: 4 payments to be signed until 1970-01-01T00:01:00.000Z: .*`ledger payout export FILE`, sign, `ledger payout import FILE`$/,
      ),
    ]);
  });

  it.each([
    [null, /: 2 payments to be built next$/],
    ['signed', /: 2 payments on the way into a block; nothing is to be done$/],
    ['included', /: 2 payments in a block, .*; nothing is to be done$/],
    ['unknown', /: 2 payments unknown: `ledger payout evidence PAYMENT`/],
  ] as const)('of transactions that are %s', (transaction, words) => {
    expect(says([lines({ transaction })])).toEqual([expect.stringMatching(words)]);
  });

  it('is told of one batch alone, by its name', () => {
    const both = [lines({}), lines({ payout: '3f9ea-8' })];
    expect(says(both, [chain()], '3f9ea-8')).toEqual(['payout 3f9ea-8: 2 payments to be built next']);
    expect(says(both)).toHaveLength(2);
  });
});
