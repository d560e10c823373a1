import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { SILENT } from '../../src/core/names/log.js';
import { NodeClient } from '../../src/node-client/client.js';
import { UpdateStream } from '../../src/upstream/works/updates.js';
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

function watch(client: NodeClient, onUpdate: () => void, silenceMs = 60_000): UpdateStream {
  return new UpdateStream({ client, chainId: 7, onUpdate, log: SILENT, silenceMs, random: () => 0 });
}

describe('update stream', () => {
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
    const stream = watch(client, () => void updates++);
    await until('the fifth stream', () => streams() === 5);
    // Four openings and two refusals: in both cases something may have been missed.
    await until('its opening', () => updates >= 6);
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
