/** Who is at the other end of a connection, as it is shown and as it is counted. */
import { isIPv6 } from 'node:net';

export interface Peer {
  /** Address and port: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
  readonly text: string;
  /** What limits count by: an IPv4 address, or the /64 of an IPv6 address, as one line of it can take any of those. */
  readonly addressKey: string;
}

export function peerAt(host: string, port: number): Peer {
  const address = plainAddress(host);
  const text = isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
  return { text, addressKey: isIPv6(address) ? prefix64Of(address) : address };
}

/** IPv4 in its own form even when it comes in an IPv6 socket. */
export function plainAddress(host: string): string {
  return host.replace(/^::ffff:(?=\d+\.)/i, '');
}

function prefix64Of(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::');
  const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0');
  const first = [...front, ...zeros, ...back].slice(0, 4);
  return `${first.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
