import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { NodeClient } from '../../src/node-client/client.js';
import { ReturningStream, type StreamEnd } from '../../src/node-client/streams/returning-stream.js';
import { until } from '../helpers/until.js';
import { type Handler, serveHttp } from '../helpers/web/http.js';

const INFO = JSON.stringify({ nodeVersion: 'development', nodeApiVersion: '0.0', nodeNumberOfChains: 10 });

/** A node that serves `/info` and update streams as `onStream` says. */
async function serveStreams(onStream: (response: ServerResponse, body: Buffer, nth: number) => void) {
  let streams = 0;
  const handler: Handler = (request, response, body) => {
    if (request.url?.endsWith('/info')) return void response.end(INFO);
    onStream(response, body, ++streams);
  };
  const server = await serveHttp(handler);
  const client = await NodeClient.connect({ nodes: server.url });
  return { server, client, streams: () => streams };
}

function watch(client: NodeClient, onUpdate: () => void, silenceMs = 60_000, ends: StreamEnd[] = []) {
  return new ReturningStream({
    open: (listener) => client.readUpdates(7, listener, { silenceMs }),
    onOpen: onUpdate,
    onEvent: onUpdate,
    onEnd: (end) => void ends.push(end),
    random: () => 0.5,
  });
}

describe('a stream that comes back', () => {
  it('reports its opening and each of 100 events without data, byte by byte', async () => {
    const asked: string[] = [];
    const { server, client } = await serveStreams(async (response, body) => {
      asked.push(body.toString('hex'));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      for (const byte of Buffer.from('event:New Cut\n\n'.repeat(100))) {
        response.write(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
    await using _ = server;
    let updates = 0;
    const stream = watch(client, () => void updates++);
    await until('100 events and the opening', () => updates >= 101);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(updates).toBe(101);
    expect(asked).toEqual(['07000000']);
    stream.close();
    await client.close();
  });

  it('comes back when the node ends the stream, refuses it, or breaks it', async () => {
    const { server, client, streams } = await serveStreams((response, _body, nth) => {
      if (nth === 2) return void response.writeHead(503).end('No more update streams available');
      if (nth === 4) return void response.destroy();
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      if (nth === 1 || nth === 3) response.end('event:New Cut\n\n');
    });
    await using _ = server;
    let updates = 0;
    const ends: StreamEnd[] = [];
    const stream = watch(client, () => void updates++, undefined, ends);
    await until('the fifth stream', () => streams() === 5);
    // Three openings and two events.
    await until('its opening', () => updates === 5);
    expect(ends.map(({ error, wasOpen }) => [error?.status ?? error?.code, wasOpen])).toEqual([
      [undefined, true],
      [503, false],
      [undefined, true],
      ['unreachable', false],
    ]);
    expect(ends.map(({ failures, pauseMs }) => [failures, pauseMs])).toEqual([
      [1, 75],
      [2, 150],
      [3, 300],
      [4, 600],
    ]);
    stream.close();
    await client.close();
  });

  it('takes a silent stream for dead', async () => {
    const { server, client, streams } = await serveStreams((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    });
    await using _ = server;
    const stream = watch(client, () => {}, 50);
    await until('a third stream', () => streams() >= 3);
    stream.close();
    await client.close();
  });
});
