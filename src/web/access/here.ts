/** Whether somebody asks on this machine. The one place for it: reads without a token, and whole addresses, hang on this. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { isOwnName } from '../../core/names/host-header.js';
import { isLoopback } from '../api/address.js';
import { isOfForeignPage } from './pages.js';

/** What proxies tell of whom they ask for. */
const OF_PROXIES =
  /^(x-forwarded(-.+)?|forwarded|via|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip)$/;

/**
 * Both ends of the connection are the loopback address, it is asked by an address or a name that no web page can have, and
 * neither for a page from elsewhere nor by a proxy for somebody else. Names of `web.hosts` do not count: those may lead
 * here from anywhere.
 */
export function isHere({
  headers,
  raw: { socket, httpVersion },
}: Pick<FastifyRequest, 'headers' | 'raw'>): boolean {
  const { localAddress = '', remoteAddress = '' } = socket;
  return (
    isLoopback(localAddress) &&
    isLoopback(remoteAddress) &&
    isOwnName(headers.host) &&
    !isOfForeignPage(headers) &&
    !isPassedOn(headers, httpVersion)
  );
}

/** nginx asks by the address of the bridge, as HTTP/1.0, and tells nothing of whom it asks for unless it is told to. */
export function isPassedOn(headers: IncomingHttpHeaders, httpVersion: string): boolean {
  return httpVersion === '1.0' || Object.keys(headers).some((name) => OF_PROXIES.test(name));
}
