/** Whom `ledger` asks for its lists: a bridge that runs, else the ledger itself. Both answer the same. */

import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { useBooks } from '../helpers/books/books.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { runHere } from '../helpers/processes/command.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';
import { controlledBridge } from '../helpers/web/control-bridge.js';

const books = useBooks();
/** More than one answer has. */
const ACCOUNTS = 103;
const BLOCKS = 7;

beforeAll(async () => {
  const id = { log: randomUUID(), number: 1 };
  const shares = Array.from({ length: ACCOUNTS }, (_, i) => makeShare({ account: `account ${1000 + i}` }));
  await books.ledger.recordEntry(entryOf({ id, shares, rejections: [] }));
  for (let height = 1; height <= BLOCKS; height++)
    await recordSolution(books.ledger, makeSolution({}, { height, chainId: height % 2 }), 'received', '');
});

/** The data directory of a bridge that runs, on these books or on a ledger that is away. */
const bridgeOn = (shown: 'these books' | 'none') =>
  controlledBridge(shown === 'none' ? undefined : books.connectionString);

const ledger = (...words: string[]) => runHere('ledger', words);

it.each(['accounts --limit 1000', 'blocks', 'payouts', 'operator', 'log', 'rules'])(
  'ledger %s is the same of a bridge that runs and of the ledger itself',
  async (words) => {
    const itself = await ledger(...words.split(' '), '--ledger-database-url', books.connectionString);
    // In this folder there is nothing but the socket of the bridge.
    const asked = await ledger(...words.split(' '), '--data-dir', await bridgeOn('these books'));
    expect(asked).toEqual(itself);
    expect([asked.code, asked.stderr]).toEqual([0, '']);
  },
);

it('asks a ledger that a flag names, whatever bridge runs', async () => {
  const dataDir = await bridgeOn('none');
  expect(await ledger('blocks', '--data-dir', dataDir)).toMatchObject({
    ...{ code: 1, text: '' },
    stderr: expect.stringContaining('the ledger does not answer now'),
  });
  const named = await ledger(
    'blocks',
    '--data-dir',
    dataDir,
    '--ledger-database-url',
    books.connectionString,
  );
  expect([named.code, JSON.parse(named.text)]).toEqual([0, expect.objectContaining({ length: BLOCKS })]);
});

it('goes on from answer to answer, and says what is left', async () => {
  const database = ['--ledger-database-url', books.connectionString];
  const all = await ledger('accounts', '--limit', '500', ...database);
  const names = (JSON.parse(all.text) as { account: string }[]).map(({ account }) => account);
  expect([names, all.stderr]).toEqual([
    Array.from({ length: ACCOUNTS }, (_, i) => `account ${1000 + i}`),
    '',
  ]);
  const some = await ledger('accounts', '--limit', '102', ...database);
  expect([JSON.parse(some.text)]).toEqual([expect.objectContaining({ length: 102 })]);
  expect(some.stderr).toBe('stratum-bridge: 102 of 103 are shown: --limit shows more\n');
  const latest = await ledger('blocks', '--limit', '3', ...database);
  expect(JSON.parse(latest.text)).toMatchObject([{ height: 7 }, { height: 6 }, { height: 5 }]);
  expect(latest.stderr).toBe('stratum-bridge: the first 3 are shown: --limit shows more\n');
});

it('takes what the API takes, and says what is wrong with it in its words', async () => {
  const database = ['--ledger-database-url', books.connectionString];
  const odd = await ledger('blocks', '--chain', '1', '--state', 'pending', ...database);
  expect(JSON.parse(odd.text)).toMatchObject([{ height: 7 }, { height: 5 }, { height: 3 }, { height: 1 }]);
  expect(await ledger('blocks', '--chain', 'x', ...database)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('chain is a whole number from 0 to 65536, not "x"'),
  });
});

it('says what is wrong with a ledger that cannot answer', async () => {
  await books.pool.query('ALTER TABLE rules RENAME TO of_another_version');
  const told = await ledger('rules', '--ledger-database-url', books.connectionString);
  await books.pool.query('ALTER TABLE of_another_version RENAME TO rules');
  expect(told).toMatchObject({
    ...{ code: 1, text: '' },
    stderr: expect.stringMatching(/a web request failed: .*relation .*rules.* does not exist/),
  });
});

it.each(['--ledger-database-url', '--queue-redis-url'])(
  'what %s names is asked itself, also where a bridge runs',
  async (flag) => {
    const dataDir = await bridgeOn('these books');
    expect((await ledger('entry', '--data-dir', dataDir)).code).toBe(0);
    const url = flag === '--queue-redis-url' ? 'redis://127.0.0.1:1' : 'postgres://127.0.0.1:1/x';
    // No ledger is in the folder of this bridge, and none at that address.
    expect((await ledger('entry', '--data-dir', dataDir, flag, url)).code).toBe(1);
  },
);
