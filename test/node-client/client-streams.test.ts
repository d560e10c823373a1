/** Event streams of a node as async iterables: whatever ends them, they come back or say why not. */
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, createGzip } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { NodeClient } from '../../src/node-client/client.js';
import { until } from '../helpers/until.js';
import type { Handler } from '../helpers/web/http.js';
import { failureOf, flood, HASH, withNode as withAnyNode } from './scripted-node.js';

/** Its headers are made up. */
const withNode: typeof withAnyNode = (answer, use, options) =>
  withAnyNode(answer, use, { verify: false, ...options });

describe('streams', () => {
  const HEADER = {
    creationTime: 1,
    parent: HASH,
    hash: HASH,
    chainId: 2,
    weight: HASH,
    adjacents: {},
    epochStart: 0,
    ledgerVersion: 'development',
    payloadHash: HASH,
    target: HASH,
    nonce: '1',
  };
  const eventAt = (height: number): string =>
    `event:BlockHeader\r\ndata:${JSON.stringify({ header: { ...HEADER, height } })}\r\n\r\n`;
  const begin = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  };
  const headersOf = async (node: NodeClient, count: number, options = {}): Promise<number[]> => {
    const heights: number[] = [];
    for await (const { header } of node.headerUpdates(options)) {
      heights.push(header.height);
      if (heights.length === count) break;
    }
    return heights;
  };

  it('come back when they end, break in the middle of an event, stall, or are refused for now', async () => {
    let streams = 0;
    let opened = 0;
    const answer: Handler = (_, response) => {
      const nth = ++streams;
      if (nth === 2) return void response.writeHead(503).end();
      begin(response);
      if (nth === 3) return; // stalls
      response.write(eventAt(nth));
      if (nth === 1) return void response.end();
      // What is not on its way yet would be lost with the connection.
      response.write(eventAt(99).slice(0, 30), () => void (nth < 6 && response.destroy()));
    };
    const heights = await withNode(answer, (node) =>
      headersOf(node, 4, { silenceMs: 5_000, onOpen: () => void opened++ }),
    );
    expect(heights).toEqual([1, 4, 5, 6]);
    expect(opened).toBe(5);
  });

  it('CH16: are heard where something before the node packs them, and refused where nobody could read them', async () => {
    const packed: Handler = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' });
      const gzip = createGzip();
      gzip.pipe(response);
      gzip.write(eventAt(1));
      gzip.flush();
      gzip.write(eventAt(2));
      gzip.flush();
    };
    await withNode(packed, async (node) => expect(await headersOf(node, 2)).toEqual([1, 2]));
    const unreadable: Handler = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': 'br' });
      response.write(brotliCompressSync(eventAt(1)));
    };
    await withNode(unreadable, async (node) => {
      const error = await failureOf(headersOf(node, 1));
      expect(error).toMatchObject({ code: 'format', message: expect.stringContaining('packed as br') });
    });
  });

  it('are closed when the caller leaves the loop or aborts', async () => {
    let closed = 0;
    const answer: Handler = (_, response) => {
      begin(response);
      response.write(eventAt(1));
      response.on('close', () => void closed++);
    };
    await withNode(answer, async (node) => {
      expect(await headersOf(node, 1)).toEqual([1]);
      await until('the stream is closed', () => closed === 1);
      const ending = new AbortController();
      const heights: number[] = [];
      for await (const { header } of node.headerUpdates({ signal: ending.signal })) {
        heights.push(header.height);
        setTimeout(() => ending.abort(), 50);
      }
      expect(heights).toEqual([1]);
      expect(await headersOf(node, 2, { signal: ending.signal })).toEqual([]);
      await until('the second stream is closed', () => closed === 2);
    });
  });

  it.each<[string, (response: ServerResponse) => void, object]>([
    [
      'switched off',
      (response) => void response.writeHead(404).end(),
      { status: 404, advice: /headerStream: true/ },
    ],
    [
      'of another type',
      (response) => void response.end('{}'),
      { code: 'format', message: /not text\/event-stream/ },
    ],
    [
      'with an event that is no header',
      (response) => {
        begin(response);
        response.write('event:BlockHeader\ndata:{}\n\n');
      },
      { code: 'format', message: /header: / },
    ],
    [
      'with an event without end',
      (response) => {
        begin(response);
        flood(response);
      },
      { code: 'format', message: /more than 100000 bytes/ },
    ],
    [
      'with an event of lines without end',
      (response) => {
        begin(response);
        response.write(`data:${'x'.repeat(50_000)}\n`.repeat(10));
      },
      { code: 'format' },
    ],
  ])('throw when they are %s', async (_, answer, expected) => {
    await withNode(
      (_request, response) => answer(response),
      async (node) => {
        const error = await failureOf(headersOf(node, 1, { maxEventBytes: 100_000 }));
        expect(error).toMatchObject({ ...expected, endpoint: 'GET /header/updates' });
      },
    );
  });

  it('pass on what the caller throws when they open', async () => {
    await withNode(
      (_, response) => begin(response),
      async (node) => {
        const onOpen = (): void => {
          throw new Error('not now');
        };
        await expect(headersOf(node, 1, { onOpen })).rejects.toThrow('not now');
      },
    );
  });

  it('name a silence by its endpoint', async () => {
    await withNode(
      (_, response) => begin(response),
      async (node) => {
        const ending = new AbortController();
        const silent = headersOf(node, 1, { silenceMs: 50, maxFailures: 1, signal: ending.signal });
        await expect(silent).rejects.toMatchObject({
          code: 'timeout',
          endpoint: 'GET /header/updates',
          message: /silent for 50 ms/,
        });
      },
    );
  });

  it('throw after as many failures in a row as allowed', async () => {
    let streams = 0;
    await withNode(
      (_, response) => {
        streams++;
        response.destroy();
      },
      async (node) => {
        const error = await failureOf(headersOf(node, 1, { maxFailures: 4 }));
        expect(error.code).toBe('unreachable');
      },
    );
    expect(streams).toBe(4);
  });

  it('read events however their bytes arrive, in order, one at a time', async () => {
    const text = `${[1, 2, 3].map(eventAt).join('')}event:Other\ndata:not ours\n\n:comment\n\n${eventAt(4)}`;
    const answer: Handler = async (_, response) => {
      begin(response);
      for (const byte of Buffer.from(text)) {
        response.write(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    expect(await withNode(answer, (node) => headersOf(node, 4))).toEqual([1, 2, 3, 4]);
  });

  it('name mining updates, which have no data', async () => {
    const bodies: string[] = [];
    const answer: Handler = (_, response, body) => {
      bodies.push(body.toString('hex'));
      begin(response);
      response.write('event:New Cut\n\nevent:Refreshed Block\n\n');
    };
    await withNode(answer, async (node) => {
      for (const chainId of [7, undefined]) {
        const names: string[] = [];
        for await (const name of node.miningUpdates(chainId)) if (names.push(name) === 2) break;
        expect(names).toEqual(['New Cut', 'Refreshed Block']);
      }
    });
    expect(bodies).toEqual(['07000000', '']);
  });
});
