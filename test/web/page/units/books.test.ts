/** How the page says and merges what comes of the books: pure functions, compared with the rooms whose words they share. */

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { csvLine, csvText } from '../../../../src/core/names/csv.js';
import type {
  ChainTransaction,
  EventView,
  PaidLine,
  Payout,
} from '../../../../src/web/page/reading/answers.js';
import type { Ask } from '../../../../src/web/page/reading/ask.js';
import { askForBlocks } from '../../../../src/web/page/reading/blocks.js';
import { merged } from '../../../../src/web/page/views/activity/timeline.js';
import { kindWords } from '../../../../src/web/page/words/kinds.js';
import { lineState, payoutCsv, payoutState, stepsOf } from '../../../../src/web/page/words/payouts.js';
import { valueWords, yamlLine } from '../../../../src/web/page/words/settings.js';

it('a kind of event is said in words', () => {
  expect(kindWords('blockFound')).toBe('block found');
});

it('blocks are saved with one head, page after page from the last id of the one before', async () => {
  const asked: string[] = [];
  const page = (from: number, rows: number) =>
    ['id,state', ...Array.from({ length: rows }, (_, i) => `${from - i},pending`), ''].join('\r\n');
  const ask = {
    open: async (path: string) => {
      asked.push(path);
      return new Response(asked.length === 1 ? page(3000, 1000) : page(2000, 2));
    },
  } as unknown as Ask;
  const query = new URLSearchParams({ state: 'pending' });
  const text = await askForBlocks(ask, query, new AbortController().signal);
  expect(asked).toEqual([
    '/api/v1/blocks?state=pending&limit=1000',
    '/api/v1/blocks?state=pending&limit=1000&before=2001',
  ]);
  const lines = text.trimEnd().split('\r\n');
  expect([lines.length, lines[0], lines.at(-1), text.endsWith('\r\n')]).toEqual([
    ...[1003, 'id,state', '1999,pending', true],
  ]);
});

describe('lines of the timeline', () => {
  const line = (key: string, time: string): EventView => ({
    ...{ key, time, kind: 'banned', says: '', facts: {}, instance: 0, by: null },
  });

  it('stand once, those that the ledger does not have yet above', () => {
    const kept = [line('b', '2026-01-01T00:00:02Z'), line('a', '2026-01-01T00:00:01Z')];
    const told = [line('c', '2026-01-01T00:00:03Z'), line('b', '2026-01-01T00:00:02Z')];
    expect(merged(told, kept).map(({ key }) => key)).toEqual(['c', 'b', 'a']);
    expect(merged(told, []).map(({ key }) => key)).toEqual(['c', 'b']);
  });

  it('are left to the pages behind when they are older than all on the first', () => {
    const kept = [line('z', '2026-01-01T00:00:09Z')];
    expect(merged([line('c', '2026-01-01T00:00:03Z')], kept).map(({ key }) => key)).toEqual(['z']);
  });
});

describe('a payout as CSV', () => {
  it('is what `stratum-bridge ledger payout` writes, whatever accounts are called', () => {
    const names = ['k:aa', 'a,b', 'say "x"', '=SUM(A1)', '-1', 'two words', '@x', 'ä'];
    const lines = names.map((account, i) => ({
      account,
      chainId: i || null,
      amount: '1.500000000000',
      state: 'prepared',
    }));
    const rows = names.map((name, i) => csvLine(['7', csvText(name), '1.500000000000', String(i || '')]));
    expect(payoutCsv('7', lines)).toBe([csvLine(['batch', 'account', 'amount', 'chain']), ...rows].join(''));
    const one = { account: 'paid', chainId: null, amount: '1', state: 'sent' };
    expect(payoutCsv('7', [one, ...lines])).toBe(payoutCsv('7', lines));
    expect(payoutCsv('7', [one])).toContain('paid');
  });
});

