/** A TCP gate in front of a server: shut, everything through it is cut and nobody gets in; mute, no answer gets out. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './ports.js';

export interface Gate {
  readonly port: number;
  shut(): Promise<void>;
  open(): Promise<void>;
  /** Connections that stand say nothing any more and do not end, either way; new ones work. */
  freeze(): void;
  /** What is said to the server still arrives, until the gate is shut. */
  mute(): void;
  /** Who connects from now on gets to another server. */
  turnTo(targetPort: number): void;
}

/** Opens on a port of 127.0.0.1 of its own. */
export async function openGate(targetPort: number): Promise<Gate> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy()));
    return socket;
  };
  let server: Server;
  let target = targetPort;
  let isMute = false;
  let freezes = 0;
  // Kept while it is shut: nobody is given it meanwhile.
  const port = await freePort();
  const listen = async (): Promise<void> => {
    server = createServer((near) => {
      const far = keep(connect(target, '127.0.0.1'));
      const since = freezes;
      keep(near).on('data', (chunk) => since < freezes || far.write(chunk));
      far.on('data', (chunk) => isMute || since < freezes || near.write(chunk));
      near.on('close', () => far.destroy());
      far.on('close', () => near.destroy());
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen();
  return {
    port,
    open: listen,
    freeze: () => {
      freezes++;
    },
    mute: () => {
      isMute = true;
    },
    turnTo: (port) => {
      target = port;
    },
    shut: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
      isMute = false;
    },
  };
}
