/**
 * Ports that the processes share, each open as long as one of them wants it. Connections are handed to them strictly in turn: by that of
 * `node:cluster` who is quicker gets more, which after a restart, when all rigs come at once, made a difference of a fifth.
 */
import { createServer, type Server, type Socket } from 'node:net';
import type { ListenAddress } from '../../core/names/listening.js';

/** Connections that the system holds until they are taken. */
const BACKLOG = 4096;

/** Takes connections. */
export interface Taker {
  /** So many wait for it that the next go to others, and are closed where there are none. */
  readonly isFull: boolean;
  /** @param done told whether it was handed over, once that is known; it is closed here then, or goes to the next one. */
  take(port: string, connection: Socket, done: (isTaken: boolean) => void): void;
}

interface Port {
  readonly name: string;
  /** From who started the primary: closed once, it is gone for good. */
  readonly isInherited: boolean;
  readonly server: Server;
  readonly takers: Taker[];
  readonly bound: Promise<ListenAddress>;
  turn: number;
}

export class SharedPorts {
  readonly #ports = new Map<string, Port>();

  /** Resolves with the address as it is bound. Rejects as listening does. */
  async join(name: string, address: ListenAddress, taker: Taker): Promise<ListenAddress> {
    const port = this.#ports.get(name) ?? this.#open(name, address);
    port.takers.push(taker);
    try {
      return await port.bound;
    } catch (error) {
      this.leave(name, taker);
      throw error;
    }
  }

  leave(name: string, taker: Taker): void {
    const port = this.#ports.get(name);
    const at = port?.takers.indexOf(taker) ?? -1;
    if (!port || at === -1) return;
    port.takers.splice(at, 1);
    if (port.takers.length > 0 || port.isInherited) return;
    this.#ports.delete(name);
    port.server.close();
  }

  /** Takes nothing more: what comes to an inherited socket waits there for the next start. */
  close(): void {
    for (const { server } of this.#ports.values()) server.close();
    this.#ports.clear();
  }

  /** It is there no more. */
  leaveAll(taker: Taker): void {
    for (const name of [...this.#ports.keys()]) this.leave(name, taker);
  }

  #open(name: string, address: ListenAddress): Port {
    // What a rig sends is for the process that gets it.
    const server = createServer({ pauseOnConnect: true });
    const takers: Taker[] = [];
    const isInherited = address.fd !== undefined;
    const port = { name, isInherited, server, takers, bound: bind(server, address), turn: 0 };
    server.on('connection', (connection) => {
      connection.on('error', () => void connection.destroy());
      this.#handOver(port, connection);
    });
    this.#ports.set(name, port);
    return port;
  }

  /** To the next one. Who has died meanwhile is asked no more, or the last one would be asked for ever. */
  #handOver(port: Port, connection: Socket): void {
    const taker = nextOf(port);
    if (!taker || connection.destroyed) connection.destroy();
    else
      taker.take(port.name, connection, (isTaken) => {
        // Who took it has a descriptor of its own.
        if (isTaken) connection.destroy();
        else {
          this.leave(port.name, taker);
          this.#handOver(port, connection);
        }
      });
  }
}

function nextOf(port: Port): Taker | undefined {
  for (let i = 0; i < port.takers.length; i++) {
    const taker = port.takers[port.turn++ % port.takers.length];
    if (taker && !taker.isFull) return taker;
  }
  return undefined;
}

function bind(server: Server, { host, port, fd }: ListenAddress): Promise<ListenAddress> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      const bound = server.address();
      resolve(
        typeof bound === 'object' && bound ? { host: bound.address, port: bound.port } : { host, port },
      );
    });
    if (fd === undefined) server.listen({ host, port, backlog: BACKLOG });
    else server.listen({ fd }, BACKLOG);
  });
}
