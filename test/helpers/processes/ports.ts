import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/** Others of this machine may listen in this range, so each port is tried; more than a few in vain is a fault. */
const TRIES = 1_000;
const LOWEST = 10_000;

/**
 * Ports of the loopback address that were free a moment ago, each another one. They stay so while nobody listens: they are below
 * those that the system gives to whoever connects or asks for any port, which other tests do all the time.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  for (let tries = 0; servers.length < count; tries++) {
    if (tries === TRIES) throw new Error('there are no free ports');
    const server = await listenOn(LOWEST + Math.floor(Math.random() * (givenFrom() - LOWEST)));
    if (server) servers.push(server);
  }
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1);
  return port;
}

/** The first port that the system gives by itself: on Linux as it says, elsewhere as IANA has it. */
function givenFrom(): number {
  if (process.platform !== 'linux') return 49_152;
  const first = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/)[0]);
  // Where it gives all of them, there are no better ones.
  return first > LOWEST + TRIES ? first : 65_536;
}

/** `undefined` where somebody listens. */
async function listenOn(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    return server;
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
