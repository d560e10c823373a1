/** Three nodes, four bridges: a partition of a minute, its healing, and books that agree with the chain once somebody has said which is right. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NodeClient } from '../../../src/node-client/client.js';
import type { Summary } from '../../../src/operations/state.js';
import { createDatabase, startTestPostgres, type TestPostgres } from '../../helpers/books/postgres.js';
import { NAMED_ORDERS, orderIn } from '../../helpers/books/standing-chains.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { type Program, runProgram, startProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';
import { fetchAsReader } from '../../helpers/web/operators.js';

const PARTITION_MS = 60_000;
const BRIDGES = 4;
const DEPTH = 3;

let postgres: TestPostgres;
beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres.close());

interface RunningBridge {
  readonly program: Program;
  readonly databaseUrl: string;
  summary(): Promise<Summary>;
}

it('agrees on one cut after a partition: books of the side that lost stand still until the order that they name, then mark the same blocks orphaned', async () => {
  await using folder = await temporaryFolder();
  const ports = await freePorts(3);
  const addresses = ports.map((port) => `127.0.0.1:${port}`);
  const nodes = addresses.map((address) => startNode(address, addresses));
  const bridges: RunningBridge[] = [];
  try {
    const ready = await Promise.all(nodes.map((node) => node.ready()));
    const urls = ready.map(({ url }) => String(url));
    const controls = ready.map(({ control }) => String(control));
    for (let i = 0; i < BRIDGES; i++)
      bridges.push(await startBridge(urls[i % urls.length] ?? '', folder.path, i));
    await until(
      'every bridge has found a block',
      () => all(bridges, ({ solutions }) => solutions.accepted > 0),
      120_000,
    );

    // The first node alone, the two others together; both sides go on mining.
    await setLinks(controls[0] ?? '', false);
    await new Promise((resolve) => setTimeout(resolve, PARTITION_MS));
    const clients = await Promise.all(urls.map((url) => NodeClient.connect({ nodes: url })));
    expect(await cutOf(clients[0])).not.toEqual(await cutOf(clients[1]));
    const untilHealed = await Promise.all(bridges.map(({ databaseUrl }) => lastBlockOf(databaseUrl)));
    await setLinks(controls[0] ?? '', true);

    // Mining goes on, so that whatever was found until now gets deep enough for a last word. What was taken over before is never left unasked.
    let orders = 0;
    const doubtful = async (): Promise<number> => {
      for (const { databaseUrl } of bridges) orders += await undoWhereNamed(databaseUrl);
      const books = await Promise.all(
        bridges.map(({ databaseUrl }, i) => blocksOf(databaseUrl, untilHealed[i] ?? 0)),
      );
      return books.flat().filter(({ state }) => state === 'pending').length;
    };
    await until('no block of before is in doubt', async () => (await doubtful()) === 0, 240_000);
    expect(orders).toBeGreaterThan(0);
    await Promise.all(controls.map((control) => put(`${control}/faults`, { miningEnabled: false })));
    await until(
      'one cut',
      async () => {
        const [first, ...others] = await Promise.all(clients.map(cutOf));
        return others.every((cut) => cut === first);
      },
      60_000,
    );
    await until(
      'the books agree with the chain',
      async () => (await disagreements(bridges, untilHealed, clients)).length === 0,
      180_000,
    );
    await Promise.all(clients.map((client) => client.close()));
  } finally {
    for (const { program } of bridges) await program[Symbol.asyncDispose]();
    for (const node of nodes) await node[Symbol.asyncDispose]();
  }
}, 480_000);

function startNode(listen: string, addresses: readonly string[]): Program {
  const peers = addresses
    .filter((address) => address !== listen)
    .flatMap((address) => ['--peers', `http://${address}`]);
  return startProgram([
    'node',
    '--mining',
    '--listen',
    listen,
    '--control',
    '127.0.0.1:0',
    '--block-delay',
    '8000ms',
    '--genesis-difficulty',
    '600000',
    ...peers,
  ]);
}

async function startBridge(nodeUrl: string, folder: string, index: number): Promise<RunningBridge> {
  const databaseUrl = await createDatabase(postgres);
  const program = startProgram([
    'serve',
    ...[
      '--node-urls',
      nodeUrl,
      '--miner-account',
      `k:${String(index).repeat(64)}`,
      '--instance',
      String(index),
    ],
    ...[
      '--data-dir',
      `${folder}/${index}`,
      '--ledger-database-url',
      databaseUrl,
      '--chain-depth',
      String(DEPTH),
    ],
    ...[
      '--stratum-tcp',
      'off',
      '--stratum-ws',
      'off',
      '--web-listen',
      '127.0.0.1:0',
      '--cpu-mode',
      'always',
      '--cpu-kernel',
      'scalar',
      '--cpu-threads',
      '1',
    ],
  ]);
  const { web } = await program.ready();
  return {
    program,
    databaseUrl,
    summary: async () => (await fetchAsReader(`${web}/api/v1/summary`)).json() as Promise<Summary>,
  };
}

async function all(
  bridges: readonly RunningBridge[],
  holds: (summary: Summary) => boolean,
): Promise<boolean> {
  return (await Promise.all(bridges.map((bridge) => bridge.summary()))).every(holds);
}

async function setLinks(control: string, connected: boolean): Promise<void> {
  await put(`${control}/links`, { connected });
}

async function put(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect(response.status).toBeLessThan(300);
}

async function cutOf(client: NodeClient | undefined): Promise<string> {
  const cut = await client?.maintenance.cut();
  return JSON.stringify(Object.entries(cut?.hashes ?? {}).sort(([a], [b]) => Number(a) - Number(b)));
}

interface FollowedRow {
  readonly chain: number;
  readonly height: number;
  readonly hash: string;
  readonly state: string;
}

/** Does for each chain of these books that stands still what they say. Resolves with how many these were. */
async function undoWhereNamed(databaseUrl: string): Promise<number> {
  const orders = (await query<{ trouble: string }>(databaseUrl, NAMED_ORDERS)).map(orderIn);
  for (const words of orders) {
    const given = [...words, 'the partition is over', '--ledger-database-url', databaseUrl];
    const { code, stderr } = await runProgram(given);
    expect(code, stderr).toBe(0);
  }
  return orders.length;
}

