/** Orders are for programs: any web page that somebody has open could send a request here. */
import type { FastifyRequest } from 'fastify';
import { isOwnName } from '../../core/names/host-header.js';
import { RequestError } from './errors.js';
import { quoted } from './params.js';

/** Browsers name the page's origin with every POST and PUT; programs name none. */
export function refuseWebPages({ headers: { origin } }: FastifyRequest): void {
  if (origin !== undefined)
    throw new RequestError(403, `no orders of web pages are taken (origin ${quoted(origin)})`);
}

/** @param own what this node is called besides. */
export function refuseStrangeHosts({ headers }: FastifyRequest, own: readonly (string | undefined)[]): void {
  if (isOwnName(headers.host, own)) return;
  throw new RequestError(403, `this node is not called ${quoted(headers.host)}: ask it by its address`);
}
