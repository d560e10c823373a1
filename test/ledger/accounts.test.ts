import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { accountIds, accountTerms, setAccountTerms, takeWish } from '../../src/ledger/accounts/accounts.js';
import { REWARD_RULES } from '../../src/ledger/rules/rule-table.js';
import { rulesAt, writeFirstRules } from '../../src/ledger/rules/rules.js';
import { timelineBook } from '../../src/ledger/timeline.js';
import { useBooks } from '../helpers/books/books.js';
import { giveMoney } from '../helpers/books/money.js';
import { runHere } from '../helpers/processes/command.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';

const books = useBooks();

beforeEach(() => books.empty());

async function names(): Promise<string[]> {
  const { rows } = await books.pool.query<{ name: string }>('SELECT name FROM account');
  return rows.map(({ name }) => name);
}

async function ledger(...words: string[]) {
  const { code, text, stderr } = await runHere('ledger', [
    ...words,
    '--ledger-database-url',
    books.connectionString,
  ]);
  return { code, stderr, rows: text === '' ? [] : rowsOf(JSON.parse(text)) };
}

/** Of a list, or of an order. */
function rowsOf(json: Record<string, unknown>[] | { terms: Record<string, unknown> }) {
  return Array.isArray(json) ? json : [json.terms];
}

describe('accounts', () => {
  it('have a number from their first share or their first money on, and keep it', async () => {
    const shares = [makeShare({ account: 'worker' }), makeShare({ account: 'b,"\\\n€' })];
    await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares, rejections: [] }));
    await giveMoney(books.pool, 'paid only', 7n);
    expect(await names()).toEqual(expect.arrayContaining(['', 'worker', 'b,"\\\n€', 'paid only']));
    const before = await accountIds(books.pool, ['', 'worker', 'new one', 'worker']);
    expect([...before.keys()].sort()).toEqual(['', 'new one', 'worker']);
    expect(before.get('')).toBe(0);
    expect(await accountIds(books.pool, ['worker', 'new one', ''])).toEqual(before);
  });

  it('get one number each, whoever asks at once', async () => {
    const asked = Array.from({ length: 40 }, (_, i) => `at once ${i % 10}`);
    const found = await Promise.all(
      [...asked, ...asked.reverse()].map((name) => accountIds(books.pool, [name, 'same'])),
    );
    expect(new Set(found.map((ids) => ids.get('same'))).size).toBe(1);
    expect(new Set(found.flatMap((ids) => [...ids.values()])).size).toBe(11);
  });

  it('have terms of their own, from the moment on at which they are set', async () => {
    await expect(accountTerms(books.pool, 'nobody')).rejects.toMatchObject({ code: 'refused' });
    await setAccountTerms(books.pool, 'big one', { fee: 50 }, 'test');
    const { feeSince } = await accountTerms(books.pool, 'big one');
    const set = Date.parse(feeSince ?? '');
    await writeFirstRules(books.pool, REWARD_RULES, 'test');
    const feesAt = async (at: Date) => (await rulesAt(books.pool, at)).fees.overrides;
    expect(await feesAt(new Date(set - 1))).toEqual(new Map());
    expect(await feesAt(new Date(set + 1))).toEqual(new Map([['big one', 50]]));
    await setAccountTerms(books.pool, 'big one', { fee: 'default', minimumPayout: 5n * 10n ** 12n }, 'test');
    expect(await accountTerms(books.pool, 'big one')).toMatchObject({
      feeBasisPoints: null,
      minimumPayout: '5.000000000000',
      note: '',
    });
    const later = new Date(Date.now() + 3_600_000);
    expect(await feesAt(later)).toEqual(new Map());
  });

  it('are shown and set by command, with a line in the timeline', async () => {
    const set = await ledger(
      'account',
      'set',
      'k:xy',
      '--fee',
      '0.5%',
      '--minimum',
      '2.5',
      '--note',
      'friend',
    );
    expect(set).toMatchObject({ code: 0, rows: [{ account: 'k:xy', feeBasisPoints: 50, note: 'friend' }] });
    const part = await ledger('account', 'set', 'k:xy', '--minimum', 'default');
    expect(part.rows).toMatchObject([{ feeBasisPoints: 50, minimumPayout: null, note: 'friend' }]);
    expect((await ledger('account', 'show', 'k:xy')).rows).toEqual(part.rows);
    expect(part.rows).toMatchObject([{ wishedChain: null }]);
    const wish = {
      account: 'k:xy',
      minimum: undefined,
      chainId: 3,
      beneficiaries: [],
      pool: '',
      atMs: Date.now(),
    };
    expect(await takeWish(books.pool, wish)).toBe(true);
    expect((await ledger('account', 'show', 'k:xy')).rows).toMatchObject([{ wishedChain: 3 }]);
    const anywhere = await ledger('account', 'set', 'k:xy', '--chain', 'any');
    expect(anywhere.rows).toMatchObject([{ wishedChain: null }]);
    expect((await ledger('account', 'set', 'k:xy', '--chain', '7')).rows).toMatchObject([{ wishedChain: 7 }]);
    await ledger('account', 'set', 'k:zz', '--note', 'of its own');
    expect((await ledger('account', 'show')).rows.map(({ account }) => account)).toEqual(['k:xy', 'k:zz']);
    const lines = (await timelineBook(books.pool).readLines({ limit: 10 })).filter(
      ({ kind }) => kind !== 'payoutWish',
    );
    expect(lines.map(({ kind, says }) => [kind, says])).toEqual([
      ['ordered', 'account k:zz: a note, from now on'],
      ['ordered', 'account k:xy: paid on chain 7, from now on'],
      ['ordered', 'account k:xy: paid on any chain, from now on'],
      ['ordered', 'account k:xy: minimum payout as for everybody, from now on'],
      ['ordered', 'account k:xy: fee 0.5 %, minimum payout 2.500000000000, a note, from now on'],
    ]);
    expect(lines[0]).toMatchObject({ facts: { order: 'account', about: 'k:zz' }, by: expect.any(String) });
  });

  it.each([
    [['show', 'k:nosuch'], 1, /no account "k:nosuch" is in the books/],
    [['set', 'k:xy'], 2, /one or more of fee, minimum, chain, beneficiaries and note/],
    [['set', 'k:xy', '--fee', 'much'], 2, /--fee is default, or a part such as 0.5%.*, not "much"/],
    [['set', 'k:xy', '--chain', 'two'], 2, /--chain is any, or the number of a chain, not "two"/],
    [['set', 'k:xy', '--minimum', '0'], 2, /--minimum is default, or an amount above zero .*, not "0"/],
    [
      ['set', 'k:xy', '--beneficiaries', 'alice=5%'],
      2,
      /beneficiary alice: only accounts named by their key/,
    ],
    [['set', 'x'.repeat(200), '--fee', '1%'], 2, /account is the name of an account: 1 to 128 bytes/],
  ])('%j is refused', async (words, code, expected) => {
    const refused = await ledger('account', ...words);
    expect([refused.code, refused.stderr]).toEqual([code, expect.stringMatching(expected)]);
  });
});
