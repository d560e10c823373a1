/** Where a peer is, in its several spellings. */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

export interface PeerAddress {
  readonly hostname: string;
  readonly port: number;
}

export function addressOf(url: string): PeerAddress {
  const { hostname, port, protocol } = new URL(url);
  return {
    hostname: bareHost(hostname),
    port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
}

/** `host:port`, IPv6 with or without brackets. */
export function parseAddress(text: string): PeerAddress | undefined {
  const [, hostname, port] = /^(.+):(\d{1,5})$/.exec(text) ?? [];
  return hostname === undefined ? undefined : { hostname: bareHost(hostname), port: Number(port) };
}

/** Without brackets, in small letters; an IPv4 address that came over an IPv6 socket is itself. */
export function bareHost(host: string): string {
  return host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/, '');
}

/** The addresses behind a name, itself included; only itself while nobody can say. */
export async function addressesOf(hostname: string): Promise<ReadonlySet<string>> {
  if (isIP(hostname) !== 0) return new Set([hostname]);
  const found = await lookup(hostname, { all: true }).catch(() => []); // asked again at the next exchange
  return new Set([hostname, ...found.map(({ address }) => bareHost(address))]);
}

/** What others may call a node that listens there: an address that means every address is no name for others. */
export function ownName(host: string): string {
  if (host !== '0.0.0.0' && host !== '::' && host !== '') return host;
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1';
}
