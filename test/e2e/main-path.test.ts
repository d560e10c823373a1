/** The real bridge between a real node and real rigs, from work to ledger, on both queue backends. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Summary } from '../../src/web/summary.js';
import { temporaryFolder } from '../helpers/folder.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../helpers/postgres.js';
import { type Program, startProgram } from '../helpers/program.js';
import { findRedis, startTestRedis, type TestRedis } from '../helpers/redis.js';
import { until } from '../helpers/until.js';

const ACCOUNT = `k:${'ab'.repeat(32)}`;
const ANY = '127.0.0.1:0';

const redisMissing = await findRedis();

describe('the main path', () => {
  let postgres: TestPostgres;
  let redis: TestRedis | undefined;

  beforeAll(async () => {
    postgres = await startTestPostgres();
    redis = redisMissing === undefined ? await startTestRedis() : undefined;
  });
  afterAll(async () => {
    await redis?.close();
    await postgres.close();
  });

  it('mines over both transports, loses no share, and survives the death of its node', async () => {
    await mineThroughADeath(postgres, []);
  });

  it.skipIf(redisMissing !== undefined)('does the same with its queue on Redis', async () => {
    await mineThroughADeath(postgres, ['--redis-url', redis?.url ?? '']);
  });
});

async function mineThroughADeath(postgres: TestPostgres, settings: readonly string[]): Promise<void> {
  await using folder = await temporaryFolder();
  const databaseUrl = await createDatabase(postgres);
  let node = startProgram(['node', '--mining', '--listen', ANY, '--block-delay-ms', '2000']);
  onTestFinished(() => node.kill('SIGKILL'));
  const nodeUrl = String((await node.ready())['url']);
  await using bridge = startProgram([
    'serve',
    ...['--node', new URL(nodeUrl).origin, '--account', ACCOUNT, '--data-dir', folder.path],
    ...['--tcp', ANY, '--ws', ANY, '--web', ANY, '--cpu', 'off', '--share-difficulty', '20000'],
    ...['--database-url', databaseUrl, ...settings],
  ]);
  const { tcp, ws, web } = await bridge.ready();
  const summary = async (): Promise<Summary> =>
    (await fetch(`${web}/api/v1/summary`)).json() as Promise<Summary>;

  const blocks = new BlockCount();
  await blocks.watch(nodeUrl);
  const rigs = [
    startProgram(['rig', '--url', `ws://${ws}`, '--user', `${ACCOUNT}.one`, '--threads', '1']),
    startProgram(['rig', '--url', `tcp://${tcp}`, '--user', `${ACCOUNT}.two`, '--threads', '1']),
  ];
  try {
    await until('solutions from rigs on both transports', async () => {
      const { solutions, sessions } = await summary();
      return sessions === 2 && solutions.accepted >= 5;
    });

    const before = await summary();
    node.kill('SIGKILL');
    await node.ended;
    await until(
      'the bridge sees that the node is away',
      async () => (await summary()).nodes[0]?.state === 'away',
    );
    expect((await fetch(`${web}/readyz`)).status).toBe(503);
    expect((await summary()).sessions).toBe(2);
    node = startProgram(['node', '--mining', '--listen', new URL(nodeUrl).host, '--block-delay-ms', '2000']);
    await blocks.watch(String((await node.ready())['url']));
    await until(
      'solutions of the new node',
      async () => (await summary()).solutions.accepted >= before.solutions.accepted + 5,
    );
    expect((await fetch(`${web}/readyz`)).status).toBe(200);
  } finally {
    for (const rig of rigs) rig.kill('SIGTERM');
    expect(await Promise.all(rigs.map((rig) => rig.ended))).toEqual([0, 0]);
  }

  const acknowledged = rigs.map(acceptedBy);
  expect(Math.min(...acknowledged)).toBeGreaterThan(0);
  await until('every solution has its last word', async () => (await summary()).solutions.pending === 0);
  await until(
    'every share is in the ledger',
    async () => ((await summary()).ledger.shares ?? 0) >= sum(acknowledged),
  );
  const last = await summary();
  await compare(last, acknowledged, databaseUrl, blocks);

  bridge.kill('SIGTERM');
  expect(await bridge.ended).toBe(0);
  expect(bridge.stderr()).toBe('');
  node.kill('SIGTERM');
  expect(await node.ended).toBe(0);
}

/** Node, ledger and summary tell the same story. */
async function compare(
  last: Summary,
  acknowledged: number[],
  databaseUrl: string,
  blocks: BlockCount,
): Promise<void> {
  expect(last.ledger.shares).toBe(sum(acknowledged));
  expect(last.submits).toMatchObject({
    accepted: sum(acknowledged),
    duplicate: 0,
    unknownJob: 0,
    malformed: 0,
  });
  const rows = await query(
    databaseUrl,
    'SELECT state, count(*)::int AS n FROM stratum_bridge.solution GROUP BY state',
  );
  const inLedger = Object.fromEntries(rows.map((row) => [row['state'], row['n']]));
  expect(inLedger['received'] ?? 0).toBe(last.solutions.accepted - (inLedger['perhaps'] ?? 0));
  // Only what was under way when the node was killed may have been refused or lost.
  expect(last.solutions.rejected).toBeLessThanOrEqual(1);
  expect(last.solutions.found).toBe(last.solutions.accepted + last.solutions.rejected);
  await until('the node shows every block', () => blocks.count >= (inLedger['received'] ?? 0));
  expect(blocks.count - (inLedger['received'] ?? 0)).toBeLessThanOrEqual(1);
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

function acceptedBy(rig: Program): number {
  const { submits } = rig.last('status') as { submits?: { accepted: number; unanswered: number } };
  expect(submits?.unanswered).toBe(0);
  return submits?.accepted ?? 0;
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
