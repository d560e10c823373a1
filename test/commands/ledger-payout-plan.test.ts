/** `ledger payout plan`: the plan of the payer, from the books alone. */
import { beforeEach, describe, expect, it } from 'vitest';
import { useBooks } from '../helpers/books/books.js';
import { coinsIn } from '../helpers/books/money.js';
import { coins, earn, prepareAll, takeSeat } from '../helpers/payouts/chain-payments.js';
import { runHere } from '../helpers/processes/command.js';

const books = useBooks();
beforeEach(() => books.empty());

const [ONE, TWO, THREE, FOUR] = ['1a', '2b', '3c', '4d'].map((pair) => `k:${pair.repeat(32)}`) as [
  string,
  string,
  string,
  string,
];

async function plan(...words: string[]) {
  return runHere('ledger', ['payout', 'plan', ...words, '--ledger-database-url', books.connectionString]);
}

async function lines(...words: string[]) {
  const { code, text, stderr } = await plan(...words);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(text).lines;
}

async function seen(chains: readonly (readonly [coins: string, trouble?: string])[]) {
  const seat = await takeSeat(books.pool);
  await seat.bind(`k:${'ff'.repeat(32)}`, 'development');
  await seat.sawChains(
    chains.map(([text, trouble = ''], chainId) => ({
      ...{ chainId, head: { height: 12, timeS: 1 }, trouble },
      read: { chainId, read: { height: 9, hash: 'h9' }, balance: coins(text), credits: 0n, debits: 0n },
    })),
  );
  return seat;
}

const paid = (account: string, chain: number, amount: string, why = '') => ({
  ...{ account, is: 'paid', chain, amount: `${amount}000000000000`.slice(0, amount.indexOf('.') + 13) },
  ...{ gas: '0.000010000000', why },
});

describe('ledger payout plan', () => {
  it('says where each would be paid, who waits and who is held, and writes nothing', async () => {
    await earn(books.pool, { [ONE]: '5', [TWO]: '500', [THREE]: '2', [FOUR]: '0.4', somebody: '3' });
    await seen([['6'], ['4'], ['9', 'its head is old']]);
    await runHere('ledger', [
      ...[
        'payout',
        'hold',
        THREE,
        '--note',
        'asked us to wait',
        '--ledger-database-url',
        books.connectionString,
      ],
    ]);
    const before = await coinsIn(books.pool, 'balance');
    expect(await lines()).toEqual([
      paid(ONE, 0, '5.'),
      {
        ...{ account: TWO, is: 'waits', chain: null, amount: '500.000000000000', gas: '' },
        why: expect.stringContaining('all chains together have'),
      },
      {
        ...{ account: 'somebody', is: 'waits', chain: null, amount: '3.000000000000', gas: '' },
        why: expect.stringContaining('only accounts named by their key'),
      },
      { account: THREE, is: 'held', chain: null, amount: '2.000000000000', gas: '', why: 'asked us to wait' },
    ]);
    expect(await coinsIn(books.pool, 'balance')).toEqual(before);
    const { rows } = await books.pool.query('SELECT count(*)::int AS count FROM payout');
    expect(rows).toEqual([{ count: 0 }]);
    const { says, chains, chainsReadAt } = JSON.parse((await plan()).text);
    expect(says).toEqual([
      expect.stringMatching(/^1 payments would be made; nothing was written. .* ago$/),
      'nothing is paid on chain 2 now: its head is old',
    ]);
    expect(chains.map(({ coins: has }: { coins: string }) => has)).toEqual([
      '6.000000000000',
      '4.000000000000',
      '9.000000000000',
    ]);
    expect(Date.parse(chainsReadAt)).toBeGreaterThan(0);
  });

  it('takes another minimum, and shows one account or one chain of it', async () => {
    await earn(books.pool, { [ONE]: '5', [FOUR]: '0.4' });
    await seen([['6'], ['4']]);
    expect(await lines('--payouts-minimum', '0.3')).toEqual([paid(ONE, 0, '5.'), paid(FOUR, 1, '0.4')]);
    expect(await lines('--payouts-minimum', '0.3', '--only', FOUR)).toEqual([paid(FOUR, 1, '0.4')]);
    expect(await lines('--payouts-minimum', '0.3', '--chain', '0')).toEqual([paid(ONE, 0, '5.')]);
  });

  it('leaves out what a batch has taken, and says that payouts are paused', async () => {
    await earn(books.pool, { [ONE]: '5' });
    const seat = await seen([['6']]);
    await prepareAll(seat, { approvalsNeeded: 1, approvalFor: 'a test' });
    expect(await lines()).toEqual([]);
    await earn(books.pool, { [TWO]: '2' });
    expect(await lines()).toMatchObject([{ account: TWO, is: 'waits' }]);
    expect(JSON.parse((await plan()).text).says[1]).toMatch(/^payout \S+ waits for approval, and no other/);
    await seat.pause({ kind: 'operator', says: 'I look first', evidence: {} });
    expect(JSON.parse((await plan()).text)).toMatchObject({
      isPaused: true,
      says: expect.arrayContaining([expect.stringContaining('I look first')]),
    });
  });

  it('of books that no bridge pays from says so', async () => {
    const { code, stderr } = await plan();
    expect([code, stderr]).toEqual([1, expect.stringContaining('no bridge has looked at the chains')]);
  });
});
