/** The example of every endpoint, run against the development node; and what a call tells of itself. */
import { createGzip, gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINT_KEYS } from '../../src/chain/endpoints.js';
import type { Work } from '../../src/core/work/work.js';
import type { DevNode } from '../../src/devnode/dev-node.js';
import { NodeClient, type NodeError, type SeenAnswer } from '../../src/node-client/client.js';
import { mineMany, mineOne, solve, startEasyNode } from '../devnode/helpers.js';
import { newTransaction } from '../helpers/books/transactions.js';
import { temporaryFolder } from '../helpers/folder.js';
import { command, funds, GAS } from '../helpers/processes/commands.js';
import { keyPair } from '../helpers/processes/key-pair.js';
import { until } from '../helpers/until.js';
import { serveHttp } from '../helpers/web/http.js';
import { CUT, failureOf, flood, scriptedPauses, withNode } from './scripted-node.js';

type Example = (node: NodeClient, given: object) => unknown;
// By its own path: the example is JavaScript, as its readers have it.
const { EXAMPLES } = (await import(
  String(new URL('../../config/examples/node-endpoints.js', import.meta.url))
)) as {
  EXAMPLES: Readonly<Record<string, Example>>;
};

const ALICE = keyPair(1);
const PEER = { id: null, address: { hostname: '127.0.0.1', port: 9 } };

describe('every endpoint has an example, which runs', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let server: DevNode;
  let node: NodeClient;
  beforeAll(async () => {
    folder = await temporaryFolder();
    const peers = ['http://127.0.0.1:9'];
    server = await startEasyNode({
      ...{ backupDir: `${folder.path}/backups`, peers, payloadRefresh: 1 },
      initialBalances: [funds(ALICE, '100')],
    });
    await mineMany(server, 40);
    node = await NodeClient.connect({ nodes: server.rootUrl });
  });
  afterAll(async () => {
    await node.close();
    await server.close();
    await folder[Symbol.asyncDispose]();
  });

  it('of the same names as the table', () => {
    expect(Object.keys(EXAMPLES).sort()).toEqual([...ENDPOINT_KEYS].sort());
  });

  it.each(ENDPOINT_KEYS)('%s', async (key) => {
    const given = {
      miner: { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] },
      transaction: newTransaction(`of ${key}`).text,
      command: command({
        code: `(coin.get-balance "${ALICE.account}")`,
        nonce: key,
        signers: [[ALICE, [GAS]]],
      }),
      peer: PEER,
      solve: ({ header }: Work) => solve(header),
    };
    let isDone = false;
    const answer = Promise.resolve(EXAMPLES[key]?.(node, given)).finally(() => {
      isDone = true;
    });
    // What waits for a block gets one.
    // This node proves nothing of contracts.
    if (key === 'spv') {
      await expect(answer).rejects.toMatchObject({ code: 'refused', message: /contracts do not run/ });
      return;
    }
    if (key === 'listen' || key.endsWith('Updates')) {
      await until('an event', async () => {
        await mineOne(server, key === 'listen' ? 0 : undefined);
        return isDone;
      });
    }
    const changes = ['putCut', 'addCutPeer', 'addPoolPeer', 'insert', 'solved'].includes(key);
    expect((await answer) === undefined).toBe(changes);
  });

  it('JSON of what models give can be written and read', async () => {
    const { items } = await node.chain(0).blocks.page();
    expect(items.length).toBeGreaterThan(1);
    expect(JSON.parse(JSON.stringify(items))).toEqual(items);
  });
});

