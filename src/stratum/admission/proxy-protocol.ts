/**
 * The PROXY protocol, versions 1 and 2: a balancer's first words, which say who is behind it.
 *
 *     v1  PROXY TCP4 192.0.2.1 198.51.100.2 5000 1917\r\n      or  PROXY UNKNOWN ...\r\n
 *     v2  0d0a0d0a000d0a515549540a, version and command, family, length (2 bytes), addresses, extensions
 *
 * Source: HAProxy's specification, 2020 edition.
 */
import { isIPv4, isIPv6 } from 'node:net';

type ProxyHeader =
  /** Not all of it has come. */
  | { readonly kind: 'more' }
  /** `length` bytes of it; no source when the balancer speaks for itself or does not know. */
  | { readonly kind: 'header'; readonly length: number; readonly source?: ProxySource }
  | { readonly kind: 'fault'; readonly detail: string };

interface ProxySource {
  readonly host: string;
  readonly port: number;
}

const V2_SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const V2_HEAD_BYTES = 16;
/** Addresses and extensions; balancers send far less. */
const V2_MAX_BYTES = 2048;
const V1_START = Buffer.from('PROXY ');
const V1_MAX_BYTES = 107;
const LOCAL = 0x20;
const PROXY = 0x21;
const TCP4 = 0x11;
const TCP6 = 0x21;

/** Reads the header at the beginning of `bytes`. Never throws. */
export function parseProxyHeader(bytes: Buffer): ProxyHeader {
  if (startsLike(bytes, V2_SIGNATURE)) return parseV2(bytes);
  if (startsLike(bytes, V1_START)) return parseV1(bytes);
  return { kind: 'fault', detail: 'the balancer sent no PROXY header' };
}

/** True also while too few bytes have come to tell. */
function startsLike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length);
  return bytes.subarray(0, length).equals(start.subarray(0, length));
}

function parseV1(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, V1_MAX_BYTES).indexOf('\r\n');
  if (end === -1) {
    if (bytes.length < V1_MAX_BYTES) return { kind: 'more' };
    return { kind: 'fault', detail: `the PROXY line does not end within ${V1_MAX_BYTES} bytes` };
  }
  const length = end + 2;
  const [, family, host = '', , port = ''] = bytes.toString('latin1', 0, end).split(' ');
  if (family === 'UNKNOWN') return { kind: 'header', length };
  const known = family === 'TCP4' ? isIPv4(host) : family === 'TCP6' && isIPv6(host);
  if (!known || !/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    return { kind: 'fault', detail: 'the PROXY line does not name an address and a port' };
  }
  return { kind: 'header', length, source: { host, port: Number(port) } };
}

function parseV2(bytes: Buffer): ProxyHeader {
  if (bytes.length < V2_HEAD_BYTES) return { kind: 'more' };
  const rest = bytes.readUInt16BE(14);
  const length = V2_HEAD_BYTES + rest;
  if (rest > V2_MAX_BYTES) return { kind: 'fault', detail: `a PROXY header of ${length} bytes is too long` };
  if (bytes.length < length) return { kind: 'more' };
  const command = bytes[12];
  if (command === LOCAL) return { kind: 'header', length };
  if (command !== PROXY)
    return { kind: 'fault', detail: 'the PROXY header has an unknown version or command' };
  return sourceOfV2(bytes.subarray(V2_HEAD_BYTES, length), bytes[13], length);
}

function sourceOfV2(addresses: Buffer, family: number | undefined, length: number): ProxyHeader {
  const [size, host] = family === TCP4 ? [12, ipv4Of] : family === TCP6 ? [36, ipv6Of] : [0, undefined];
  if (!host) return { kind: 'header', length };
  if (addresses.length < size)
    return { kind: 'fault', detail: 'the PROXY header is too short for its addresses' };
  return {
    kind: 'header',
    length,
    source: { host: host(addresses), port: addresses.readUInt16BE(size - 4) },
  };
}

function ipv4Of(addresses: Buffer): string {
  return addresses.subarray(0, 4).join('.');
}

function ipv6Of(addresses: Buffer): string {
  return Array.from({ length: 8 }, (_, i) => addresses.readUInt16BE(2 * i).toString(16)).join(':');
}
