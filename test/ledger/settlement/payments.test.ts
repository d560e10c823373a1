/** Payouts: what is due goes on hold once, and what became of each payment moves its amount. */
import { beforeEach, describe, expect, it } from 'vitest';
import { formatAmount, parseAmount } from '../../../src/core/money/amount.js';
import { setAccountTerms } from '../../../src/ledger/accounts/accounts.js';
import { allowAccounts, holdAccount } from '../../../src/ledger/payer/orders.js';
import { correctBalance } from '../../../src/ledger/payments/by-hand.js';
import { type Mark, markPayout } from '../../../src/ledger/payments/mark.js';
import { payoutAsCsv, payoutAsJson } from '../../../src/ledger/payments/payout-files.js';
import type { BookedPayout } from '../../../src/ledger/payments/payouts.js';
import { preparePayout } from '../../../src/ledger/payments/prepare.js';
import { REWARD_RULES } from '../../../src/ledger/rules/rule-table.js';
import { writeFirstRules } from '../../../src/ledger/rules/rules.js';
import { timelineBook } from '../../../src/ledger/timeline.js';
import type { PaymentOutcome } from '../../../src/operations/enums.js';
import { useBooks } from '../../helpers/books/books.js';
import { payoutsIn } from '../../helpers/books/lists.js';
import { coinsIn, expectProved, giveMoney } from '../../helpers/books/money.js';
import { runHere } from '../../helpers/processes/command.js';

const coins = (text: string): bigint => parseAmount(text) ?? expect.fail(`no amount: ${text}`);

const books = useBooks();

beforeEach(() => books.empty());

async function earn(amounts: Record<string, string> = { a: '5', b: '4', small: '1' }): Promise<void> {
  for (const [name, text] of Object.entries(amounts)) await giveMoney(books.pool, name, coins(text));
}

const prepareAny = (minimum: string, chainId: number | null = null) =>
  preparePayout(books.pool, { minimum: coins(minimum), chainId });
const prepare = async (minimum: string, chainId?: number): Promise<BookedPayout> =>
  (await prepareAny(minimum, chainId)) ?? expect.fail('nothing is due');
const mark = (which: string, outcome: PaymentOutcome, more: Omit<Mark, 'outcome'> = {}) =>
  markPayout(books.pool, which, { outcome, ...more });

const balancesOf = (kind: Parameters<typeof coinsIn>[1]) => coinsIn(books.pool, kind);
const expectBalanced = () => expectProved(books.pool);

