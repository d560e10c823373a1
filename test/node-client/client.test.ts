import { describe, expect, it } from 'vitest';
import { NodeError } from '../../src/chain/errors.js';
import { encodeWork } from '../../src/core/work/work.js';
import { NodeClient } from '../../src/node-client/client.js';
import { explain } from '../../src/upstream/explain.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';
import { type Handler, serveHttp } from '../helpers/web/http.js';

const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;
const INFO = JSON.stringify({ nodeVersion: 'development', nodeApiVersion: '0.0', extra: 1 });
const BASE = '/chainweb/0.0/development';

function infoAt(
  path: string,
  rest: Handler = (_, response) => void response.writeHead(404).end(),
  network = 'development',
): Handler {
  return (request, response, body) => {
    if (request.url === path) return void response.end(INFO.replace('development', network));
    rest(request, response, body);
  };
}

describe('locating a node', () => {
  it('finds the base from scheme, host and port with /info at the root', async () => {
    await using server = await serveHttp(infoAt('/info'));
    const client = await NodeClient.connect({ nodes: server.url });
    expect(client.address).toMatchObject({ baseUrl: `${server.url}${BASE}`, network: 'development' });
    await client.close();
  });

  it.each(['chainwebVersion', 'ledgerVersion'])(
    'finds a network of any name by the %s of /config, where /info is at the base alone',
    async (key) => {
      const base = '/chainweb/0.0/made-up';
      await using server = await serveHttp(
        infoAt(
          `${base}/info`,
          (request, response) => {
            if (request.url === '/config') return void response.end(JSON.stringify({ [key]: 'made-up' }));
            response.writeHead(404).end();
          },
          'made-up',
        ),
      );
      const client = await NodeClient.connect({ nodes: server.url });
      expect(client.address).toMatchObject({ baseUrl: `${server.url}${base}`, network: 'made-up' });
      await client.close();
    },
  );

  it('takes a whole base URL as it is, also where there is no /info', async () => {
    await using server = await serveHttp((_, response) => void response.writeHead(404).end());
    const client = await NodeClient.connect({ nodes: `${server.url}/service/1.0/private/` });
    expect(client.address).toEqual({ baseUrl: `${server.url}/service/1.0/private`, network: 'private' });
    await client.close();
  });

  it('N13: says that the path is wrong where the root knows better, and takes one that is only unusual', async () => {
    await using server = await serveHttp(infoAt('/info'));
    await expect(
      NodeClient.connect({ nodes: `${server.url}/chainweb/0.0/developmnet` }),
    ).rejects.toMatchObject({
      code: 'not-a-node',
      message: `${server.url}/chainweb/0.0/developmnet serves nothing (404): by its /info this node is ${server.url}${BASE}`,
    });
    const right = await NodeClient.connect({ nodes: `${server.url}${BASE}` });
    await right.close();
    await using proxy = await serveHttp(infoAt('/info', (_, response) => void response.end('{}')));
    const unusual = await NodeClient.connect({ nodes: `${proxy.url}/my/node` });
    await unusual.close();
  });

  it.each([
    [401, /wants credentials/],
    [503, /overloaded or stopping/],
    [301, /name the address that it sends us to/],
  ])('N13: says what it is where /info answers %i, and nothing of mining', async (status, advice) => {
    await using server = await serveHttp((_, response) => void response.writeHead(status).end());
    const error = await NodeClient.connect({ nodes: server.url }).catch((thrown: NodeError) => thrown);
    expect(error).toMatchObject({ code: 'status', status, advice: expect.stringMatching(advice) });
    const { state, reason } = explain(error as NodeError);
    expect([state, reason]).toEqual(['away', expect.stringMatching(advice)]);
    expect(reason).not.toMatch(/mining|account|chains/);
  });

  it.each([
    ['a name that is no part of a path', { nodeVersion: '../\u001b[31mx' }],
    ['a name without end', { nodeVersion: 'a'.repeat(1_000_000) }],
    ['chains that are no numbers', { nodeChains: ['x'] }],
    ['chains without end', { nodeChains: Array(100_000).fill('1') }],
    ['graphs without end', { nodeGraphHistory: Array(100_000).fill([0, []]) }],
  ])('takes for no node what tells of itself %s', async (_, told) => {
    const info = JSON.stringify({ ...JSON.parse(INFO), ...told });
    await using server = await serveHttp((_request, response) => void response.end(info));
    await expect(NodeClient.connect({ nodes: server.url })).rejects.toMatchObject({ code: 'not-a-node' });
  });

  it('says when what answers is no node, and when nobody answers', async () => {
    await using server = await serveHttp((_, response) => void response.end('<html>hello</html>'));
    await expect(NodeClient.connect({ nodes: server.url })).rejects.toMatchObject({
      code: 'not-a-node',
      message: /service port/,
    });
    await expect(NodeClient.connect({ nodes: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'unreachable',
      message: /127\.0\.0\.1:1\/info cannot be reached: .*ECONNREFUSED/,
    });
  });
});

describe('a client that is closed', () => {
  it('has ended what was under way, on connections of before too, and asks no more', async () => {
    let asked = 0;
    await using server = await serveHttp(
      infoAt('/info', (_, response) => {
        asked++;
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      }),
    );
    const client = await NodeClient.connect({ nodes: server.url });
    const cut = (): Promise<unknown> =>
      client.maintenance.cut(undefined, { timeoutMs: 60_000 }).catch((error: NodeError) => error.code);
    const heard: unknown[] = [];
    client.readUpdates(0, {
      onOpen: () => void heard.push('open'),
      onEvent: ({ type }) => void heard.push(type),
      onEnd: (error) => void heard.push(error?.code),
    });
    await until('a stream', () => heard.length === 1);
    const ends = [cut()];
    await until('a question', () => asked === 2);
    client.renewConnections();
    ends.push(cut());
    await until('another', () => asked === 3);
    await client.close();
    expect(await Promise.all([...ends, cut()])).toEqual(Array(3).fill('unreachable'));
    await expect(client.solved(makeWork({}).header)).rejects.toMatchObject({ code: 'unreachable' });
    await until('the stream has ended', () => heard.length === 2);
    expect(heard).toEqual(['open', 'unreachable']);
    expect(asked).toBe(3);
  });
});

describe('mining with a node', () => {
  /** Serves the mining endpoints with one scripted answer. */
  async function withAnswer<T>(answer: Handler, use: (client: NodeClient) => Promise<T>): Promise<T> {
    await using server = await serveHttp(infoAt('/info', answer));
    const client = await NodeClient.connect({ nodes: server.url });
    try {
      return await use(client);
    } finally {
      await client.close();
    }
  }

  it('asks for work with a body and reads 322 bytes', async () => {
    const sent = makeWork({ chainId: 4 });
    const asked: unknown[] = [];
    const work = await withAnswer(
      (request, response, body) => {
        asked.push(
          request.method,
          request.url,
          request.headers['content-type'],
          request.headers['cache-control'],
          JSON.parse(body.toString()),
        );
        response.end(encodeWork(sent));
      },
      (client) => client.work({ miner: MINER, chainId: 4, timeoutMs: 60_000 }),
    );
    expect(work).toEqual(sent);
    const miner = { account: 'k:aa', predicate: 'keys-all', 'public-keys': ['aa'] };
    expect(asked).toEqual(['GET', `${BASE}/mining/work?chain=4`, 'application/json', 'no-cache', miner]);
  });

  /** Too short for a busy machine: only where nothing comes. */
  const SILENT_MS = 200;

  it.each<[string, Handler, object, number?]>([
    [
      'a refusal',
      (_, response) => void response.writeHead(403).end('Unauthorized Miner: k:aa'),
      { code: 'status', message: /answered 403 with "Unauthorized Miner: k:aa"/ },
    ],
    [
      'a page',
      (_, response) => void response.end('<html>'),
      { code: 'format', message: /322 bytes, this one 6: "<html>"/ },
    ],
    ['silence', () => {}, { code: 'timeout', message: /did not answer within 200 ms/ }, SILENT_MS],
    ['a broken connection', (_, response) => void response.destroy(), { code: 'unreachable' }],
    [
      'a flood',
      (_, response) => void response.end(Buffer.alloc(100_000)),
      { code: 'format', message: /more than 20608 bytes/ },
    ],
  ])('names what is wrong with %s', async (_, answer, expected, timeoutMs = 60_000) => {
    const asking = withAnswer(answer, (client) => client.work({ miner: MINER, timeoutMs }));
    await expect(asking).rejects.toBeInstanceOf(NodeError);
    await expect(asking).rejects.toMatchObject(expected);
  });

  it.each([200, 204])('takes %i for a received solution', async (status) => {
    const header = makeWork({}).header;
    let posted: Buffer | undefined;
    await withAnswer(
      (_, response, body) => {
        posted = body;
        response.writeHead(status).end();
      },
      (client) => client.solved(header),
    );
    expect(posted).toEqual(Buffer.from(header));
  });

  it('tells a refused solution with the words of the node', async () => {
    const refused = withAnswer(
      (_, response) => void response.writeHead(404).end('No associated Payload'),
      (client) => client.solved(makeWork({}).header),
    );
    await expect(refused).rejects.toMatchObject({ details: { status: 404, text: 'No associated Payload' } });
  });
});
