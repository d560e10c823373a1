/** A node made of strings, that tells of new cuts as often as it is told to, and gives a work for each. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeWork } from '../../../src/core/work/work.js';
import { makeWork } from '../../helpers/rigs/works.js';
import { type Calls, nowNs } from '../peer.js';

export const CHAINS = 3;
const CUT_EVERY_MS = 100;
const INFO = { nodeVersion: 'development', nodeApiVersion: '0.0', nodeChains: ['0', '1', '2'] };

export interface Cut {
  readonly chainId: number;
  /** Of its work. */
  readonly height: number;
  readonly atNs: number;
}

export async function cutNode(): Promise<Calls> {
  const heights = new Array<number>(CHAINS).fill(1);
  const streams = new Map<ServerResponse, number>();
  let given = 0;
  const work = (wished: string | null): Uint8Array => {
    const chainId = wished === null ? given++ % CHAINS : Number(wished);
    const height = heights[chainId] ?? 0;
    return encodeWork(makeWork({ chainId, height, parent: height & 0xff }));
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://node');
    request.on('data', (body: Buffer) => {
      if (!pathname.endsWith('/mining/updates')) return;
      streams.set(response, body.readUInt32LE(0));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.on('close', () => streams.delete(response));
    });
    if (pathname === '/info') response.end(JSON.stringify(INFO));
    else if (pathname.endsWith('/mining/work')) response.end(work(searchParams.get('chain')));
    else if (!pathname.endsWith('/mining/updates')) response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const tell = (chainId: number): Cut => {
    const height = (heights[chainId] ?? 0) + 1;
    heights[chainId] = height;
    const cut = { chainId, height, atNs: nowNs() };
    for (const [stream, of] of streams) if (of === chainId) stream.write('event:New Cut\n\n');
    return cut;
  };
  return {
    port: () => (server.address() as AddressInfo).port,
    /** So many of each chain, one chain after the other. */
    cut: async (count: number): Promise<Cut[]> => {
      const cuts: Cut[] = [];
      for (let i = 0; i < count * CHAINS; i++) {
        cuts.push(tell(i % CHAINS));
        await sleep(CUT_EVERY_MS / CHAINS);
      }
      return cuts;
    },
  };
}
