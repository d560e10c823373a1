/** The real bridge between a real node and real rigs, from work to ledger. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { decodeHeader } from '../../src/core/work/header.js';
import type { Summary } from '../../src/operations/state.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../helpers/books/postgres.js';
import { findRedis, startTestRedis, type TestRedis } from '../helpers/books/redis.js';
import { temporaryFolder } from '../helpers/folder.js';
import { freePort } from '../helpers/processes/ports.js';
import { type Program, startProgram } from '../helpers/processes/program.js';
import { workKeyOf } from '../helpers/rigs/answer-log.js';
import { measureHashes } from '../helpers/rigs/measured-hashes.js';
import { openTap } from '../helpers/stories/tap.js';
import { until } from '../helpers/until.js';
import { fetchAsReader } from '../helpers/web/operators.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const ANY = '127.0.0.1:0';

/** Of the share queue; `test/long/stories` does the same with Redis. */
const BACKEND = process.env['BRIDGE_TEST_BACKEND'] ?? 'postgres';
const redisMissing = BACKEND === 'redis' ? await findRedis() : undefined;

describe(`the main path, with its queue on ${BACKEND}`, () => {
  let postgres: TestPostgres;
  let redis: TestRedis | undefined;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    redis = BACKEND === 'redis' && redisMissing === undefined ? await startTestRedis() : undefined;
  });
  afterAll(async () => {
    await redis?.close();
    await postgres.close();
  });

  it.skipIf(redisMissing !== undefined)(
    'mines over both transports, loses no share, and survives the death of its node',
    () => mineThroughADeath(postgres, redis ? ['--queue-redis-url', redis.url] : []),
  );
});

