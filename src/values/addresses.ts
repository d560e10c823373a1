/** Addresses to listen at. */
import { isIP, isIPv6 } from 'node:net';
import { z } from 'zod';
import type { ListenAddress } from '../core/names/listening.js';
import { text } from './words.js';

const LOOPBACK = '127.0.0.1';
const HOST_AND_PORT = /^(?:(\[[0-9a-fA-F:.]+\]|[^:[\]*]*):)?(\d{1,5})$/;

/** `host:port`, `[v6]:port`, `:port` or `port`; the last two at `hostAlone`. */
export function parseListenAddress(text: string, hostAlone = LOOPBACK): ListenAddress | undefined {
  const match = HOST_AND_PORT.exec(text.trim());
  const port = Number(match?.[2]);
  if (!match || port > 65_535) return undefined;
  const host = match[1]?.replace(/^\[|\]$/g, '') || hostAlone;
  return { host, port };
}

/** What is wrong with one that is none; `example` is one that is. */
function noAddress(given: string, example: string): string {
  const text = given.trim();
  const host = text.slice(0, Math.max(0, text.lastIndexOf(':')));
  const port = text.slice(host.length + 1);
  if (host === '*')
    return `is no address: all of this machine are 0.0.0.0:${port}, and those of IPv6 [::]:${port}`;
  const isWhole = isIPv6(host) && /^\d{1,5}$/.test(port);
  const bracketed = isWhole ? `[${host}]:${port}` : `[${text}]:PORT`;
  if (isWhole || isIPv6(text)) return `is no address: an IPv6 address stands in brackets, ${bracketed}`;
  return `is no address: host:port, for example ${example}`;
}

const NO_ADDRESS = 'is no address: host:port, or a port alone';

const listenText = z.union([z.string(), z.number().transform(String)], NO_ADDRESS);

/** A port alone listens where the default of the setting does: `byDefault`, as written. */
export function listenAddress(byDefault: unknown) {
  return listenText.transform((text, context): ListenAddress => {
    const address = parseListenAddress(text, hostOf(byDefault));
    if (address) return address;
    context.addIssue(noAddress(text, '127.0.0.1:1920'));
    return z.NEVER;
  });
}

/** An address, or `off`; YAML reads a bare `off` as false. */
export function listenAddressOrOff(byDefault: unknown) {
  return z.union([listenText, z.literal(false)], `${NO_ADDRESS}, or off`).transform((given, context) => {
    if (given === false || given === 'off') return 'off' as const;
    const address = parseListenAddress(given, hostOf(byDefault));
    if (address) return address;
    context.addIssue(noAddress(given, '0.0.0.0:1917, or off'));
    return z.NEVER;
  });
}

/** `192.0.2.1`, `10.0.0.0/8`, `2001:db8::/32`. */
export const addressOrPrefix = text.refine((value) => {
  const [address = '', bits, ...rest] = value.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  const isBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= most);
  return isIP(address) !== 0 && !address.includes('%') && isBits && rest.length === 0;
}, 'is no address or prefix such as 192.0.2.1 or 10.0.0.0/8');

/** One that is off listens on this machine alone until it is told more. */
function hostOf(byDefault: unknown): string | undefined {
  return parseListenAddress(String(byDefault))?.host;
}
