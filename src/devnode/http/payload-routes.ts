/** Interface 4.1: payloads, alone or in batches, with or without outputs. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Payload } from '../payload.js';
import type { NodeContext } from './context.js';
import { payloadJson, payloadWithOutputsJson } from './encode.js';
import { BareError, KeyNotFoundError, RequestError } from './errors.js';
import { chainOf } from './paging.js';
import { checkHash, jsonBody, objectOf, pathText, queryNumber, quoted } from './params.js';

type Writer = (payload: Payload) => string;

export function payloadRoutes(app: FastifyInstance, context: NodeContext): void {
  const base = '/chain/:chain/payload';
  app.get(`${base}/:hash`, async (request, reply) => one(context, request, reply, payloadJson));
  app.get(`${base}/:hash/outputs`, async (request, reply) =>
    one(context, request, reply, payloadWithOutputsJson),
  );
  const bothNeeded = ['hashes', 'heights'];
  // The specification has both optional here, real nodes need them.
  const needed = context.settings.profile === 'chainweb' ? bothNeeded : [];
  app.post(`${base}/batch`, async (request, reply) => batch(context, request, reply, payloadJson, needed));
  app.post(`${base}/outputs/batch`, async (request, reply) =>
    batch(context, request, reply, payloadWithOutputsJson, bothNeeded),
  );
}

function one(context: NodeContext, request: FastifyRequest, reply: FastifyReply, write: Writer): unknown {
  const chainId = chainOf(context, request);
  queryNumber(request, 'height');
  const hash = checkHash(pathText(request, 'hash'), 'payloadHash');
  const payload = context.chains.store.payload(chainId, hash);
  if (payload?.payloadHash !== hash) throw new KeyNotFoundError(hash);
  return sendJson(reply, write(payload));
}

/**
 * The payloads found, in the order named. 404 when some were named and none is here. What is named beyond the limit of
 * the port is left out, as on real nodes.
 */
function batch(
  context: NodeContext,
  request: FastifyRequest,
  reply: FastifyReply,
  write: Writer,
  required: readonly string[],
): unknown {
  const chainId = chainOf(context, request);
  const { mostOfBatch } = context.port;
  if (mostOfBatch === 0) throw new BareError(404, 'payload batch limit is 0', 'json');
  const hashes = new Set(hashesOf(context, jsonBody(request), required).slice(0, mostOfBatch));
  const found = foundOf(context, chainId, hashes, write);
  const [first] = hashes;
  if (context.settings.profile !== 'chainweb' && first !== undefined && found.length === 0) {
    throw new KeyNotFoundError(first, 'no payloads match');
  }
  return sendJson(reply, `[${found.join()}]`);
}

/** Each payload once, and no more than fit into one answer: whoever asks for the rest gets it. */
function foundOf(
  { chains, settings }: NodeContext,
  chainId: number,
  hashes: ReadonlySet<string>,
  write: Writer,
): readonly string[] {
  const found: string[] = [];
  let room = settings.answerLimit;
  for (const hash of hashes) {
    const payload = chains.store.payload(chainId, hash);
    if (payload?.payloadHash !== hash) continue;
    const text = write(payload);
    room -= text.length;
    if (room < 0 && found.length > 0) break;
    found.push(text);
  }
  return found;
}

/** An object with hashes and heights; a bare list of hashes is understood too. */
function hashesOf(context: NodeContext, body: unknown, required: readonly string[]): string[] {
  if (Array.isArray(body)) return body.map((hash, i) => checkHash(hash, `hashes[${i}]`));
  const fields = objectOf(body, 'the body');
  for (const name of required) {
    if (fields[name] === undefined) throw new RequestError(400, `${name} is missing in the body`);
  }
  const { hashes = [], heights } = fields;
  if (!Array.isArray(hashes)) throw new RequestError(400, 'hashes must be a list of payload hashes');
  const checked = hashes.map((hash, i) => checkHash(hash, `hashes[${i}]`));
  const count = heightsCount(heights);
  return context.settings.profile === 'chainweb' ? checked.slice(0, count) : checked;
}

function heightsCount(heights: unknown): number {
  if (heights === undefined) return 0;
  if (!Array.isArray(heights)) throw new RequestError(400, 'heights must be a list of whole numbers');
  const bad = heights.find((height) => !Number.isSafeInteger(height) || height < 0);
  if (bad !== undefined)
    throw new RequestError(400, `heights must hold whole numbers from 0 on, not ${quoted(bad)}`);
  return heights.length;
}

function sendJson(reply: FastifyReply, json: string): unknown {
  reply.header('content-type', 'application/json');
  return reply.send(Buffer.from(json));
}
