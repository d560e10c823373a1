/** Hangs handlers into the table of endpoints: paths, parameters, bodies, encodings and statuses come from there. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { BYTES_TYPE, type Encoding, type Endpoint, JSON_TYPE, pathParameters } from '../../chain/endpoint.js';
import { ENDPOINT_KEYS, ENDPOINTS, type EndpointKey } from '../../chain/endpoints.js';
import { checkBody, checkParameter, PARAMETERS, quoted } from '../../chain/parameters.js';
import { chainsOf } from '../consensus/networks.js';
import { chooseEncoding } from './accept.js';
import type { NodeContext } from './context.js';
import { keyNotFound, keyOfNumber, RequestError } from './errors.js';
import { bytesBody, checked, jsonBody, queryText } from './params.js';

/** A request, read by the table. */
export interface Asked {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** One that this network has; -1 where the path names none. */
  readonly chainId: number;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
  /** As the endpoint's model takes it, or bytes. */
  readonly body: unknown;
  /** What the client accepts, of what the endpoint offers. */
  readonly encoding: Encoding;
}

/**
 * Gives the body of a success: text or bytes as they are, anything else as JSON. The status is that of the table unless the
 * handler sets another. Throws what `errors.ts` has.
 */
export type Handler = (context: NodeContext, asked: Asked) => unknown;
export type Handlers<K extends EndpointKey = EndpointKey> = Readonly<Record<K, Handler>>;

/** @param base of all paths but those at the root. */
export function hang(app: FastifyInstance, context: NodeContext, base: string, handlers: Handlers): void {
  for (const key of ENDPOINT_KEYS) {
    const endpoint: Endpoint = ENDPOINTS[key];
    if (!isServed(context, endpoint)) continue;
    const { tellsAtBase } = context.dialect;
    const both = tellsAtBase ? [base, ''] : [''];
    const prefixes = { base: [base], root: [''], both }[endpoint.at];
    for (const prefix of prefixes) {
      app.route({
        method: endpoint.method,
        url: prefix + endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
        handler: (request, reply) => answer(context, key, handlers[key], request, reply),
      });
    }
  }
}

function isServed({ port: role, settings, backups }: NodeContext, { port, needs }: Endpoint): boolean {
  if (role !== 'both' && port !== 'both' && port !== role) return false;
  if (needs === 'mining') return settings.mining;
  if (needs === 'headerStream') return settings.headerStream;
  return needs === undefined || backups !== undefined;
}

async function answer(
  context: NodeContext,
  key: EndpointKey,
  handler: Handler,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const endpoint: Endpoint = ENDPOINTS[key];
  const asked = read(context, key, request, reply);
  reply.code(endpoint.status);
  const body = await handler(context, asked);
  // A stream has its own way.
  if (reply.sent) return reply;
  if (endpoint.encodings.length === 0) return reply.send();
  reply.header('content-type', asked.encoding);
  if (typeof body === 'string') return reply.send(Buffer.from(body));
  return reply.send(body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body)));
}

/** Every fault is a 4xx that names the parameter. */
function read(context: NodeContext, key: EndpointKey, request: FastifyRequest, reply: FastifyReply): Asked {
  const endpoint: Endpoint = ENDPOINTS[key];
  const { encodings, query: kinds } = endpoint;
  const encoding =
    encodings.length > 1 ? chooseEncoding(request.headers.accept, encodings) : (encodings[0] ?? JSON_TYPE);
  const path = pathOf(endpoint, request);
  const chainId = path['chain'] === undefined ? -1 : chainOf(context, endpoint, path);
  const query = Object.fromEntries(
    Object.entries(kinds).map(([name, kind]) => {
      const text = queryText(request, name);
      return [name, text === undefined ? undefined : checked(() => checkParameter(kind, name, text))];
    }),
  );
  return { endpoint, request, reply, chainId, path, query, body: bodyOf(context, key, request), encoding };
}

function pathOf({ path, isSilent }: Endpoint, { params }: FastifyRequest): Record<string, string> {
  const given = params as Record<string, string>;
  const read = pathParameters(path).map(([name, kind]) => {
    const text = given[name] ?? '';
    // What can be no job's id is none, and no bad request.
    if (kind === 'backupId' && !PARAMETERS[kind].fits(text))
      throw new RequestError(404, `there is no backup job ${quoted(text)}`);
    // Refused with the chains that are not there.
    if (isSilent && kind === 'chain' && !PARAMETERS.chain.fits(text)) return [name, ''] as const;
    return [name, checked(() => checkParameter(kind, name, text))] as const;
  });
  return Object.fromEntries(read);
}

function chainOf(
  { chains: { network } }: NodeContext,
  { isSilent }: Endpoint,
  path: Readonly<Record<string, string>>,
): number {
  const chainId = path['chain'] === '' ? -1 : Number(path['chain']);
  if (chainsOf(network).includes(chainId)) return chainId;
  if (isSilent) throw new RequestError(404, '', 'bare');
  const key = path['blockHash'] ?? path['payloadHash'] ?? keyOfNumber(chainId);
  throw keyNotFound(key, `chain ${chainId} does not exist on ${network.name} with this graph`);
}

function bodyOf({ dialect }: NodeContext, key: EndpointKey, request: FastifyRequest): unknown {
  const { body }: Endpoint = ENDPOINTS[key];
  if (body === undefined) return undefined;
  if (body.type === BYTES_TYPE) return bytesBody(request);
  const model: z.ZodType = dialect.bodies[key] ?? body.model;
  const value = jsonBody(request);
  checked(() => checkBody(model, value, body.entry));
  return value;
}