describe('WB21: what is only sent is never called paid', () => {
  const payments = { prepared: 0, sent: 0, confirmed: 0, failed: 0, unknown: 0 };
  const payout = (state: Payout['state'], more: object, facts: Partial<Payout> = {}): Payout => ({
    ...{ id: '1', name: '3f9ea-1', chainId: null, preparedAt: '', changedAt: '', minimum: '1', note: '' },
    ...{
      total: '5',
      accounts: 2,
      isSettled: false,
      hash: 'ab',
      approvals: 0,
      approvalWhy: '',
      approvedBy: [],
    },
    ...{ state, payments: { ...payments, ...more }, ...facts },
  });
  const byHand = { hash: null };
  const steps = (of: Payout, underWay = 0) =>
    stepsOf(of, underWay).map(({ count, words, isDone }) => `${count} ${words}${isDone ? '' : ' …'}`);

  it('in a payout on chain', () => {
    const waits = payout('prepared', { prepared: 3 }, { approvals: 2, approvedBy: ['alice'] });
    expect(payoutState(waits).words).toBe('to approve');
    expect(steps(waits)).toEqual(['3 planned', '1 of 2 approved …', '0 sent …', '0 in a block …']);
    const paying = payout('prepared', { prepared: 2, confirmed: 1 });
    expect(payoutState(paying).words).toBe('under way');
    expect(steps(paying, 2)).toEqual(['3 planned', '3 sent', '1 in a block …']);
    const settled = payout('sent', { confirmed: 2, failed: 1 });
    expect(payoutState(settled).words).toBe('settled');
    expect(steps(settled)).toEqual(['3 planned', '2 sent …', '2 in a block …', '1 failed …']);
  });

  it('in a payout by hand', () => {
    expect(payoutState(payout('prepared', { prepared: 2 }, byHand)).words).toBe('planned');
    const sent = payout('sent', { sent: 1, confirmed: 1 }, byHand);
    expect(payoutState(sent).words).toBe('sent');
    expect(steps(sent)).toEqual(['2 planned', '2 sent', '1 confirmed …']);
    expect(payoutState(payout('failed', { failed: 2 }, byHand)).words).toBe('failed');
  });

  it('in a single payment', () => {
    const line = (state: PaidLine['state']): PaidLine => ({
      ...{ account: 'k:aa', chainId: 0, amount: '1', state, requestKey: null, note: '', changedAt: '' },
    });
    const transaction = (sentAt: string | null) => ({ state: 'open', sentAt }) as ChainTransaction;
    const words = (state: PaidLine['state'], of?: ChainTransaction) => lineState(line(state), of).words;
    expect(words('prepared')).toBe('planned');
    expect(words('prepared', transaction(null))).toBe('signed');
    expect(words('prepared', transaction('2026-01-01T00:00:00Z'))).toBe('sent');
    expect(words('confirmed', transaction('2026-01-01T00:00:00Z'))).toBe('confirmed');
  });
});

describe('values of settings', () => {
  it('WB24: are copied as a line of a file', () => {
    const values = [
      ...['10s', '4MiB', '', 'daily 06:00 UTC', '1', 'yes', '::1', 'http://127.0.0.1:1848', 'a: b'],
      ...[10, 1e18, false, [], ['a', '*'], { ann: { access: 'read' } }],
    ];
    expect(values.map((value) => yamlLine({ key: 'a.b', value }))).toEqual([
      ...['a.b: 10s', 'a.b: 4MiB', 'a.b: ""', 'a.b: daily 06:00 UTC', 'a.b: "1"', 'a.b: "yes"', 'a.b: "::1"'],
      ...['a.b: http://127.0.0.1:1848', 'a.b: "a: b"', 'a.b: 10', 'a.b: 1e18', 'a.b: false', 'a.b: []'],
      ...['a.b: [a, "*"]', 'a.b: {ann: {access: read}}'],
    ]);
    for (const value of values) expect(parse(yamlLine({ key: 'k', value }))).toEqual({ k: value });
  });

  it('are shown as they were written', () => {
    expect(['', [], ['a', 5], { a: 1 }, 0, false, '***'].map(valueWords)).toEqual([
      ...['none', 'none', 'a, 5', '{a: 1}', '0', 'false', '***'],
    ]);
  });
});
