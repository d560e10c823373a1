/** Where a stranger's webhook may lead: to addresses of the public internet alone, whatever its name says, also a moment later. */
import type { LookupAddress, LookupOptions } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Special addresses of IPv4 (RFC 6890 and its successors), and one that a cloud answers its machines at. */
const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
/** Of IPv6 only 2000::/3 is public, and of that these are not, or hold an address of IPv4. */
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const special = new BlockList();
for (const [address, bits] of NOT_PUBLIC_V4) special.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of NOT_PUBLIC_V6) special.addSubnet(address, bits, 'ipv6');
const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !special.check(address, 'ipv4');
  return isIP(address) === 6 && global.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

const REFUSAL = 'leads to an address that is not public';

/** A host that is an address is never looked up. Throws for one that is not public. */
export function refuseLiteral(hostname: string): void {
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isPublicAddress(address)) throw new Error(REFUSAL);
}

type Found = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/** A stranger's name servers are waited for no longer. */
const PATIENCE = { timeout: 2_000, tries: 2 };

/**
 * As `net.connect` takes it: what is connected to is what was looked at. Not the system's own look-up, which takes one of few
 * threads until it ends: strangers with slow name servers would keep the names of nodes and database waiting.
 *
 * @param servers to ask, as `address:port`; by default those of the machine.
 */
export function publicLookup(servers?: readonly string[]) {
  return (hostname: string, options: LookupOptions, found: Found): void => {
    publicAddressesOf(hostname, servers).then(
      (addresses) => {
        if (options.all) return found(null, addresses);
        const [{ address, family } = { address: '', family: 4 }] = addresses;
        found(null, address, family);
      },
      (error: Error) => found(error, []),
    );
  };
}

async function publicAddressesOf(hostname: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  // A new one knows the servers that the machine has now.
  const resolver = new Resolver(PATIENCE);
  if (servers) resolver.setServers(servers);
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason;
  const found = [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 })),
  ];
  // One that is not public among them is no oversight.
  if (found.length === 0 || found.some(({ address }) => !isPublicAddress(address))) throw new Error(REFUSAL);
  return found;
}