describe('payouts', () => {
  it('are the same until they are marked, and never pay twice', async () => {
    await earn();
    const payouts = await Promise.all([1, 2, 3].map(() => prepareAny('2')));
    expect(new Set(payouts.map((payout) => payout?.name)).size).toBe(1);
    const payout = payouts[0] ?? expect.fail();
    expect(payout).toMatchObject({ state: 'prepared', total: '9.000000000000', chainId: null });
    expect(payout.name).toMatch(new RegExp(`^[0-9a-f]{5}-${payout.id}$`));
    expect(payoutAsCsv(payout)).toBe(
      `batch,account,amount,chain\r\n${payout.name},a,5.000000000000,\r\n${payout.name},b,4.000000000000,\r\n`,
    );
    expect(JSON.parse(payoutAsJson(payout))).toEqual(payout);
    expect(await balancesOf('due')).toEqual({ small: '1' });
    await mark(payout.id, 'sent', { note: 'tx 1' });
    await mark(payout.name, 'sent', { note: 'tx 2' });
    expect(await balancesOf('paid')).toEqual({ a: '5', b: '4' });
    await expect(mark(payout.id, 'failed')).rejects.toThrow('is sent, which is final');
    expect(await prepareAny('2')).toBeUndefined();
    expect((await payoutsIn(books.pool)).map(({ state, note }) => [state, note])).toEqual([['sent', 'tx 1']]);
    await expectBalanced();
  });

  it('give amounts back when they failed', async () => {
    await earn();
    const payout = await prepare('1');
    await mark(payout.id, 'failed');
    expect(await balancesOf('due')).toEqual({ a: '5', b: '4', small: '1' });
    const again = await prepare('1');
    expect(again.name).not.toBe(payout.name);
    expect(again.lines.map(({ account, amount }) => [account, amount])).toEqual(
      payout.lines.map(({ account, amount }) => [account, amount]),
    );
    expect((await payoutsIn(books.pool)).map((one) => one.state)).toEqual(['prepared', 'failed']);
    await expectBalanced();
  });

  it('keep an unknown outcome on hold', async () => {
    await earn();
    const payout = await prepare('4');
    await mark(payout.id, 'unknown', { note: 'the wallet timed out' });
    expect(await balancesOf('paying')).toEqual({ a: '5', b: '4' });
    expect((await prepare('1')).lines).toMatchObject([{ account: 'small', amount: '1.000000000000' }]);
    await mark(payout.id, 'sent');
    expect(await balancesOf('paid')).toEqual({ a: '5', b: '4' });
    await expectBalanced();
  });

  it('take an account from its own minimum on', async () => {
    await earn({ a: '5', big: '50', small: '1' });
    await setAccountTerms(books.pool, 'big', { minimumPayout: coins('60') }, 'test');
    await setAccountTerms(books.pool, 'small', { minimumPayout: coins('0.5') }, 'test');
    expect((await prepare('2')).lines.map(({ account }) => account)).toEqual(['a', 'small']);
    await earn({ big: '10' });
    expect(await prepareAny('1', 3)).toMatchObject({
      lines: [{ account: 'big', amount: '60.000000000000' }],
    });
  });

  it('PA30: leave out an account that is on hold, also where they are made by hand', async () => {
    await earn();
    await holdAccount(books.pool, 'a', { note: 'disputed', by: 'test' });
    expect((await prepare('1')).lines.map(({ account }) => account)).toEqual(['b', 'small']);
    await allowAccounts(books.pool, 'a', { note: '', by: 'test' });
    expect((await prepareAny('1', 3))?.lines.map(({ account }) => account)).toEqual(['a']);
  });

  it('are open for several chains at a time, one for each', async () => {
    await earn();
    const none = await prepare('1');
    await earn();
    const third = await prepare('1', 3);
    await earn();
    const fourth = await prepare('1', 4);
    await earn();
    expect([await prepare('1', 3), await prepare('1', 4), await prepare('1')]).toEqual([third, fourth, none]);
    expect((await payoutsIn(books.pool)).map(({ chainId }) => chainId)).toEqual([4, 3, null]);
    await mark(third.id, 'sent');
    expect((await prepare('1', 3)).id).not.toBe(third.id);
    await expectBalanced();
  });

  it('that are paid in part list what is left, and nothing that is not due any more', async () => {
    await earn({ a: '5', b: '4', c: '1' });
    const { id, name } = await prepare('1');
    await mark(id, 'sent', { accounts: ['a', 'b'] });
    const rest = await prepare('1');
    expect([rest.name, payoutAsCsv(rest)]).toEqual([
      name,
      `batch,account,amount,chain\r\n${name},c,1.000000000000,\r\n`,
    ]);
    await holdAccount(books.pool, 'c', { note: 'disputed', by: 'a test' });
    await expect(prepare('1')).rejects.toThrow(`\`ledger payout mark ${name} failed --line c\``);
    await allowAccounts(books.pool, 'c', { note: 'settled', by: 'a test' });
    // As where blocks were taken back.
    await correctBalance(books.pool, {
      account: 'c',
      amount: -coins('0.5'),
      note: 'taken back',
      by: 'a test',
    });
    await expect(prepare('1')).rejects.toThrow('account c has no longer what it is to be paid');
    await mark(id, 'failed', { accounts: ['c'] });
    expect(await prepareAny('1')).toBeUndefined();
    await expectBalanced();
  });

  it('are paid where an account wishes it, and left out of what is paid on another chain', async () => {
    await earn({ a: '5', b: '4' });
    await setAccountTerms(books.pool, 'a', { wishedChain: 7, note: 'an exchange' }, 'a test');
    const chainsOf = ({ lines }: BookedPayout) => lines.map(({ account, chainId }) => [account, chainId]);
    const third = await prepare('1', 3);
    expect(chainsOf(third)).toEqual([['b', 3]]);
    await mark(third.id, 'failed');
    const any = await prepare('1');
    expect(chainsOf(any)).toEqual([
      ['a', 7],
      ['b', null],
    ]);
    expect(payoutAsCsv(any)).toContain(',a,5.000000000000,7\r\n');
    await mark(any.id, 'failed', { accounts: ['a'] });
    expect(chainsOf(await prepare('1', 7))).toEqual([['a', 7]]);
    await expectBalanced();
  });

  it('are not prepared beside a bridge that pays on chain; beside one that ended without leaving, where rules say that people pay', async () => {
    await earn();
    const holder = (ago: string) =>
      books.pool.query(`UPDATE payer SET holder = 'a place', heard_at = now() - interval '${ago}'`);
    await writeFirstRules(books.pool, { ...REWARD_RULES, payoutMode: 'manual' }, 'a test');
    await holder('1 second');
    await expect(prepareAny('1')).rejects.toThrow('the bridge at a place pays on chain');
    await holder('1 minute');
    expect((await prepare('1')).lines).toHaveLength(3);
    await books.empty();
    await earn();
    await writeFirstRules(books.pool, { ...REWARD_RULES, payoutMode: 'approve' }, 'a test');
    await holder('1 minute');
    await expect(prepareAny('1')).rejects.toThrow('`ledger rules set --payouts-mode manual`');
  });

  it('refuse what makes no sense, in words', async () => {
    await expect(prepareAny('0')).rejects.toMatchObject({ code: 'refused' });
    await expect(mark('99', 'sent')).rejects.toThrow('there is no payout 99');
    await expect(mark('zzzzz-99', 'sent')).rejects.toThrow('there is no payout zzzzz-99');
    await expect(mark("1'; --", 'sent')).rejects.toThrow('a payout has a name');
  });

  it('write account names so that no spreadsheet reads more into them', async () => {
    await earn({ '=cmd|"x",1': '1' });
    const payout = await prepare('1');
    expect(payoutAsCsv(payout)).toContain(`${payout.name}," =cmd|""x"",1",1.000000000000,\r\n`);
  });
});

