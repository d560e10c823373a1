/** How `ledger` shows the books: as wide as the window, or in full. */

import stringWidth from 'string-width';
import { beforeAll, expect, it } from 'vitest';
import { table } from '../../src/cli/screen/table.js';
import { PROOFS } from '../../src/commands/ledger/verify.js';
import { type Block, blocks } from '../../src/operations/books/blocks.js';
import { setAside } from '../../src/operations/books/entries.js';
import { type Payout, payouts } from '../../src/operations/books/payouts.js';
import { useBooks } from '../helpers/books/books.js';
import { giveMoney } from '../helpers/books/money.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { runHere } from '../helpers/processes/command.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';

const books = useBooks();
const ACCOUNT = `k:${'0123456789abcdef'.repeat(4)}`;
const FORMULA = '=HYPERLINK("http://x")';

beforeAll(async () => {
  const id = { log: '00000000-0000-4000-8000-000000000001', number: 1 };
  const shares = [makeShare({ account: ACCOUNT, rig: 'attic' }), makeShare({ account: FORMULA })];
  await books.ledger.recordEntry(entryOf({ id, shares, rejections: [] }));
  await recordSolution(books.ledger, makeSolution(), 'received', 'a node has much to say '.repeat(5));
  const amount = 20_000_000_000_001n;
  await giveMoney(books.pool, ACCOUNT, amount);
});

async function ledger(words: string, terminal?: { columns: number }) {
  const { code, text } = await runHere(
    'ledger',
    [...words.split(' '), '--ledger-database-url', books.connectionString],
    {},
    terminal,
  );
  expect(code).toBe(0);
  return text;
}

it.each(['accounts', 'blocks', 'operator', 'payouts', 'log list', 'rules', 'entry list', 'verify'])(
  'C18: ledger %s has room in 80 columns',
  async (words) => {
    for (const columns of [80, 60, 132]) {
      const text = await ledger(words, { columns });
      expect(text.split('\n').filter((line) => stringWidth(line) > columns)).toEqual([]);
    }
    expect(JSON.parse(await ledger(words))).toEqual(
      JSON.parse(await ledger(`${words} --json`, { columns: 80 })),
    );
  },
);

it('C18: shows the whole of it where asked for, on a terminal or not', async () => {
  const narrow = await ledger('accounts', { columns: 64 });
  expect(narrow).toMatch(/--wide also shows: rigs, best, rejected, rejected work, expected$/);
  expect(narrow).not.toContain(ACCOUNT);
  for (const terminal of [undefined, { columns: 60 }]) {
    const wide = await ledger('accounts --wide', terminal);
    expect(wide).toContain(ACCOUNT);
    expect(wide).toMatch(/^account .* rejected work .* due/);
    expect(wide).toMatch(/ 20\.000000000001 /);
    const csv = await ledger('accounts --csv', terminal);
    expect(csv.split('\r\n')).toEqual([
      'account,rigs,shares,work,best,rejected,rejectedWork,due,expected,paying,paid',
      expect.stringMatching(/^" =HYPERLINK\(""http:\/\/x""\)",1,1,1000,1000,0,0,0\.0{12},0\.0{12},/),
      `${ACCOUNT},1,1,1000,1000,0,0,20.000000000001,0.000000000000,0.000000000000,0.000000000000`,
    ]);
  }
});

it('C18: refuses two forms at once before it looks for books', async () => {
  const { code, stderr } = await runHere('ledger', ['accounts', '--csv', '--wide', '--data-dir', '/nowhere']);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('--csv and --wide are two forms of the same: choose one'),
  ]);
});

it('C18: keeps what matters most of long rows in 80 columns', () => {
  const block: Block = {
    ...{ id: '123456', chainId: 19, height: 5_123_456, hash: 'ab'.repeat(32), effort: 1.43 },
    ...{ finder: { account: ACCOUNT, rig: 'attic' }, node: 'https://api.node.example:1848' },
    ...{ foundAt: '2026-11-22T11:05:46.123Z', detail: 'x'.repeat(99), state: 'confirmed', depth: 123 },
    reward: '1.023045678901',
  };
  expect(table([block], blocks.columns, 80).split('\n')[0]).toMatch(
    /^ +id +found \(UTC\) +chain +height +state +depth +reward/,
  );
  const payout: Payout = {
    ...{ id: '7', name: '3f9ea-7', chainId: null, state: 'prepared', isSettled: false },
    payments: { prepared: 10_000, sent: 0, confirmed: 0, failed: 0, unknown: 0 },
    ...{ preparedAt: block.foundAt, changedAt: block.foundAt },
    ...{ hash: null, approvals: 0, approvalWhy: '', approvedBy: [] },
    ...{ minimum: '1.000000000000', note: '', total: '1234567.023045678901', accounts: 10_000 },
  };
  expect(table([payout], payouts.columns, 80)).toMatch(/^payout +state +total +accounts +payments/);
  const proof = { name: 'balance', passes: false, says: 'it '.repeat(40), broken: 'row 7', noted: '' };
  expect(table([proof], PROOFS, 80)).toMatch(/^name +passes +broken +noted +says\nbalance +no +row 7/);
  const part = { id: '1', account: ACCOUNT, rig: 'r', shares: 1, work: '1000', rejections: 0 };
  const aside = [{ ...part, since: block.foundAt, error: 'new row violates a constraint '.repeat(4) }];
  expect(table(aside, setAside.columns, 80)).toMatch(/^id +since \(UTC\) +account +rig +shares +error\n/);
});