/** Those up to the block `last`. */
async function blocksOf(connectionString: string, last: number): Promise<FollowedRow[]> {
  const text = `SELECT chain_id AS chain, height::int AS height, encode(hash, 'hex') AS hash, state
                FROM stratum_bridge.block WHERE state IS NOT NULL AND id <= ${last}`;
  return query<FollowedRow>(connectionString, text);
}

async function lastBlockOf(connectionString: string): Promise<number> {
  const [row] = await query<{ last: number }>(
    connectionString,
    'SELECT max(id)::int AS last FROM stratum_bridge.block',
  );
  return row?.last ?? 0;
}

async function query<T extends object>(connectionString: string, text: string): Promise<T[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return (await client.query<T>(text).finally(() => client.end())).rows;
}

/** Blocks that are orphaned in the books and on the chain of a node, or neither. Fails when none at all is orphaned. */
async function disagreements(
  bridges: readonly RunningBridge[],
  untilHealed: readonly number[],
  clients: readonly NodeClient[],
): Promise<string[]> {
  const onChain = await blocksOnChain(clients[0] ?? expect.fail('no node'));
  const books = await Promise.all(
    bridges.map(({ databaseUrl }, i) => blocksOf(databaseUrl, untilHealed[i] ?? 0)),
  );
  const blocks = books.flat();
  expect(blocks.some(({ hash }) => !onChain.has(hash))).toBe(true);
  return blocks
    .filter(({ hash, state }) => (state === 'orphaned') === onChain.has(hash))
    .map(({ hash }) => hash);
}

async function blocksOnChain(client: NodeClient): Promise<Set<string>> {
  const onChain = new Set<string>();
  const cut = await client.maintenance.cut();
  for (const [chainId, { hash }] of Object.entries(cut.hashes)) {
    for await (const ancestor of client.chain(Number(chainId)).hashes.eachInBranch({ upper: [hash] }))
      onChain.add(Buffer.from(ancestor, 'base64url').toString('hex'));
  }
  return onChain;
}