describe('payments', () => {
  const statesOf = ({ lines }: BookedPayout) =>
    Object.fromEntries(lines.map(({ account, state }) => [account, state]));

  it('have each a state of its own, and the payout follows from them', async () => {
    await earn();
    const { id } = await prepare('1');
    const one = await mark(id, 'failed', { accounts: ['small'], note: 'no such account' });
    expect([one.state, statesOf(one)]).toEqual([
      'prepared',
      { a: 'prepared', b: 'prepared', small: 'failed' },
    ]);
    expect(one.lines[2]?.note).toBe('no such account');
    const two = await mark(id, 'unknown', { accounts: ['b'] });
    expect(two.state).toBe('prepared');
    const three = await mark(id, 'sent', { accounts: ['a'], requestKey: 'key of a' });
    expect([three.state, three.lines[0]?.requestKey]).toEqual(['unknown', 'key of a']);
    // What is known of the others stays.
    const all = await mark(id, 'sent');
    expect([all.state, statesOf(all)]).toEqual(['sent', { a: 'sent', b: 'sent', small: 'failed' }]);
    expect([await balancesOf('paid'), await balancesOf('due')]).toEqual([{ a: '5', b: '4' }, { small: '1' }]);
    const seen = await mark(id, 'confirmed', { accounts: ['a'] });
    expect([seen.state, statesOf(seen)]).toEqual(['sent', { a: 'confirmed', b: 'sent', small: 'failed' }]);
    expect(await balancesOf('paid')).toEqual({ a: '5', b: '4' });
    await expectBalanced();
  });

  it('that were sent after all were not, by name: the amount is back, or on hold', async () => {
    await earn();
    const { id, name } = await prepare('2');
    await mark(id, 'sent');
    const failed = await mark(name, 'failed', { accounts: ['a'] });
    expect(statesOf(failed)).toEqual({ a: 'failed', b: 'sent' });
    expect([await balancesOf('paid'), await balancesOf('due')]).toEqual([{ b: '4' }, { a: '5', small: '1' }]);
    await mark(id, 'unknown', { accounts: ['b'] });
    expect([await balancesOf('paid'), await balancesOf('paying')]).toEqual([{}, { b: '4' }]);
    await mark(id, 'sent', { accounts: ['b'] });
    await mark(id, 'failed', { accounts: ['b'] });
    await mark(id, 'failed', { accounts: ['b', 'a'] });
    expect(await balancesOf('due')).toEqual({ a: '5', b: '4', small: '1' });
    expect((await payoutsIn(books.pool))[0]?.state).toBe('failed');
    await expectBalanced();
  });

  it.each<[string, PaymentOutcome, PaymentOutcome[], RegExp]>([
    [
      'confirmed is final',
      'failed',
      ['sent', 'confirmed'],
      /payment of a in payout .* is confirmed, which is final/,
    ],
    ['failed is final', 'sent', ['failed'], /is failed, which is final/],
    ['what is not sent is not confirmed', 'confirmed', [], /is prepared: it is confirmed once it is sent/],
    ['unknown is not confirmed', 'confirmed', ['unknown'], /is unknown: it is confirmed once it is sent/],
  ])('%s', async (_, outcome, before, expected) => {
    await earn();
    const { id } = await prepare('2');
    for (const one of before) await mark(id, one, { accounts: ['a'] });
    await expect(mark(id, outcome, { accounts: ['a'] })).rejects.toThrow(expected);
    await expectBalanced();
  });

  it('have a request key each, and keep it', async () => {
    await earn();
    const { id } = await prepare('2');
    await expect(mark(id, 'sent', { requestKey: 'k1' })).rejects.toThrow('a request key is of one payment');
    await mark(id, 'sent', { accounts: ['a'], requestKey: 'k1' });
    await mark(id, 'sent', { accounts: ['a'], requestKey: 'k1' });
    await expect(mark(id, 'sent', { accounts: ['a'], requestKey: 'k2' })).rejects.toThrow(
      'has the request key k1',
    );
    await expect(mark(id, 'sent', { accounts: ['b'], requestKey: 'k1' })).rejects.toThrow(
      'is of another payment',
    );
    await expect(mark(id, 'sent', { accounts: ['nobody'] })).rejects.toThrow('does not pay "nobody"');
    expect(await balancesOf('paid')).toEqual({ a: '5' });
  });

  it('are prepared, shown and marked by command, with lines in the timeline', async () => {
    await earn({ 'a,1': '5', b: '4' });
    const ledger = async (...words: string[]) => {
      const argv = ['payout', ...words, '--ledger-database-url', books.connectionString];
      const { code, text, stderr } = await runHere('ledger', argv);
      return { code, stderr, told: text === '' ? undefined : JSON.parse(text) };
    };
    const { name } = await prepare('1', 7);
    const lines = ['--line', 'a,1', '--request-key', 'xyz', '--note', 'by hand'];
    expect(await ledger('mark', name, 'sent', ...lines)).toMatchObject({
      ...{ code: 0, stderr: '' },
      told: { payout: { name, state: 'prepared', chainId: 7, payments: { prepared: 1, sent: 1 } } },
    });
    expect((await ledger('show', name)).told).toMatchObject([
      { account: 'a,1', amount: '5.000000000000', state: 'sent', requestKey: 'xyz', note: 'by hand' },
      { account: 'b', state: 'prepared', requestKey: null },
    ]);
    expect(await ledger('mark', name, 'sent', '--line', 'c')).toMatchObject({ code: 1 });
    const told = await timelineBook(books.pool).readLines({ limit: 1 });
    expect(told[0]).toMatchObject({
      kind: 'payoutMarked',
      says: `payout ${name} is marked sent: ${formatAmount(coins('5'))} to 1 account`,
      facts: { name, outcome: 'sent', accounts: 1, note: 'by hand' },
    });
  });
});
