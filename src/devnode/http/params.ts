/** Reads what a request carries. Every fault is a 4xx answer that names the parameter. */
import type { FastifyRequest } from 'fastify';
import { BYTES_TYPE, JSON_TYPE } from '../../chain/endpoint.js';
import { quoted } from '../../chain/parameters.js';
import { RequestError } from './errors.js';

/** One query parameter; `undefined` when absent. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name];
  if (Array.isArray(value)) throw new RequestError(400, `query parameter ${name} is given more than once`);
  return value;
}

/** What cannot stand there is a bad request. */
export function checked<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (error instanceof RangeError) throw new RequestError(400, error.message);
    throw error;
  }
}

/** Orders are for programs: browsers name the page's origin with every POST and PUT, and programs name none. */
export function refuseWebPages({ headers: { origin } }: FastifyRequest): void {
  if (origin !== undefined)
    throw new RequestError(403, `no orders of web pages are taken (origin ${quoted(origin)})`);
}

/** The body as bytes; 415 when it is declared as anything but bytes. */
export function bytesBody(request: FastifyRequest): Uint8Array {
  const type = mediaType(request);
  if (type !== undefined && type !== BYTES_TYPE) {
    throw new RequestError(415, `the body must be ${BYTES_TYPE}, not ${type}`);
  }
  return Buffer.isBuffer(request.body) ? request.body : new Uint8Array(0);
}

export function jsonBody(request: FastifyRequest): unknown {
  const type = mediaType(request);
  if (type !== JSON_TYPE) {
    throw new RequestError(415, `the body must be ${JSON_TYPE}, not ${type ?? 'without a content-type'}`);
  }
  const text = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '';
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RequestError(400, `the body is no JSON: ${(error as Error).message}`);
  }
}

function mediaType(request: FastifyRequest): string | undefined {
  return request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}
