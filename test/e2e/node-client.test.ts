/** The project's own node client against the development node's process: as specified, and with the ways of real nodes. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { NodeClient } from '../../src/node-client/client.js';
import { solve } from '../devnode/helpers.js';
import { type NodeProcess, startNodeProcess } from '../devnode/process.js';
import { until } from '../helpers/until.js';

const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const TIMEOUT_MS = 60_000;

const open: NodeClient[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

async function connect(url: string): Promise<NodeClient> {
  const client = await NodeClient.connect({ nodes: url });
  open.push(client);
  return client;
}

describe.each(['specification', 'chainweb'] as const)('profile %s', (profile) => {
  let url = '';
  let node: NodeProcess;
  beforeAll(async () => {
    node = await startNodeProcess('--mining', '--genesis-difficulty', '64', '--profile', profile);
    ({ url } = node);
  });
  afterAll(() => node[Symbol.asyncDispose]());

  it('is found by its base address and by host and port alone', async () => {
    for (const given of [url, new URL(url).origin]) {
      const client = await connect(given);
      expect(client.address.baseUrl).toBe(url);
      expect(await client.maintenance.healthCheck()).toBe('Health check OK.');
    }
  });

  it('hands out work whose solution it takes once', async () => {
    const client = await connect(url);
    const work = await client.work({ miner: MINER, chainId: 4, timeoutMs: TIMEOUT_MS });
    expect(work.fields).toMatchObject({ chainId: 4, height: 1 });
    const solved = solve(work.header);
    await client.solved(solved);
    await expect(client.solved(solved)).rejects.toMatchObject({
      code: 'status',
      message: expect.stringContaining('404'),
    });
    const next = await client.work({ miner: MINER, timeoutMs: TIMEOUT_MS });
    expect(next.chainId).not.toBe(4);
  });

  it('refuses a hash above the target, and then does not know the payload', async () => {
    const client = await connect(url);
    const { header } = await client.work({ miner: MINER, timeoutMs: TIMEOUT_MS });
    await expect(client.solved(solve(header, { misses: true }))).rejects.toThrow('Invalid POW hash');
    await expect(client.solved(solve(header))).rejects.toThrow('No associated Payload');
  });

  it('announces new work of one chain on a stream', async () => {
    const client = await connect(url);
    const heard: unknown[] = [];
    const stream = client.readUpdates(7, {
      onOpen: () => void heard.push('open'),
      onEvent: ({ type }) => void heard.push(type),
      onEnd: (error) => void heard.push(error),
    });
    await until('it is open', () => heard.length === 1);
    const work = await client.work({ miner: MINER, chainId: 7, timeoutMs: TIMEOUT_MS });
    await client.solved(solve(work.header));
    await until('the news', () => heard.length > 1);
    stream.close();
    expect(heard.slice(0, 2)).toEqual(['open', 'New Cut']);
  });
});
