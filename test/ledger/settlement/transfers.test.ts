/** Transfers: each of one cause, once; by hand; and summed by the day when they are old. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { parseAmount } from '../../../src/core/money/amount.js';
import { dumpBooks } from '../../../src/ledger/copies/dump.js';
import { closeDays } from '../../../src/ledger/history/rolling.js';
import { correctBalance, enterPayment } from '../../../src/ledger/payments/by-hand.js';
import { markPayout } from '../../../src/ledger/payments/mark.js';
import { preparePayout } from '../../../src/ledger/payments/prepare.js';
import { proveClosedDays } from '../../../src/ledger/proof/closed-days.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/rules/rule-table.js';
import { timelineBook } from '../../../src/ledger/timeline.js';
import { useBooks } from '../../helpers/books/books.js';
import { coinsIn, expectProved, giveMoney } from '../../helpers/books/money.js';
import { recordSolution } from '../../helpers/books/record-solution.js';
import { newestBlock, sawBlock, settleAll } from '../../helpers/books/settlement.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';

const coins = (text: string): bigint => parseAmount(text) ?? expect.fail(`no amount: ${text}`);
const FOUND_MS = 1_700_000_000_000;
const PROP: RewardRules = {
  ...REWARD_RULES,
  scheme: 'prop',
  fees: { basisPoints: 1000, overrides: new Map() },
};

const books = useBooks();
const by = 'who tests';
const due = () => coinsIn(books.pool, 'due');
const proved = () => expectProved(books.pool);

beforeEach(() => books.empty());

async function rows<T>(sql: string): Promise<T[]> {
  return (await books.pool.query(sql)).rows as T[];
}

/** Split among a and b, with a fee. */
async function splitBlock(said: 'received' | 'perhaps' = 'received'): Promise<string> {
  const shares = ['a', 'b'].map((account) => makeShare({ account, difficulty: 1n, acceptedAtMs: FOUND_MS }));
  await books.ledger.recordEntry(entryOf({ id: { log: randomUUID(), number: 1 }, shares }));
  await recordSolution(books.ledger, makeSolution({ account: 'a', foundAtMs: FOUND_MS }), said, '');
  const id = await newestBlock(books.pool);
  await sawBlock(books.pool, id, 'confirmed', { reward: coins('10') });
  await settleAll(books.pool, PROP);
  return id;
}

it('move money for a cause once, however often that is asked', async () => {
  await giveMoney(books.pool, 'a', coins('3'));
  const again = `SELECT transfer_money(array_agg((code, of, time, debit, credit, amount)::money_move)) FROM transfer`;
  await expect(books.pool.query(again)).rejects.toThrow('transfer_pkey');
  expect(await due()).toEqual({ a: '3' });
  await proved();
});

describe('a block', () => {
  it('is split by one transfer an account, and the fee; taken back by as many; and may come again', async () => {
    const id = await splitBlock();
    const moved = () =>
      rows('SELECT code, time, trim_scale(amount)::text AS amount FROM transfer ORDER BY code, time, amount');
    const first = [
      { code: 'block', time: 1, amount: '4.5' },
      { code: 'block', time: 1, amount: '4.5' },
      { code: 'fee', time: 1, amount: '1' },
    ];
    expect(await moved()).toEqual(first);
    await sawBlock(books.pool, id, 'orphaned');
    await settleAll(books.pool, PROP);
    expect([await due(), await coinsIn(books.pool, 'chains')]).toEqual([{}, {}]);
    await sawBlock(books.pool, id, 'confirmed', { reward: coins('10') });
    await settleAll(books.pool, PROP);
    const [miner, , fee] = first;
    expect(await moved()).toEqual([
      ...[miner, miner, { ...miner, time: 2 }, { ...miner, time: 2 }],
      ...[fee, miner, miner].map((one) => ({ ...one, code: 'block reversed' })),
      ...[fee, { ...fee, time: 2 }],
    ]);
    expect(await due()).toEqual({ a: '4.5', b: '4.5', operator: '1' });
    await proved();
  });

  it('that was paid out already, and left its chain, leaves less than nothing, which is shown and not paid', async () => {
    const id = await splitBlock();
    const payout = (await preparePayout(books.pool, { minimum: coins('1') })) ?? expect.fail();
    await markPayout(books.pool, payout.name, { outcome: 'sent' });
    await sawBlock(books.pool, id, 'orphaned');
    await settleAll(books.pool, PROP);
    expect(await due()).toEqual({ a: '-4.5', b: '-4.5' });
    expect(await coinsIn(books.pool, 'chains')).toEqual({ elsewhere: '9' });
    expect(await preparePayout(books.pool, { minimum: coins('1') })).toBeUndefined();
    await proved();
  });
});

