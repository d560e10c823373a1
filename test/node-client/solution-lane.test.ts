/** A solution never waits: it has connections of its own, which are open before it is found and stay open. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HEADER_BYTES } from '../../src/core/work/header.js';
import { encodeWork } from '../../src/core/work/work.js';
import { NodeClient } from '../../src/node-client/client.js';
import { makeWork } from '../helpers/rigs/works.js';
import { until } from '../helpers/until.js';
import { failureOf, INFO } from './scripted-node.js';

/** Connections that are kept for solutions. */
const KEPT = 4;

const MINER = { account: 'k:aa', predicate: 'keys-all', publicKeys: ['aa'] } as const;

interface LaneNode extends AsyncDisposable {
  readonly client: NodeClient;
  /** Every connection so far, oldest first. */
  readonly sockets: Socket[];
  /** The connection of each solution. */
  readonly solvedOn: Socket[];
  /** How often a connection was kept open. */
  kept(): number;
  /** Answers every solution that waits, or the one that came last. */
  answerSolutions(which?: 'all' | 'last', status?: number): void;
  slowUnderWay(): number;
}

/** A node whose `/cut` never answers, whose solutions answer when told, and that gives work. */
async function laneNode(
  setUp: (server: ReturnType<typeof createServer>) => void = () => {},
): Promise<LaneNode> {
  const sockets: Socket[] = [];
  const solvedOn: Socket[] = [];
  const waiting: ServerResponse[] = [];
  let kept = 0;
  let slow = 0;
  const server = createServer((request: IncomingMessage, response) => {
    request.resume();
    if (request.url === '/info') {
      kept++;
      return void response.end(INFO);
    }
    if (request.url?.includes('/mining/work')) return void response.end(encodeWork(makeWork({})));
    if (!request.url?.endsWith('/mining/solved')) return void slow++;
    solvedOn.push(request.socket);
    waiting.push(response);
  });
  setUp(server);
  server.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = await NodeClient.connect({
    nodes: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  await client.work({ miner: MINER, timeoutMs: 60_000 });
  return {
    client,
    sockets,
    solvedOn,
    kept: () => kept,
    slowUnderWay: () => slow,
    answerSolutions: (which = 'all', status = 204) => {
      const answered = waiting.splice(which === 'last' ? -1 : 0);
      for (const response of answered) response.writeHead(status).end();
    },
    async [Symbol.asyncDispose]() {
      await client.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Each connection for solutions is open, and not in the middle of being kept open: the answers have been read. */
async function ready(node: LaneNode): Promise<void> {
  await until('connections for solutions', () => node.kept() > KEPT);
  await nextTurn();
  await nextTurn();
}

describe('the way of solutions', () => {
  it('N6: is a new connection when a kept one has died without a word', async () => {
    await using node = await laneNode();
    await ready(node);
    const posting = node.client.solved(new Uint8Array(HEADER_BYTES));
    // Where this machine is slow, once more.
    await until('it is posted again', () => node.solvedOn.length >= 2);
    const [first, second] = node.solvedOn;
    expect(second).not.toBe(first);
    expect(node.sockets.at(-1)).toBe(node.solvedOn.at(-1));
    // The second is taken; to the first nothing ever comes.
    node.answerSolutions('last');
    await posting;
  });

  it('N6: says how often it was posted where it was refused, and waits for the better answer', async () => {
    await using node = await laneNode();
    await ready(node);
    const lost = node.client.solved(new Uint8Array(HEADER_BYTES));
    await until('it is posted again', () => node.solvedOn.length >= 2);
    node.answerSolutions('last', 404);
    await expect(lost).rejects.toMatchObject({ status: 404, details: { posts: expect.any(Number) } });
    expect((await lost.catch((error) => error)).details.posts).toBeGreaterThan(1);
    node.answerSolutions();
    const before = node.solvedOn.length;
    const slow = node.client.solved(new Uint8Array(HEADER_BYTES));
    await until('it is posted again', () => node.solvedOn.length >= before + 2);
    node.answerSolutions('last', 404);
    node.answerSolutions();
    await slow;
  });

  it.each<[status: number, type: string, words: string]>([
    [401, 'text/plain', 'who are you?'],
    [403, 'text/plain', 'blocked'],
    [404, 'text/plain', 'no route'],
    [404, 'text/html', '<p>The payload is not here</p>'],
    [400, 'text/html', '<h1>Bad Request</h1>'],
    [405, 'text/plain', ''],
    [302, 'text/plain', ''],
    [200, 'text/html; charset=utf-8', '<p>Please log in</p>'],
    [202, 'text/plain', ''],
  ])(
    'CH2: is neither taken nor refused by a %i of something before the node (%s), and is posted over another connection',
    async (...before) => {
      const answers = [before, [404, 'text/plain', 'No associated Payload'] as const];
      await using node = await laneNode((server) => {
        server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
          if (!request.url?.endsWith('/mining/solved')) return;
          const [status, type, words] = answers[Math.min(node.solvedOn.length, 1)] ?? before;
          response.writeHead(status, { 'content-type': type }).end(words);
        });
      });
      await ready(node);
      const post = () => failureOf(node.client.solved(new Uint8Array(HEADER_BYTES)));
      expect((await post()).details).toMatchObject({ status: before[0], isFinal: false });
      expect((await post()).details).toMatchObject({ status: 404, isFinal: true });
      expect(node.solvedOn[1]).not.toBe(node.solvedOn[0]);
    },
  );

  it('is open while 50 slow requests are under way: no new connection, no waiting', async () => {
    await using node = await laneNode();
    const { client, sockets } = node;
    await ready(node);
    const slow = Array.from({ length: 50 }, () => client.maintenance.cut().catch((error: unknown) => error));
    await until('50 slow requests', () => node.slowUnderWay() === 50);
    const before = [...sockets];
    const solutions = [client.solved(makeWork({}).header), client.solved(makeWork({ chainId: 4 }).header)];
    await until('two solutions', () => node.solvedOn.length === 2);
    expect(before).toContain(node.solvedOn[0]);
    expect(before).toContain(node.solvedOn[1]);
    expect(node.solvedOn[0]).not.toBe(node.solvedOn[1]);
    expect(sockets.length).toBe(before.length);
    node.answerSolutions();
    await Promise.all(solutions);
    await client.close();
    for (const error of await Promise.all(slow)) expect(error).toMatchObject({ code: 'unreachable' });
  });

  it('is taken at once: the solution is written before its call returns', async () => {
    const sockets: Socket[] = [];
    const opened = (message: unknown): void => void sockets.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', opened);
    await using node = await laneNode();
    await ready(node);
    unsubscribe('net.client.socket', opened);
    const written = (): number => sockets.reduce((sum, socket) => sum + socket.bytesWritten, 0);
    const before = written();
    const solution = node.client.solved(makeWork({}).header);
    expect(written() - before).toBeGreaterThan(HEADER_BYTES);
    expect(sockets.every(({ writableLength }) => writableLength === 0)).toBe(true);
    await until('the solution', () => node.solvedOn.length === 1);
    node.answerSolutions();
    await solution;
  });

  it('takes another connection where all are at work, rather than let a solution wait', async () => {
    await using node = await laneNode();
    await ready(node);
    const chains = Array.from({ length: KEPT + 1 }, (_, chainId) => chainId);
    const solutions = chains.map((chainId) => node.client.solved(makeWork({ chainId }).header));
    await until('all solutions', () => node.solvedOn.length === KEPT + 1);
    expect(new Set(node.solvedOn).size).toBe(KEPT + 1);
    node.answerSolutions();
    await Promise.all(solutions);
  });

  it('takes one solution after the other without a pause, on the connections that it has', async () => {
    await using node = await laneNode((server) => {
      server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
        if (request.url?.endsWith('/mining/solved')) response.writeHead(204).end();
      });
    });
    await ready(node);
    const before = [...node.sockets];
    const oneByOne = async (chainId: number): Promise<void> => {
      for (let i = 0; i < 50; i++) await node.client.solved(makeWork({ chainId }).header, 1_000);
    };
    await Promise.all([oneByOne(0), oneByOne(1)]);
    expect(node.solvedOn).toHaveLength(100);
    expect(before).toEqual(expect.arrayContaining(node.solvedOn));
  });

  it('stays open past the idle time of the server, by its hint', async () => {
    await using node = await laneNode((server) => {
      server.keepAliveTimeout = 1_000;
    });
    await ready(node);
    const before = [...node.sockets];
    const kept = node.kept();
    await until('it was kept open for longer than the server waits', () => node.kept() >= kept + 8);
    const solution = node.client.solved(makeWork({}).header);
    await until('the solution', () => node.solvedOn.length === 1);
    expect(before).toContain(node.solvedOn[0]);
    node.answerSolutions();
    await solution;
  });

  it('opens again by itself when the node drops it', async () => {
    await using node = await laneNode();
    await ready(node);
    const [before, kept] = [node.sockets.length, node.kept()];
    for (const socket of node.sockets) socket.destroy();
    await until('it is open again', () => node.sockets.length >= before + KEPT && node.kept() >= kept + KEPT);
  });

  it('is not fooled by an answer to nothing, as some servers give before they close', async () => {
    await using node = await laneNode();
    await ready(node);
    const [before, kept] = [node.sockets.length, node.kept()];
    for (const socket of node.sockets)
      socket.write('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n');
    const isRenewed = (): boolean => node.sockets.length >= before + KEPT && node.kept() >= kept + KEPT;
    await until('all are open anew', isRenewed);
    const solution = node.client.solved(makeWork({}).header);
    await until('the solution', () => node.solvedOn.length === 1);
    node.answerSolutions();
    await solution;
  });

  it('asks ever less often when the server closes each connection', async () => {
    await using node = await laneNode((server) => {
      server.on('request', (_request: IncomingMessage, response: ServerResponse) => {
        response.shouldKeepAlive = false;
      });
      server.prependListener('request', (_request: IncomingMessage, response: ServerResponse) => {
        response.setHeader('connection', 'close');
      });
    });
    const startedMs = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    // Pauses of 50 to 100 ms, then twice that, and so on: 6 tries of each connection in 2 s at the most, and /info once.
    const tries = 1 + Math.floor(Math.log2((performance.now() - startedMs) / 50 + 1));
    expect(node.kept()).toBeLessThan(KEPT * tries + 2);
    await until('each has been tried', () => node.kept() > 3);
    const solution = node.client.solved(makeWork({}).header);
    await until('the solution', () => node.solvedOn.length === 1);
    node.answerSolutions();
    await solution;
  });

  it('is not opened for who never mines', async () => {
    await using node = await laneNode();
    await ready(node);
    const reader = await NodeClient.connect({ nodes: new URL(node.client.address.baseUrl).origin });
    const before = node.sockets.length;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(node.sockets.length).toBe(before);
    await reader.close();
  });

  it('ends with the client', async () => {
    await using node = await laneNode();
    await ready(node);
    await node.client.close();
    await until('all connections are closed', () => node.sockets.every((socket) => socket.destroyed));
  });
});
