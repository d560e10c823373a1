/** Books, queue, or one of two bridges away for many times the depth while blocks are found: each block comes to its finder all the same. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { findRedis, startTestRedis } from '../../helpers/books/redis.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { openGate } from '../../helpers/processes/gate.js';
import { type Program, startProgram } from '../../helpers/processes/program.js';
import { measureHashes } from '../../helpers/rigs/measured-hashes.js';
import { BooksOfChains, DEPTH, MINES, startServe } from '../../helpers/stories/followed-story.js';
import { until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const BLOCK_SECONDS = 0.2;
const redisIsMissing = (await findRedis()) !== undefined;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

/** Ten chains, of which each has a block in two seconds. */
async function startNode(): Promise<Program & { readonly url: string }> {
  const ease = [
    '--genesis-difficulty',
    measureHashes()(BLOCK_SECONDS),
    '--block-delay',
    `${10 * BLOCK_SECONDS}s`,
  ];
  const node = startProgram(['node', '--mining', '--listen', '127.0.0.1:0', ...ease]);
  return { ...node, url: String((await node.ready())['url']) };
}

async function heightOf(node: { readonly url: string }): Promise<number> {
  const cut = (await (await fetch(`${node.url}/cut`)).json()) as {
    hashes: Record<string, { height: number }>;
  };
  return Math.min(...Object.values(cut.hashes).map(({ height }) => height));
}

async function grows(node: { readonly url: string }, by: number): Promise<void> {
  const from = await heightOf(node);
  await until(`each chain has ${by} more blocks`, async () => (await heightOf(node)) >= from + by);
}

/** The same database behind a gate. */
async function gated(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const gate = await openGate(Number(url.port));
  url.port = String(gate.port);
  return { gate, url: url.href };
}

async function settles(books: BooksOfChains, node: { readonly url: string }): Promise<void> {
  await books.reaches((await heightOf(node)) + 1);
  await books.isSettled();
  await books.isProved();
}

it('the ledger away for many times the depth: all that was found meanwhile is settled', async () => {
  await using folder = await temporaryFolder();
  const databaseUrl = await createDatabase(postgres);
  const { gate, url } = await gated(databaseUrl);
  await using node = await startNode();
  await using bridge = startServe(folder.path, url, ['--node-urls', node.url, ...MINES]);
  await bridge.ready();
  const books = new BooksOfChains(databaseUrl);
  try {
    await books.reaches(2);
    await gate.shut();
    const [, highest] = await books.cursors();
    const before = await books.states();
    await grows(node, 6 * DEPTH);
    expect(await books.states()).toEqual(before);
    await gate.open();
    expect(await heightOf(node)).toBeGreaterThan(highest + 2 * DEPTH);
    await settles(books, node);
  } finally {
    await gate.shut();
  }
});

it("a bridge that cannot tell the ledger of its blocks while another follows: they are unclaimed until it is back, and then its finder's", async () => {
  await using finders = await temporaryFolder();
  await using others = await temporaryFolder();
  const databaseUrl = await createDatabase(postgres);
  const { gate, url } = await gated(databaseUrl);
  await using node = await startNode();
  await using finder = startServe(finders.path, url, ['--node-urls', node.url, ...MINES]);
  await using other = startServe(others.path, databaseUrl, ['--node-urls', node.url, '--cpu-mode', 'off']);
  await Promise.all([finder.ready(), other.ready()]);
  const books = new BooksOfChains(databaseUrl);
  try {
    await books.reaches(1);
    await gate.shut();
    await grows(node, 2 * DEPTH);
    await books.reaches((await heightOf(node)) + 1);
    expect((await books.states())['unclaimed']).toBeGreaterThan(10);
    await gate.open();
    await settles(books, node);
    expect(await books.ask('SELECT DISTINCT account FROM block')).toEqual([
      { account: `k:${'ab'.repeat(32)}` },
    ]);
  } finally {
    await gate.shut();
  }
});

it.skipIf(redisIsMissing)(
  'the queue away for more than the depth: blocks are unclaimed, and paid to their finder once it is back',
  async () => {
    await using folder = await temporaryFolder();
    const databaseUrl = await createDatabase(postgres);
    const redis = await startTestRedis();
    await using node = await startNode();
    try {
      const queue = ['--queue-redis-url', redis.url];
      await using bridge = startServe(folder.path, databaseUrl, [
        '--node-urls',
        node.url,
        ...MINES,
        ...queue,
      ]);
      const { web } = await bridge.ready();
      const books = new BooksOfChains(databaseUrl);
      await books.reaches(1);
      await redis.kill();
      await grows(node, 2 * DEPTH);
      await books.reaches((await heightOf(node)) + 1);
      // Solutions go by the log, and the log by the queue: until it is back nobody knows who found them.
      const { unclaimed = 0 } = await books.states();
      expect(unclaimed).toBeGreaterThan(10 * DEPTH);
      const paid = "SELECT FROM block WHERE state = 'unclaimed' AND split_from IS NOT NULL";
      expect(await books.ask(paid)).toEqual([]);
      await redis.start();
      const heldBack = async (): Promise<number> => {
        const summary = await (await fetchAsReader(`${web}/api/v1/summary`)).json();
        return (summary as { queue: { heldBack: number } }).queue.heldBack;
      };
      await until('shares go on', async () => (await heldBack()) < 50);
      await settles(books, node);
    } finally {
      await redis.close();
    }
  },
);