describe('a payment', () => {
  it('that was said to be made, then not, then made after all, is transferred each time', async () => {
    await giveMoney(books.pool, 'a', coins('3'));
    const { name } = (await preparePayout(books.pool, { minimum: coins('1'), chainId: 7 })) ?? expect.fail();
    for (const outcome of ['sent', 'unknown', 'sent', 'failed'] as const)
      await markPayout(books.pool, name, { outcome, accounts: ['a'] });
    expect(await rows('SELECT code, time FROM transfer WHERE of > 0 ORDER BY time, code')).toEqual([
      { code: 'paid', time: 1 },
      { code: 'paid reversed', time: 1 },
      { code: 'paid', time: 2 },
      { code: 'paid reversed', time: 2 },
    ]);
    expect([await due(), await coinsIn(books.pool, 'paid')]).toEqual([{ a: '3' }, {}]);
    await proved();
  });

  it('that was made twice is entered: the account earns it before it is paid again', async () => {
    await giveMoney(books.pool, 'a', coins('3'));
    const { name } = (await preparePayout(books.pool, { minimum: coins('1'), chainId: 7 })) ?? expect.fail();
    await markPayout(books.pool, name, { outcome: 'sent', accounts: ['a'], requestKey: 'first' });
    const twice = { account: 'a', amount: coins('3'), chainId: 7, note: 'paid twice', by };
    await expect(enterPayment(books.pool, { ...twice, requestKey: 'first' })).rejects.toThrow(
      'the request key first is of another payment',
    );
    const entered = await enterPayment(books.pool, { ...twice, requestKey: 'second' });
    expect(entered.due).toBe('-3.000000000000');
    expect(await coinsIn(books.pool, 'paid')).toEqual({ a: '6' });
    expect(await coinsIn(books.pool, 'chains')).toEqual({ 'chain 0': '-3', 'chain 7': '6' });
    await giveMoney(books.pool, 'a', coins('3.5'));
    expect(await preparePayout(books.pool, { minimum: coins('1') })).toBeUndefined();
    await proved();
    const [line] = await timelineBook(books.pool).readLines({ limit: 1 });
    expect(line).toMatchObject({
      kind: 'payoutMarked',
      by,
      facts: { name: entered.payout, outcome: 'sent' },
    });
  });
});

describe('a correction', () => {
  it('moves an amount between an account and the operator, with who did so, and why', async () => {
    await giveMoney(books.pool, 'a', coins('3'));
    const correct = (account: string, amount: string) =>
      correctBalance(books.pool, { account, amount: coins(amount), note: 'of the outage', by });
    expect(await correct('a', '1.5')).toBe('4.500000000000');
    expect(await correct('a', '-2')).toBe('2.500000000000');
    expect(await due()).toEqual({ a: '2.5', operator: '0.5' });
    expect(await rows('SELECT made_by, note FROM correction')).toEqual(
      Array(2).fill({ made_by: by, note: 'of the outage' }),
    );
    await expect(correct('nobody', '1')).rejects.toThrow('have no account "nobody"');
    await proved();
    const [line] = await timelineBook(books.pool).readLines({ limit: 1 });
    expect(line).toMatchObject({ by, says: 'account a is corrected by -2.000000000000: of the outage' });
  });
});

