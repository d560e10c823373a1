/** Orders are for programs: any web page that somebody has open could send a request here. */
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { RequestError } from './errors.js';
import { quoted } from './params.js';

/** Browsers name the page's origin with every POST and PUT; programs name none. */
export function refuseWebPages({ headers }: FastifyRequest): void {
  const { origin } = headers;
  if (origin !== undefined)
    throw new RequestError(403, `no orders of web pages are taken (origin ${quoted(origin)})`);
}

/**
 * A page's own name may be made to lead here. Addresses, names without a dot and the name that this node was given are no
 * such name.
 */
export function refuseStrangeHosts({ headers }: FastifyRequest, own: string | undefined): void {
  const { host = '' } = headers;
  const name = host
    .replace(/:\d*$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  const isKnown =
    !name.includes('.') || isIP(name) !== 0 || name === own?.toLowerCase() || name.endsWith('.localhost');
  if (!isKnown) throw new RequestError(403, `this node is not called ${quoted(name)}: ask it by its address`);
}
