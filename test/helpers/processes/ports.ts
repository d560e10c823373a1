import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';

/** Others of this machine may listen in this range, so each port is tried; more than a few in vain is a fault. */
const TRIES = 1_000;
const LOWEST = 10_000;

/**
 * Ports of the loopback address that nobody listens on, each another one. They are below those that the system gives to whoever
 * connects or asks for any port, and nobody else who asks here is given them until this process ends: what a test has started there
 * can be ended and started again.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries++) {
    if (tries === TRIES) throw new Error('there are no free ports');
    const port = LOWEST + Math.floor(Math.random() * (givenFrom() - LOWEST));
    if (await claimPort(port)) ports.push(port);
  }
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

/**
 * Whether it is free, and is ours from now on. Two processes may ask at a time, and whoever listens there may be away for a while: so the
 * same number among UDP's, which nobody here uses, is kept bound. It goes with the process, however that ends.
 */
export async function claimPort(port: number): Promise<boolean> {
  const claim = createSocket('udp4').unref();
  const server = createServer();
  const isFree =
    (await isBound(claim, () => claim.bind({ port, address: '127.0.0.1', exclusive: true }))) &&
    (await isBound(server, () => server.listen(port, '127.0.0.1')));
  if (isFree) await new Promise((resolve) => server.close(resolve));
  else claim.close();
  return isFree;
}

/** False where somebody else has it. */
async function isBound(one: Socket | Server, bind: () => void): Promise<boolean> {
  const bound = once(one, 'listening');
  bind();
  try {
    await bound;
    return true;
  } catch (error) {
    if (['EADDRINUSE', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
