/** Who is at the other end of a connection, as it is shown and as it is counted. */
import { isIP, isIPv4, isIPv6 } from 'node:net';

export interface Peer {
  /** An IPv4 address in its own form, or an IPv6 address. */
  readonly host: string;
  /** Address and port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
  readonly text: string;
  /** What limits count by: an IPv4 address, or the /64 of an IPv6 address, as one line of it can take any of those. */
  readonly addressKey: string;
}

export function peerAt(host: string, port: number): Peer {
  const address = ipv4Within(host, [MAPPED, NAT64]) ?? host;
  if (!isIPv6(address)) return { host: address, text: `${address}:${port}`, addressKey: address };
  return { host: address, text: `[${address}]:${port}`, addressKey: prefix64Of(address) };
}

/** What limits count by, of an address in any spelling or of a whole /64; `undefined` for a text that is neither. */
export function addressKeyOf(text: string): string | undefined {
  const [host = '', bits, ...more] = text.split('/');
  if (more.length > 0) return undefined;
  if (bits === undefined) return isIP(host) === 0 ? undefined : peerAt(host, 0).addressKey;
  if (isIPv4(host)) return bits === '32' ? host : undefined;
  return isIPv6(host) && bits === '64' ? prefix64Of(host) : undefined;
}

/** An address or a prefix, written so that the same is always written the same; `undefined` for a text that is neither. */
export function prefixOf(text: string): string | undefined {
  const [host = '', bits, ...more] = text.split('/');
  const most = isIPv4(host) ? 32 : 128;
  const isBits = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most);
  if (isIP(host) === 0 || host.includes('%') || !isBits || more.length > 0) return undefined;
  const kept = bits === undefined ? most : Number(bits);
  const address = isIPv4(host)
    ? cleared(host.split('.').map(Number), 8, kept).join('.')
    : hexOf(cleared(groupsOf(host), 16, kept));
  return kept === most ? address : `${address}/${kept}`;
}

/** Parts of an address, of so many bits each, with those behind the first `kept` bits as zeros. */
function cleared(parts: readonly number[], bits: number, kept: number): number[] {
  return parts.map((part, i) => {
    const zeros = Math.min(bits, Math.max(0, (i + 1) * bits - kept));
    return Math.floor(part / 2 ** zeros) * 2 ** zeros;
  });
}

/** IPv4 in its own form even when it comes in an IPv6 socket. */
export function plainAddress(host: string): string {
  return ipv4Within(host, [MAPPED]) ?? host;
}

/** The first 96 bits of IPv6 addresses that hold an IPv4 one: RFC 4291, 2.5.5.2, and RFC 6052, 2.1. */
const MAPPED = '0:0:0:0:0:ffff';
const NAT64 = '64:ff9b:0:0:0:0';

function ipv4Within(host: string, prefixes: readonly string[]): string | undefined {
  if (!isIPv6(host)) return undefined;
  const groups = groupsOf(host);
  if (!prefixes.includes(hexOf(groups.slice(0, 6)))) return undefined;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}

function prefix64Of(address: string): string {
  return `${hexOf(groupsOf(address).slice(0, 4))}::/64`;
}

function hexOf(groups: readonly number[]): string {
  return groups.map((group) => group.toString(16)).join(':');
}

/** The eight groups of an IPv6 address in any of its spellings. */
export function groupsOf(address: string): number[] {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const [front, back] = [numbersOf(head), tail === undefined ? [] : numbersOf(tail)];
  return [...front, ...Array<number>(Math.max(0, 8 - front.length - back.length)).fill(0), ...back];
}

function numbersOf(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
