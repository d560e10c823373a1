/** Addresses and prefixes as one list. */
import { BlockList, isIPv6 } from 'node:net';

export class AddressList {
  readonly #list = new BlockList();
  readonly size: number;

  /** @param addresses such as `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`. Throws RangeError for what is none. */
  constructor(addresses: readonly string[]) {
    this.size = addresses.length;
    for (const text of addresses) this.#add(text);
  }

  has(host: string): boolean {
    return this.size > 0 && this.#list.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');
  }

  #add(text: string): void {
    const [address = '', bits] = text.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    try {
      this.#list.addSubnet(
        address,
        bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits),
        family,
      );
    } catch (cause) {
      throw new RangeError(`${JSON.stringify(text)} is no address or prefix`, { cause });
    }
  }
}
