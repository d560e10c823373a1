/** Addresses of rigs as they may be shown: in full only to operators. */

/** One that leads to no other machine. */
export function isLoopback(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\./i.test(address);
}

/** Without what tells one line from its neighbours: `192.0.2.x`, `2001:db8:1::/48`. With or without port or prefix. */
export function shortenedAddress(text: string): string {
  const ipv4 = /^(\d+\.\d+\.\d+)\.\d+(:\d+)?$/.exec(text);
  if (ipv4) return `${ipv4[1]}.x`;
  const ipv6 = /^\[?([0-9a-f:]*:[0-9a-f:]*)/i.exec(text);
  if (!ipv6) return text;
  const [head = ''] = (ipv6[1] ?? '').split('::');
  return `${head.split(':').slice(0, 3).join(':')}::/48`;
}