describe('a call', () => {
  it('tells its hooks of each request, each answer with its headers, and each pause', async () => {
    const told: unknown[] = [];
    const { options } = scriptedPauses();
    let asked = 0;
    const policy = {
      attempts: 2,
      onRequest: ({ endpoint }: { endpoint: string }) => void told.push(endpoint),
      onAnswer: ({ status, headers, facts }: SeenAnswer) =>
        void told.push([status, headers['x-own'], facts.softwareVersion]),
      onRetry: ({ error, pauseMs }: { error: NodeError; pauseMs: number }) =>
        void told.push([error.status, pauseMs]),
    };
    await withNode(
      (_, response) => {
        response.setHeader('x-own', 'yes').setHeader('x-ledger-node-version', '1.2');
        if (++asked === 1) response.writeHead(503, { 'retry-after': '7' }).end();
        else response.end(CUT);
      },
      async (node) => {
        await node.maintenance.cut();
        await node.solved(new Uint8Array(286));
      },
      { ...options, policy },
    );
    const cut = ['GET /cut', [503, 'yes', '1.2'], [503, 7000], 'GET /cut', [200, 'yes', '1.2']];
    expect(told).toEqual([...cut, 'POST /mining/solved', [200, 'yes', '1.2']]);
  });

  it.each([
    ['seconds', '3', 3_000],
    ['more than a minute', '3600', 60_000],
    ['a date of yesterday', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['nonsense', 'soon', 75],
  ])('waits as long as the node asks for, in %s', async (_, text, expected) => {
    const { pausesMs, options } = scriptedPauses();
    await withNode(
      (_request, response) => void response.writeHead(503, { 'retry-after': text }).end(),
      (node) => failureOf(node.maintenance.cut(undefined, { attempts: 2 })),
      options,
    );
    expect(pausesMs).toEqual([expected]);
  });

  it('takes an answer that was packed on the way, and no more of it than allowed', async () => {
    const asked: unknown[] = [];
    await withNode(
      (request, response) => {
        asked.push(request.headers['accept-encoding']);
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(CUT));
      },
      async (node) => expect((await node.maintenance.cut()).height).toBe(1),
    );
    expect(asked).toEqual(['gzip']);
    await withNode(
      (_, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' });
        const packed = createGzip();
        packed.pipe(response);
        flood(packed as unknown as typeof response);
      },
      async (node) => {
        const error = await failureOf(
          node.maintenance.cut(undefined, { maxBytes: 50_000, timeoutMs: 60_000 }),
        );
        expect(error).toMatchObject({ code: 'format', message: /more than 50000 bytes/ });
      },
    );
    await withNode(
      (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('not packed'),
      async (node) => expect((await failureOf(node.maintenance.cut())).code).toBe('unreachable'),
    );
  });

  it('is looked for until the caller ends that', async () => {
    let asked = 0;
    await using silent = await serveHttp(() => void asked++);
    const ending = new AbortController();
    const looking = failureOf(
      NodeClient.connect({ nodes: silent.url, timeoutMs: 60_000, signal: ending.signal }),
    );
    await until('a question', () => asked === 1);
    ending.abort();
    expect((await looking).code).toBe('aborted');
    const late = failureOf(
      NodeClient.connect({ nodes: silent.url, timeoutMs: 60_000, signal: AbortSignal.abort() }),
    );
    expect((await late).code).toBe('aborted');
    expect(asked).toBe(1);
  });

  it('goes by the dispatcher that is given, and leaves it open', async () => {
    const paths: string[] = [];
    const agent = new Agent();
    const dispatcher = agent.compose((dispatch) => (options, handler) => {
      paths.push(String(options.path));
      return dispatch(options, handler);
    });
    await withNode(
      (_, response) => void response.end(CUT),
      async (node, url) => {
        await node.maintenance.cut();
        await node.solved(new Uint8Array(286));
        await node.close();
        await using other = await NodeClient.connect({ nodes: url, dispatcher });
        expect((await other.maintenance.cut()).height).toBe(1);
      },
      { dispatcher },
    );
    expect(paths).toContain('/chainweb/0.0/development/mining/solved');
    expect(paths.filter((path) => path.endsWith('/cut')).length).toBe(2);
    expect(agent.closed).toBe(false);
    await agent.close();
  });
});
