/** Nodes that come with another chain than the one that was followed: of developers, who begin anew, and of a liar, who is not believed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { BooksOfChains, DEPTH, MINES, startServe } from '../../helpers/stories/followed-story.js';
import { until } from '../../helpers/until.js';

const BLOCK_SECONDS = 0.2;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

it('a development node that begins anew: what was waited for is given up and told, and new blocks are confirmed', async () => {
  await using folder = await temporaryFolder();
  const databaseUrl = await createDatabase(postgres);
  const [port] = await freePorts(1);
  const ease = [
    '--genesis-difficulty',
    measureHashes()(BLOCK_SECONDS),
    '--block-delay',
    `${10 * BLOCK_SECONDS}s`,
  ];
  const startNode = (): Program =>
    startProgram(['node', '--mining', '--listen', `127.0.0.1:${port}`, ...ease]);
  const first = startNode();
  await first.ready();
  await using bridge = startServe(folder.path, databaseUrl, [
    ...['--node-urls', `http://127.0.0.1:${port}`, ...MINES],
  ]);
  await bridge.ready();
  const books = new BooksOfChains(databaseUrl);
  await books.reaches(3);
  first.kill('SIGKILL');
  await first.ended;
  const [{ last }] = (await books.ask<{ last: string }>('SELECT max(id) AS last FROM block')) as [
    { last: string },
  ];
  await using node = startNode();
  await node.ready();
  const told = "SELECT says, facts->>'chainId' AS chain FROM event WHERE kind = 'chainBegunAnew'";
  await until('all chains began anew', async () => (await books.ask(told)).length >= 10);
  await books.reaches(3);
  const old = `SELECT state FROM block WHERE id <= ${last} AND state NOT IN ('confirmed', 'orphaned')`;
  expect(await books.ask(old)).toEqual([]);
  const anew = `SELECT FROM block WHERE id > ${last} AND state = 'confirmed'`;
  expect((await books.ask(anew)).length).toBeGreaterThan(10 * (3 - DEPTH));
  expect(await books.ask(told)).toHaveLength(10);
  await books.isProved();
});

it('a bridge that after a restart reaches only a node with another, longer chain: it believes nothing of it, and says so', async () => {
  await using folder = await temporaryFolder();
  const databaseUrl = await createDatabase(postgres);
  const [port, liarPort] = await freePorts(2);
  const startNode = (at: number | undefined, every: string): Program =>
    startProgram([
      ...['node', '--mining', '--listen', `127.0.0.1:${at}`, '--data-dir', `${folder.path}/node-${at}`],
      ...['--network', 'testnet06', '--graph', 'petersen'],
      // Blocks of both pay the pool.
      ...[
        '--mine-every',
        every,
        '--miners',
        'ab'.repeat(32),
        '--genesis-difficulty',
        '10',
        '--block-delay',
        '50ms',
      ],
    ]);
  const isPublic = ['--chain-nodes', '1', '--cpu-mode', 'off'];
  const serve = (): Program =>
    startServe(`${folder.path}/bridge`, databaseUrl, [
      ...[
        '--node-urls',
        `http://127.0.0.1:${port}`,
        '--node-urls',
        `http://127.0.0.1:${liarPort}`,
        ...isPublic,
      ],
    ]);
  const heights = async (program: Program): Promise<number> => {
    const cut = await (await fetch(`${program.last('ready')?.['url']}/cut`)).json();
    return (cut as { height: number }).height;
  };
  const honest = startNode(port, '100ms');
  await honest.ready();
  const before = serve();
  await before.ready();
  const books = new BooksOfChains(databaseUrl);
  await books.reaches(3);
  before.kill('SIGKILL');
  await before.ended;
  const height = await heights(honest);
  honest.kill('SIGTERM');
  await honest.ended;

  await using liar = startNode(liarPort, '5ms');
  await liar.ready();
  await until('its chain is longer', async () => (await heights(liar)) > height + 100);
  const all = 'SELECT chain_id, height, hash FROM chain_block ORDER BY 1, 2';
  const [taken, states] = [await books.ask<{ height: string }>(all), await books.states()];
  await using bridge = serve();
  await bridge.ready();
  const status = async (): Promise<string[]> => {
    const told = await runProgram([
      'ledger',
      'follow',
      'status',
      '--json',
      '--data-dir',
      `${folder.path}/bridge`,
    ]);
    return (JSON.parse(told.text) as { trouble: string }[]).map(({ trouble }) => trouble);
  };
  const says = new RegExp(
    `^the chain of http://127.0.0.1:${liarPort} .* leaves ours .* (?:after block|below height) .*: where theirs is the right one`,
  );
  await until('it says why', async () => (await status()).every((trouble) => says.test(trouble)));
  expect(await books.ask(all)).toEqual(taken);
  expect(await books.states()).toEqual(states);

  // At the pace of a public network targets stay as they are in so few blocks.
  await using back = startNode(port, '500ms');
  await back.ready();
  await books.reaches(1 + Math.max(...taken.map(({ height }) => Number(height))));
  await until('no chain stands still', async () => (await status()).every((trouble) => trouble === ''));
  expect(await books.ask(all)).toEqual(expect.arrayContaining(taken));
  const above = 'SELECT chain_id, hash FROM chain_block WHERE height > 0';
  for (const { chain_id, hash } of await books.ask<{ chain_id: number; hash: string }>(above)) {
    const answer = await fetch(`${liar.last('ready')?.['url']}/chain/${chain_id}/header/${hash}`);
    expect(answer.status).toBe(404);
  }
  await books.isProved();
});