async function mineThroughADeath(postgres: TestPostgres, settings: readonly string[]): Promise<void> {
  await using folder = await temporaryFolder();
  const databaseUrl = await createDatabase(postgres);
  const hashesIn = measureHashes();
  const startNode = (listen: string): Program => {
    const ease = ['--genesis-difficulty', hashesIn(0.5), '--block-delay', '10000ms'];
    return startProgram(['node', '--mining', '--listen', listen, ...ease]);
  };
  const listen = `127.0.0.1:${await freePort()}`;
  let node = startNode(listen);
  let ofTheFirst: readonly string[] = [];
  onTestFinished(() => node.kill('SIGKILL'));
  const nodeUrl = String((await node.ready())['url']);
  await using tap = await openTap(Number(new URL(nodeUrl).port));
  await using bridge = startProgram([
    'serve',
    ...['--node-urls', tap.url, '--miner-account', ACCOUNT, '--data-dir', folder.path],
    ...[
      '--stratum-tcp',
      ANY,
      '--stratum-ws',
      ANY,
      '--web-listen',
      ANY,
      '--cpu-mode',
      'off',
      '--stratum-share-difficulty',
      hashesIn(0.1),
    ],
    ...['--ledger-database-url', databaseUrl, ...settings],
  ]);
  const { tcp, ws, web } = await bridge.ready();
  const summary = async (): Promise<Summary> =>
    (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>;

  const blocks = new BlockCount();
  await blocks.watch(nodeUrl);
  const rigs = [
    startProgram(['rig', '--urls', `ws://${ws}`, '--user', `${ACCOUNT}.one`, '--threads', '1']),
    startProgram(['rig', '--urls', `tcp://${tcp}`, '--user', `${ACCOUNT}.two`, '--threads', '1']),
  ];
  try {
    await until('solutions from rigs on both transports', async () => {
      const { solutions, sessions } = await summary();
      return sessions === 2 && solutions.accepted >= 5;
    });

    const before = await summary();
    node.kill('SIGKILL');
    await node.ended;
    ofTheFirst = [...tap.answers.works];
    await until(
      'the bridge sees that the node is away',
      async () => (await summary()).nodes[0]?.state === 'away',
    );
    await expect.poll(async () => (await fetch(`${web}/readyz`)).status).toBe(503);
    expect((await summary()).sessions).toBe(2);
    // Nothing reaches the new one before its blocks are counted.
    tap.set({ refuses: true });
    node = startNode(listen);
    await blocks.watch(String((await node.ready())['url']));
    tap.heal();
    await until(
      'solutions of the new node',
      async () => (await summary()).solutions.accepted >= before.solutions.accepted + 5,
    );
    await expect.poll(async () => (await fetch(`${web}/readyz`)).status).toBe(200);
  } finally {
    for (const rig of rigs) rig.kill('SIGTERM');
    expect(await Promise.all(rigs.map((rig) => rig.ended))).toEqual([0, 0]);
  }

  const counts = rigs.map(countedBy);
  const acknowledged = counts.map(({ accepted }) => accepted);
  const unanswered = sum(counts.map((count) => count.unanswered));
  expect(Math.min(...acknowledged)).toBeGreaterThan(0);
  await until('every solution has its last word', async () => (await summary()).solutions.pending === 0);
  await until('every share is in the ledger', async () => {
    const { ledger, submits } = await summary();
    return ledger.shares === submits.accepted && submits.accepted >= sum(acknowledged);
  });
  const last = await summary();
  expect(last.submits.accepted).toBeLessThanOrEqual(sum(acknowledged) + unanswered);
  expect(last.submits).toMatchObject({ duplicate: 0, unknownJob: 0, malformed: 0 });
  await compare(last, databaseUrl, blocks, ofTheFirst);

  bridge.kill('SIGTERM');
  expect(await bridge.ended).toBe(0);
  expect(bridge.stderr()).toBe('');
  node.kill('SIGTERM');
  expect(await node.ended).toBe(0);
}

/** Node, ledger and summary tell the same story. */
async function compare(
  last: Summary,
  databaseUrl: string,
  blocks: BlockCount,
  ofTheFirst: readonly string[],
): Promise<void> {
  const { found, accepted, rejected } = last.solutions;
  expect(found).toBe(accepted + rejected);
  // The last word on a solution is told before it stands in the books.
  const solutions = await until('the books say of each solution what the bridge says', async () => {
    const rows = await query(databaseUrl, 'SELECT said AS state, header FROM stratum_bridge.block');
    const taken = rows.filter(({ state }) => state === 'received' || state === 'perhaps');
    return rows.length === found && taken.length === accepted && rows;
  });
  const received = solutions.filter(({ state }) => state === 'received').length;
  // Only works that went with the first node may have been refused or lost.
  for (const { header } of solutions.filter(({ state }) => state !== 'received'))
    expect(ofTheFirst).toContain(workKeyOf(decodeHeader(header as Buffer)));
  await until('the node shows every block', () => blocks.count >= received);
  expect(blocks.count).toBeLessThanOrEqual(found);
}

/** Blocks that a node announces on its header stream. */
class BlockCount {
  count = 0;

  /** Resolves once the stream is open: what comes later is counted. */
  async watch(nodeUrl: string): Promise<void> {
    const { body } = await fetch(`${nodeUrl}/header/updates`);
    void this.#read(body).catch(() => {}); // the stream ends when its node is killed
  }

  async #read(body: Response['body']): Promise<void> {
    const decoder = new TextDecoder();
    let line = '';
    for await (const chunk of body ?? []) {
      const lines = (line + decoder.decode(chunk, { stream: true })).split('\n');
      line = lines.pop() ?? '';
      this.count += lines.filter((one) => one.startsWith('event:')).length;
    }
  }
}

function countedBy(rig: Program): { accepted: number; unanswered: number } {
  const { submits } = rig.last('status') as { submits?: { accepted: number; unanswered: number } };
  // A rig that stops waits only so long for its last answers; those shares are in the books too.
  return { accepted: submits?.accepted ?? 0, unanswered: submits?.unanswered ?? 0 };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

async function query(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
