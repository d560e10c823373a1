/** Interface 4.5: the mempool as other nodes use it. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { NodeContext } from './context.js';
import { RequestError } from './errors.js';
import { chainOf } from './paging.js';
import { checkHash, jsonBody, queryText, quoted } from './params.js';

/** Most keys or transactions of one request. */
const MOST_OF_A_LIST = 10_000;

export function mempoolRoutes(app: FastifyInstance, context: NodeContext): void {
  const base = '/chain/:chain/mempool';
  const { mempool } = context;
  app.post(`${base}/getPending`, async (request, reply) =>
    reply.type('application/json').send(getPending(context, request)),
  );
  app.post(`${base}/member`, async (request, reply) => {
    const chainId = chainOf(context, request);
    const found = keysOf(request).map((key) => mempool.lookup(chainId, key) !== undefined);
    return reply.type('application/json').send(found);
  });
  app.post(`${base}/lookup`, async (request, reply) => {
    const chainId = chainOf(context, request);
    const found = keysOf(request).map((key) => {
      const contents = mempool.lookup(chainId, key);
      return contents === undefined ? { tag: 'Missing' } : { tag: 'Pending', contents };
    });
    return reply.type('application/json').send(found);
  });
  app.put(`${base}/insert`, async (request, reply) => {
    const chainId = chainOf(context, request);
    const inserted = mempool.insert(chainId, textsOf(request));
    if (inserted.outcome === 'refused') throw new RequestError(400, inserted.reason);
    return reply.code(200).send();
  });
}

/** With this pool's nonce: what came after `since`; otherwise everything. */
function getPending(context: NodeContext, request: FastifyRequest): string {
  const chainId = chainOf(context, request);
  const nonce = integerOf(request, 'nonce');
  const since = integerOf(request, 'since');
  const { mempool } = context;
  const from = nonce === mempool.nonce && since !== undefined ? Number(since) : 0;
  const { keys, highwaterMark } = mempool.pending(chainId, from);
  // As text, since the nonce may be beyond 2^53.
  return `{"hashes":${JSON.stringify(keys)},"highwaterMark":[${mempool.nonce},${highwaterMark}]}`;
}

/** Any 64-bit integer: other pools' nonces may be negative or beyond 2^53, and only have to differ from ours. */
function integerOf(request: FastifyRequest, name: string): bigint | undefined {
  const text = queryText(request, name);
  if (text === undefined) return undefined;
  const fits = /^-?[0-9]{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text);
  if (!fits)
    throw new RequestError(400, `query parameter ${name} must be a 64-bit integer, not ${quoted(text)}`);
  return BigInt(text);
}

function keysOf(request: FastifyRequest): string[] {
  return listOf(request).map((key, i) => checkHash(key, `request key ${i}`));
}

function textsOf(request: FastifyRequest): string[] {
  return listOf(request).map((text, i) => {
    if (typeof text !== 'string')
      throw new RequestError(400, `transaction ${i} of the list must be a JSON text in a string`);
    return text;
  });
}

function listOf(request: FastifyRequest): unknown[] {
  const body = jsonBody(request);
  if (Array.isArray(body) && body.length <= MOST_OF_A_LIST) return body;
  throw new RequestError(400, `the body must be a JSON list of at most ${MOST_OF_A_LIST} entries`);
}