describe('a day', () => {
  const age = (days: number) =>
    books.pool.query(`
      UPDATE transfer SET at = at - interval '${days} days' WHERE time > 0;
      UPDATE block SET changed_at = changed_at - interval '${days} days'`);
  const closed = () =>
    rows<{ day: string; transfers: string; hash: string }>(
      "SELECT day::text, transfers, encode(hash, 'hex') AS hash FROM closed_day WHERE transfers > 0 ORDER BY day",
    );

  it('is summed by debit, credit and code when it is a month old, and balances stay', async () => {
    await splitBlock();
    await giveMoney(books.pool, 'a', coins('3'));
    await giveMoney(books.pool, 'a', coins('4'));
    await age(29);
    await closeDays(books.pool);
    expect(await closed()).toEqual([]);
    const before = await due();
    await age(3);
    await closeDays(books.pool);
    expect(await closed()).toMatchObject([{ transfers: '5' }]);
    expect(
      await rows(
        'SELECT code, time, trim_scale(amount)::text AS amount, transfers FROM transfer ORDER BY 1, 3',
      ),
    ).toEqual([
      { code: 'block', time: 0, amount: '4.5', transfers: '1' },
      { code: 'block', time: 0, amount: '4.5', transfers: '1' },
      { code: 'block', time: 0, amount: '7', transfers: '2' },
      { code: 'fee', time: 0, amount: '1', transfers: '1' },
    ]);
    expect(await due()).toEqual(before);
    await proved();
    await closeDays(books.pool);
    expect(await closed()).toHaveLength(1);
  });

  it('has a hash of all that it was made of, and of the day before', async () => {
    const hashes = async (amounts: readonly string[]) => {
      await books.empty();
      for (const amount of amounts) {
        await age(1);
        await giveMoney(books.pool, 'a', coins(amount));
      }
      await books.pool.query("UPDATE transfer SET at = date_bin('1 day', at, 'epoch') - interval '40 days'");
      await closeDays(books.pool);
      return (await closed()).map(({ hash }) => hash);
    };
    const [first, second] = await hashes(['1', '2']);
    expect(await hashes(['1', '2'])).toEqual([first, second]);
    const [otherFirst, otherSecond] = await hashes(['1.5', '2']);
    expect([otherFirst === first, otherSecond === second]).toEqual([false, false]);
    const [sameFirst, another] = await hashes(['1', '2.5']);
    expect([sameFirst === first, another === second]).toEqual([true, false]);
  });

  it('is proved by a dump that has its transfers one by one', async () => {
    await splitBlock();
    await age(40);
    await giveMoney(books.pool, 'a', coins('1'));
    const dump: string[] = [];
    for await (const line of dumpBooks(books.pool)) dump.push(line);
    const prove = () => proveClosedDays(books.pool, Readable.from(dump));
    expect(await prove()).toMatchObject({ broken: [], noted: ['0 closed days are in the dump'] });
    await closeDays(books.pool);
    const { broken, noted } = await prove();
    expect([broken, noted]).toEqual([[], [expect.stringMatching(/^(10|11) closed days are in the dump$/)]]);
    await books.pool.query('UPDATE closed_day SET hash = sha256(hash) WHERE transfers > 0');
    expect((await prove()).broken.at(0)).toContain('what was summed is not what the dump has');
    expect(await rows('SELECT code FROM transfer WHERE time > 0')).toHaveLength(1);
  });

  it('stays closed for a block of which a log says something more since then', async () => {
    await splitBlock('perhaps');
    await age(40);
    await closeDays(books.pool);
    await recordSolution(books.ledger, makeSolution({ account: 'a', foundAtMs: FOUND_MS }), 'received', '');
    expect(await rows('SELECT said FROM block')).toEqual([{ said: 'received' }]);
    await proved();
  });

  it('keeps no transfers of single blocks: what was split then is not taken back', async () => {
    const id = await splitBlock();
    await age(40);
    await closeDays(books.pool);
    await sawBlock(books.pool, id, 'orphaned');
    await expect(settleAll(books.pool, PROP)).rejects.toThrow(`block ${id} was split so long ago`);
    expect(await due()).toEqual({ a: '4.5', b: '4.5', operator: '1' });
  });

  it('is the last one of who worked for a block, once no block can be paid by that any more', async () => {
    await splitBlock();
    const weights = () => rows('SELECT block_id FROM block_weight');
    await books.pool.query("UPDATE block SET changed_at = now() - interval '40 days'");
    await closeDays(books.pool);
    // Under prop a later block would pay its round, were it taken back.
    expect(await weights()).toHaveLength(1);
    await books.pool.query('UPDATE block SET pow_hash = sha256(pow_hash)');
    await recordSolution(books.ledger, makeSolution({ foundAtMs: FOUND_MS + 60_000 }), 'received', '');
    await sawBlock(books.pool, await newestBlock(books.pool), 'confirmed', { reward: coins('10') });
    await settleAll(books.pool, PROP);
    await closeDays(books.pool);
    expect(await weights()).toHaveLength(1);
    await proved();
  });
});
