/** What a signer's log holds, on its way through quicksign. */
import { expect, it } from 'vitest';
import {
  type AskedPage,
  pageJson,
  pageOf,
  readAskedPage,
  readPage,
  type SignedPage,
} from '../../../src/payouts/signer/signed-list.js';
import type { SignedBefore } from '../../../src/payouts/signer/signer.js';

const SIGNED: SignedBefore = {
  ...{ ledgerId: 'books', paymentId: '31', attempt: 2, requestKey: 'k'.repeat(43), chainId: 19 },
  ...{ amount: 1_500_000_000_000n, creationTimeS: 1_790_000_000, ttlS: 900 },
};
const told = (change: object) => {
  const [first] = JSON.parse(JSON.stringify(pageJson({ list: [SIGNED], next: undefined }))).list;
  return readPage({ list: [{ ...first, ...change }] });
};

it('comes back as it was, in pages that follow on each other', () => {
  const all = Array.from({ length: 20_001 }, (_, i) => ({ ...SIGNED, paymentId: String(i + 1) }));
  const read: SignedBefore[] = [];
  let pages = 0;
  for (let from: number | undefined = 0; from !== undefined; pages++) {
    const asked: AskedPage = readAskedPage({ ledgers: ['books'], from }) ?? expect.fail();
    const page: SignedPage =
      readPage(JSON.parse(JSON.stringify(pageJson(pageOf(all, asked))))) ?? expect.fail();
    read.push(...page.list);
    from = page.next;
  }
  expect([pages, read.length]).toEqual([3, 20_001]);
  expect(read).toEqual(all);
});

it.each([
  { requestKey: 'short' },
  { payment: '9223372036854775808' },
  { attempt: 0 },
  { attempt: 1_000_000_000 },
  { amount: '-1' },
  { amount: 1.5 },
  { chain: -1 },
  { created: 1.5 },
  { ttl: '900' },
])('is believed of no program that says %j', (change) => {
  expect(told({})).toEqual({ list: [SIGNED], next: undefined });
  expect(told(change)).toBeUndefined();
});

it.each([{}, { ledgers: 'books', from: 0 }, { ledgers: [1], from: 0 }, { ledgers: ['books'], from: -1 }])(
  'is asked for by nobody who says %j',
  (asked) => {
    expect(readAskedPage(asked)).toBeUndefined();
  },
);
