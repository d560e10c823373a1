/** How many connections each address has open: nobody takes the room of all others. */
import { BlockList, isIP, isIPv4, type Server, type Socket } from 'node:net';
import { peerAt, plainAddress } from '../../core/names/peer.js';
import { isLoopback } from '../api/address.js';

/**
 * Ends what is over `most` of one address (of IPv6: of its /64). This machine and proxies that are believed ask for many, and
 * are not counted.
 *
 * @param proxies addresses and prefixes.
 */
export function boundByAddress(server: Server, most: number, proxies: readonly string[]): void {
  const open = new Map<string, number>();
  const asksForMany = proxyCheck(proxies);
  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    if (isLoopback(address) || asksForMany(address)) return;
    const { addressKey } = peerAt(address, 0);
    const count = (open.get(addressKey) ?? 0) + 1;
    if (count > most) {
      socket.destroy();
      return;
    }
    open.set(addressKey, count);
    socket.once('close', () => {
      const left = (open.get(addressKey) ?? 1) - 1;
      if (left > 0) open.set(addressKey, left);
      else open.delete(addressKey);
    });
  });
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
