/** Reads what a request carries. Every fault is a 4xx answer that names the parameter. */
import type { FastifyRequest } from 'fastify';
import { fromBase64Url } from '../../core/bytes.js';
import type { Miner } from '../payload.js';
import { RequestError } from './errors.js';

const HASH = /^[a-zA-Z0-9_-]{43}$/;
const DIGITS = /^[0-9]{1,16}$/;
const MOST_PUBLIC_KEYS = 64;
const PREDICATES = ['keys-all', 'keys-any', 'keys-2'];

/** One query parameter; `undefined` when absent, 400 when given twice. */
export function queryText(request: FastifyRequest, name: string): string | undefined {
  const value = (request.query as Record<string, string | string[] | undefined>)[name];
  if (Array.isArray(value)) throw new RequestError(400, `query parameter ${name} is given more than once`);
  return value;
}

/** A whole number from 0 on; `undefined` when absent. */
export function queryNumber(request: FastifyRequest, name: string): number | undefined {
  const text = queryText(request, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!DIGITS.test(text) || !Number.isSafeInteger(value)) {
    throw new RequestError(
      400,
      `query parameter ${name} must be a whole number from 0 on, not ${quoted(text)}`,
    );
  }
  return value;
}

export function pathText(request: FastifyRequest, name: string): string {
  return (request.params as Record<string, string>)[name] ?? '';
}

/** 43 characters of Base64Url; not all of them write 32 bytes, and what does not is nobody's hash. */
export function checkHash(text: unknown, name: string): string {
  if (typeof text === 'string' && HASH.test(text)) return text;
  throw new RequestError(400, `${name} must be 43 characters of Base64Url, not ${quoted(text)}`);
}

/** Whether a hash is written as its 32 bytes are: a store may know it by its bytes. */
export function isCanonical(hash: string): boolean {
  return fromBase64Url(hash) !== undefined;
}

/** The body as bytes; 415 when it is declared as anything but bytes. */
export function bytesBody(request: FastifyRequest): Uint8Array {
  const type = mediaType(request);
  if (type !== undefined && type !== 'application/octet-stream') {
    throw new RequestError(415, `the body must be application/octet-stream, not ${type}`);
  }
  return Buffer.isBuffer(request.body) ? request.body : new Uint8Array(0);
}

/** The body as JSON. */
export function jsonBody(request: FastifyRequest): unknown {
  const type = mediaType(request);
  if (type !== 'application/json') {
    throw new RequestError(415, `the body must be application/json, not ${type ?? 'without a content-type'}`);
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

/** A JSON object of the body, for reading by name. */
export function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new RequestError(400, `${what} must be a JSON object`);
}

/** The miner information object (interface section 2). @param anyPredicate real nodes take names of contracts too. */
export function minerOf(value: unknown, anyPredicate: boolean): Miner {
  const fields = objectOf(value, 'the body');
  const { account, predicate, 'public-keys': keys } = fields;
  if (typeof account !== 'string' || account.length < 1 || account.length > 256) {
    throw new RequestError(400, `account must be a text of 1 to 256 characters, not ${quoted(account)}`);
  }
  if (typeof predicate !== 'string' || (!anyPredicate && !PREDICATES.includes(predicate))) {
    throw new RequestError(
      400,
      `predicate must be one of ${PREDICATES.join(', ')}, not ${quoted(predicate)}`,
    );
  }
  const fewest = anyPredicate ? 0 : 1;
  const isList = Array.isArray(keys) && keys.length >= fewest && keys.length <= MOST_PUBLIC_KEYS;
  if (!isList || !keys.every(isKey)) {
    throw new RequestError(400, `public-keys must be a list of ${fewest} to ${MOST_PUBLIC_KEYS} texts`);
  }
  return { account, predicate, 'public-keys': keys };
}

function isKey(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 256;
}

/** What was given, short enough for a sentence. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
