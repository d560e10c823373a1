/** `status`: the first screen, of a bridge that runs and of a ledger at rest. */

import { randomUUID } from 'node:crypto';
import stringWidth from 'string-width';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { useBooks } from '../helpers/books/books.js';
import { giveMoney } from '../helpers/books/money.js';
import { recordSolution } from '../helpers/books/record-solution.js';
import { temporaryFolder } from '../helpers/folder.js';
import { runHere } from '../helpers/processes/command.js';
import { entryOf, makeShare } from '../helpers/rigs/shares.js';
import { makeSolution } from '../helpers/rigs/solutions.js';
import { controlledBridge } from '../helpers/web/control-bridge.js';

const books = useBooks();
const ACCOUNT = `k:${'ab'.repeat(32)}`;
const NODE = {
  ...{
    url: 'http://127.0.0.1:1848',
    state: 'away' as const,
    network: '',
    reason: 'nobody \u001b[2J answers',
  },
  ...{ isActive: false, chains: 0, requests: 7, cutHeight: undefined, silentMs: undefined, forks: undefined },
};

beforeAll(async () => {
  const id = { log: randomUUID(), number: 1 };
  await books.ledger.recordEntry(entryOf({ id, shares: [makeShare({ account: ACCOUNT })], rejections: [] }));
  await recordSolution(books.ledger, makeSolution({ foundAtMs: Date.now() }, { height: 7 }), 'received', '');
  await giveMoney(books.pool, ACCOUNT, 1_234_567_890_123_456_789n);
});

/** The data directory of a bridge that runs, on these books or on a ledger that is away. */
const bridgeOn = (shown: 'these books' | 'none') =>
  controlledBridge(shown === 'none' ? undefined : books.connectionString, [NODE]);

const status = (words: readonly string[], columns?: number) =>
  runHere('status', words, {}, columns === undefined ? undefined : { columns });

it('WB53: shows node, rate, rigs, queue, the last block and money, within 80 columns', async () => {
  const dataDir = await bridgeOn('these books');
  for (const columns of [40, 80, 200]) {
    const { code, text, stderr } = await status(['--data-dir', dataDir], columns);
    expect([code, stderr]).toEqual([0, '']);
    expect(text.split('\n').filter((line) => stringWidth(line) > columns)).toEqual([]);
    expect(text).not.toContain('\u001b');
  }
  const { text } = await status(['--data-dir', dataDir], 80);
  expect(text.split('\n').map((line) => line.slice(2, 11).trimEnd())).toEqual([
    ...['stratum-b', 'node', 'hash rate', 'sessions', 'submits', 'solutions', 'chains', 'ledger', 'queue'],
    ...['web', 'following', 'block', 'money'],
  ]);
  expect(text).toContain('\n  node       127.0.0.1:1848 away: nobody \\u{1b}[2J answers\n');
  expect(text).toContain('\n  web        http://127.0.0.1:1919\n');
  expect(text).toMatch(/\n {2}block {6}chain \d+, height 7, found \d+ s ago, pending\n/);
  expect(text).toContain('\n  money      1,234,567.8901 can be paid, 0 expected, 0 being paid, 0 paid');
});

it('gives programs the views themselves', async () => {
  const { code, text } = await status(['--data-dir', await bridgeOn('these books')]);
  expect([code, JSON.parse(text)]).toEqual([
    0,
    {
      bridge: expect.objectContaining({ sessions: 0, nodes: [expect.objectContaining({ state: 'away' })] }),
      ledger: {
        lastBlock: expect.objectContaining({ height: 7, state: 'pending' }),
        following: { chains: 0, behind: 0, still: 0, standing: [] },
        money: expect.objectContaining({ due: '1234567.890123456789' }),
        payer: expect.objectContaining({ account: null, words: [] }),
      },
    },
  ]);
});

it('says whether all chains are followed, with a bridge and without one', async () => {
  await using folder = await temporaryFolder();
  const atRest = ['--data-dir', folder.path, '--ledger-database-url', books.connectionString];
  const following = async (): Promise<string[]> => {
    // A bridge answers the same for a second.
    const running = ['--data-dir', await bridgeOn('these books')];
    const texts = [await status(running, 200), await status(atRest, 200)].map(({ text }) => text);
    const [shown, same] = texts.map((text) => /\n {2}following {2}(.*?)\n {2}block/s.exec(text)?.[1]);
    expect(shown).toBe(same);
    return (shown ?? '').split('\n').map((line) => line.trim());
  };
  onTestFinished(async () => void (await books.pool.query('DELETE FROM chain')));
  expect(await following()).toEqual(['no chain is known yet']);
  await books.pool.query(
    "INSERT INTO chain (id, network, head_height) SELECT id, 'development', 9 FROM generate_series(0, 9) AS id",
  );
  expect(await following()).toEqual(['all chains are followed to their heads']);
  await books.pool.query('UPDATE chain SET behind = 200 + id WHERE id IN (1, 2)');
  expect(await following()).toEqual(['403 blocks are still to be read']);
  await books.pool.query("UPDATE chain SET trouble = 'no node has it' WHERE id > 3");
  expect(await following()).toEqual([
    ...[4, 5, 6, 7, 8].map((id) => `chain ${id} stands still: no node has it`),
    ...['and 1 more: `ledger follow status` lists them', '403 blocks are still to be read'],
  ]);
  await books.pool.query("UPDATE chain SET trouble = '', behind = 0");
  await books.pool.query("UPDATE chain SET followed_at = now() - interval '11 minutes' WHERE id = 3");
  expect(await following()).toEqual([
    expect.stringMatching(/^chain 3 stands still: it was not looked at since \S+Z: start a bridge$/),
  ]);
});

it('shows a bridge whose ledger is away, and says so', async () => {
  const dataDir = await bridgeOn('none');
  const { code, text } = await status(['--data-dir', dataDir], 80);
  expect(code).toBe(0);
  expect(text).toContain('\n  node       127.0.0.1:1848 away');
  expect(text).toContain('\n  money      not known while the ledger is away');
  expect(JSON.parse((await status(['--data-dir', dataDir])).text)).toMatchObject({ ledger: null });
});

it('shows what the ledger has where no bridge runs', async () => {
  await using folder = await temporaryFolder();
  const where = ['--data-dir', folder.path, '--ledger-database-url', books.connectionString];
  const { code, text } = await status(where, 200);
  expect(code).toBe(0);
  expect(text).toContain(
    `no bridge runs with the data directory ${folder.path}: start one with \`stratum-bridge serve\``,
  );
  expect(text).toMatch(/\n {2}block {6}chain \d+, height 7, found /);
  expect(text).toContain('\n  money      1,234,567.8901 can be paid');
  expect(JSON.parse((await status(where)).text)).toMatchObject({ bridge: null, ledger: { lastBlock: {} } });
});

it('says where it looked when there is neither', async () => {
  await using folder = await temporaryFolder();
  expect(await status(['--data-dir', folder.path])).toMatchObject({
    ...{ code: 1, text: '' },
    stderr: expect.stringMatching(
      /dataDir: .* there are no books in .*; name those of the bridge with --config/,
    ),
  });
});
