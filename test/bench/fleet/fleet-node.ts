/** The node of the fleet benchmark, in a process of its own: it takes solutions, and knows when each came. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Calls, nowNs } from '../peer.js';

export async function fleetNode(): Promise<Calls> {
  const arrivals = new Map<string, number>();
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const atNs = nowNs();
      const isSolution = request.url?.endsWith('/mining/solved');
      const header = Buffer.concat(parts).toString('base64');
      if (isSolution && !arrivals.has(header)) arrivals.set(header, atNs);
      response.writeHead(isSolution ? 204 : 404).end();
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    url: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/chainweb/0.0/development`,
    /** Headers in base64, each with when it came. */
    arrivals: () => [...arrivals],
  };
}
