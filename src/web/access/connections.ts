/** How many connections may be open: nobody takes the room of all others, neither by asking nor by asking half. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIP, isIPv4, type Socket } from 'node:net';
import { peerAt, plainAddress } from '../../core/names/peer.js';
import { isLoopback } from '../api/address.js';

export interface ConnectionLimits {
  /** Open at a time. Rigs, node and ledger need the other files of the process. */
  readonly connections: number;
  /** Of these, those of one address (of IPv6: of its /64). This machine and proxies that are believed ask for many. */
  readonly connectionsOfAddress: number;
  /** Of any address, those on which no head of a request has come whole; those above have a second for it. */
  readonly unreadOfAddress: number;
}

interface Connection {
  readonly socket: Socket;
  readonly address: string;
  hasAsked: boolean;
  /** Requests that are being answered. */
  open: number;
}

const SHORT_PATIENCE_MS = 1_000;

/** @param proxies addresses and prefixes. */
export function boundConnections(
  server: Server,
  { connections, connectionsOfAddress, unreadOfAddress }: ConnectionLimits,
  proxies: readonly string[],
): void {
  /** By address and port of the peer, the oldest first: TLS has another socket for the same. */
  const all = new Map<string, Connection>();
  const asksForMany = proxyCheck(proxies);
  const countOf = (address: string, of: (each: Connection) => boolean = () => true): number =>
    Array.from(all.values()).filter((each) => each.address === address && of(each)).length;
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    const { addressKey } = peerAt(address, 0);
    const isOne = !isLoopback(address) && !asksForMany(address);
    if (isOne && countOf(addressKey) >= connectionsOfAddress) return void socket.destroy();
    if (all.size >= connections) {
      const [name, least] = leastUseful(all) ?? [];
      if (name === undefined) return void socket.destroy();
      all.delete(name);
      least?.socket.destroy();
    }
    const connection: Connection = { socket, address: addressKey, hasAsked: false, open: 0 };
    const name = nameOf(socket);
    all.set(name, connection);
    socket.once('close', () => {
      if (all.get(name) === connection) all.delete(name);
    });
    if (countOf(addressKey, isUnread) > unreadOfAddress) hurry(connection);
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const connection = all.get(nameOf(request.socket));
    if (!connection) return;
    connection.hasAsked = true;
    connection.open++;
    response.once('close', () => connection.open--);
  });
}

function hurry(connection: Connection): void {
  const timer = setTimeout(() => {
    // What has come meanwhile is read first: the process may have been busy for just as long.
    setImmediate(() => {
      if (isUnread(connection)) connection.socket.destroy();
    });
  }, SHORT_PATIENCE_MS).unref();
  connection.socket.once('close', () => clearTimeout(timer));
}

function isUnread({ hasAsked }: Connection): boolean {
  return !hasAsked;
}

/** The oldest one on which nothing is answered, of the address that has most of those. */
function leastUseful(all: ReadonlyMap<string, Connection>): [string, Connection] | undefined {
  const idle = Array.from(all).filter(([, { open }]) => open === 0);
  const counts = new Map<string, number>();
  for (const [, { address }] of idle) counts.set(address, (counts.get(address) ?? 0) + 1);
  const most = Math.max(0, ...counts.values());
  return idle.find(([, { address }]) => counts.get(address) === most);
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

function proxyCheck(proxies: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) > 0 && list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
}
