/** Networks and graphs beyond those that were there first: by name, by file, and with votes on forks. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { NODE_SETTINGS } from '../../../src/commands/node/settings.js';
import { VOTE } from '../../../src/core/work/fork-epoch.js';
import { decodeHeader } from '../../../src/core/work/header.js';
import { GRAPH_NAMES } from '../../../src/devnode/consensus/chain-graph.js';
import { brokenFlags, forkRulesFrom, forkStateOf } from '../../../src/devnode/consensus/fork-state.js';
import { NETWORK_NAMES } from '../../../src/devnode/consensus/known-networks.js';
import { jsonIn, type NetworkDefinition } from '../../../src/devnode/consensus/network-definition.js';
import { startDevNode } from '../../../src/devnode/dev-node.js';
import { NodeClient } from '../../../src/node-client/client.js';
import { temporaryFolder } from '../../helpers/folder.js';
import { freePorts } from '../../helpers/processes/ports.js';
import { startProgram } from '../../helpers/processes/program.js';
import { until } from '../../helpers/until.js';
import { ask, askWork, EASY, mineOne, testNodes } from '../helpers.js';
import { startEasyHere } from '../process.js';

const folder = await temporaryFolder();
afterAll(() => folder[Symbol.asyncDispose]());
const { easyNode, cleanUp } = testNodes();
afterEach(cleanUp);

async function fileOf(name: string, value: unknown): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, typeof value === 'string' ? value : JSON.stringify(value));
  return path;
}

interface Info {
  readonly nodeVersion: string;
  readonly nodeNumberOfChains: number;
  readonly nodeBlockDelay: number;
}

describe('networks', () => {
  it('are known by name to the settings as they are to the node', () => {
    const { 'devnode.network': network, 'devnode.graph': graph } = NODE_SETTINGS;
    for (const name of NETWORK_NAMES) expect(network.help).toContain(name);
    for (const name of GRAPH_NAMES) expect(graph.help).toContain(name);
  });

  it.each([
    ['testnet06', 8, 20, Date.parse('2026-02-16T08:15:00Z')],
    ['stoa', 10, 10, Date.parse('2026-02-01T00:00:00Z')],
    ['recap-development', 1, 10, Date.parse('2019-07-17T18:28:37.613Z')],
  ])('%s by its name has code %i, %i chains and its genesis time', async (network, code, chains, genesis) => {
    const node = await easyNode({ network, blockDelay: 0 });
    const info = (await ask(`${node.url}/info`)).json<Info>();
    expect(info).toMatchObject({
      nodeVersion: network,
      nodeNumberOfChains: chains,
      nodeBlockDelay: 30_000_000,
    });
    const header = decodeHeader(await mineOne(node, 0));
    expect([header.versionCode, header.height]).toEqual([code, 1]);
    const accept = 'application/json;blockheader-encoding=object';
    const page = await ask(`${node.url}/chain/0/header?limit=1`, { headers: { accept } });
    const [first] = page.json<{ items: { creationTime: number }[] }>().items;
    expect(Math.floor((first?.creationTime ?? 0) / 1000)).toBe(genesis);
  });

  it('of a file is served and mined, and a client reads it', async () => {
    const square = { 0: [1, 3], 1: [0, 2], 2: [1, 3], 3: [0, 2] };
    const path = await fileOf('own.json', {
      name: 'my-network',
      code: 4242,
      graph: square,
      forkEpoch: 12,
      genesisTime: '2026-11-01T00:00:00Z',
    });
    await using node = await startEasyHere('--network', path);
    expect(new URL(node.url).pathname).toBe('/chainweb/0.0/my-network');
    const header = decodeHeader(await mineOne(node, 2));
    expect([header.versionCode, header.adjacents.map(({ chainId }) => chainId)]).toEqual([4242, [1, 3]]);
    const client = await NodeClient.connect({ nodes: node.rootUrl });
    try {
      expect(client.address.network).toBe('my-network');
      expect(Object.keys((await client.maintenance.cut()).hashes)).toHaveLength(4);
      await until(
        'the block by its header',
        async () => (await client.maintenance.cut()).hashes[2]?.height === 1,
      );
    } finally {
      await client.close();
    }
  });

  it('take a graph of a file', async () => {
    const path = await fileOf('line.json', [[1], [0, 2], [1]]);
    await using node = await startEasyHere('--graph', path);
    expect((await ask(`${node.url}/info`)).json<Info>().nodeNumberOfChains).toBe(3);
    await mineOne(node, 1);
  });

  it.each([
    ['no JSON', '{', 'cannot be read'],
    ['no object', [], 'must be a JSON object'],
    ['no name', { code: 1 }, 'name must be'],
    ['a name for no path', { name: 'a/b', code: 1 }, 'name must be'],
    ['a known name', { name: 'mainnet01', code: 5 }, 'name must be no known one'],
    ['no code', { name: 'own' }, 'code must be'],
    ['a code too large', { name: 'own', code: 2 ** 32 }, 'code must be'],
    ['no delay', { name: 'own', code: 1, blockDelayMs: -1 }, 'blockDelayMs must be'],
    ['no window', { name: 'own', code: 1, difficultyWindow: 1 }, 'difficultyWindow must be'],
    ['no time', { name: 'own', code: 1, genesisTime: 'soon' }, 'genesisTime must be'],
    ['no graph', { name: 'own', code: 1, graph: 'cube' }, 'graph must be'],
    ['a graph with a loop', { name: 'own', code: 1, graph: [[0]] }, 'graph names chain 0 beside chain 0'],
    ['a graph of one way', { name: 'own', code: 1, graph: [[1], []] }, 'not the other way round'],
    ['a graph in pieces', { name: 'own', code: 1, graph: [[], []] }, 'in one piece'],
    [
      'a graph of 21 chains',
      { name: 'own', code: 1, graph: Array.from({ length: 21 }, () => []) },
      '1 to 20 chains',
    ],
    ['two graphs', { name: 'own', code: 1, graph: 'pair', graphs: [[0, 'pair']] }, 'graph or graphs'],
    ['another field', { name: 'own', code: 1, grpah: 'pair' }, 'no field "grpah"'],
  ])('are refused with %s', async (what, content, named) => {
    const path = await fileOf(`${what}.json`, content);
    const start = async (): Promise<unknown> =>
      startDevNode({ ...EASY, network: jsonIn(path) as NetworkDefinition });
    await expect(start()).rejects.toThrow(named);
  });

  it('the command says what is wrong with a file', async () => {
    const path = await fileOf('faulty.json', { name: 'own', code: 'x' });
    await using program = startProgram(['node', '--listen', '127.0.0.1:0', '--network', path]);
    expect(await program.ended).not.toBe(0);
    expect(program.stderr()).toMatch(/faulty\.json: .*code must be a whole number/);
  });
});

describe('votes on forks', () => {
  const stateOf = (header: Uint8Array): { number: number; votes: number } =>
    forkStateOf(decodeHeader(header).flags);
  const SMALL = { graph: 'pair', forkEpoch: 6, proofOfWork: false } as const;

  it('rise block by block, are counted, and bring the fork in the next epoch', async () => {
    const node = await easyNode({ ...SMALL, forkNumber: 1 });
    const states: unknown[] = [];
    for (let height = 1; height <= 13; height++) {
      states.push(stateOf(await mineOne(node, 0)));
      await mineOne(node, 1);
    }
    const votes = (number: number, ...counts: number[]) =>
      counts.map((count) => ({ number, votes: count * VOTE }));
    // Heights 1 to 4 vote, 5 counts; 6 is of the next epoch, and of the fork: from there nobody votes any more.
    expect(states).toEqual([...votes(0, 1, 2, 3, 4, 4), ...votes(1, 0, 0, 0, 0, 0, 0, 0, 0)]);
  });

  it('are counted as the mean of a chain and its neighbours, and less than two thirds bring nothing', async () => {
    const [one = 0, two = 0] = await freePorts(2);
    const addressOf = (port: number): string => `http://127.0.0.1:${port}`;
    const at = (port: number, peer: number) => ({
      ...SMALL,
      listen: { host: '127.0.0.1', port },
      peers: [addressOf(peer)],
      peerPollMs: 50,
    });
    // Chain 0 votes and chain 1 does not: its blocks come from a node that knows of no fork.
    const voter = await easyNode({ ...at(one, two), forkNumber: 1 });
    const other = await easyNode(at(two, one));
    const mineOn = async (node: typeof voter, chain: number, height: number): Promise<Uint8Array> => {
      const header = await mineOne(node, chain);
      const isThere = (each: typeof voter): boolean => each.cut().heights[chain] === height;
      await until(`both have chain ${chain} at ${height}`, () => [voter, other].every(isThere));
      return header;
    };
    const states: unknown[] = [];
    for (let height = 1; height <= 6; height++) {
      const headers = [await mineOn(voter, 0, height), await mineOn(other, 1, height)];
      states.push(headers.map((header) => stateOf(header).votes / VOTE));
      expect(headers.map((header) => stateOf(header).number)).toEqual([0, 0]);
    }
    // Heights 1 to 4 vote, 5 counts, 6 begins anew.
    expect(states).toEqual([
      [1, 0],
      [2, 0],
      [3, 0],
      [4, 0],
      [2, 2],
      [1, 0],
    ]);
  });

  it('are checked, and a node takes no block of a fork that it does not know of', async () => {
    const node = await easyNode({ ...SMALL });
    const header = Uint8Array.from((await askWork(node, 0)).bytes.subarray(36));
    new DataView(header.buffer).setBigUint64(0, 1n, true);
    const answer = await ask(`${node.url}/mining/solved`, { method: 'POST', body: header });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('flags are 1, not 0 or 4294967296000'),
    ]);
    const rules = forkRulesFrom(6, {});
    expect(brokenFlags(rules, [1n], 1n)).toContain('this node knows of forks up to 0');
    expect(brokenFlags({ ...rules, number: 1 }, [1n], 1n)).toBe(undefined);
  });

  it.each([
    [{ forkEpoch: 2 }, 'forkEpoch'],
    [{ forkNumber: -1, forkEpoch: 6 }, 'forkNumber'],
    [{ forkNumber: 1 }, 'forkNumber needs'],
    [{ forkEpoch: 6, forkState: 1n }, 'forkState'],
  ])('%o is refused naming %s', async (options, named) => {
    await expect(startDevNode({ ...EASY, ...options })).rejects.toThrow(named);
  });
});
