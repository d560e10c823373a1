/** The HTTP side: headers on every answer, faults as 4xx with a sentence, and the routes. */
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { JSON_TYPE } from '../../chain/endpoint.js';
import { RULES_HEADER } from '../peers/peer-rules.js';
import { StorageError } from '../storage/block-store.js';
import { API_VERSION, NODE_VERSION, type NodeContext } from './context.js';
import { RequestError } from './errors.js';
import { CHAIN_HANDLERS } from './routes/chain-routes.js';
import { CUT_HANDLERS } from './routes/cut-routes.js';
import { EVENT_HANDLERS } from './routes/event-routes.js';
import { MAINTENANCE_HANDLERS } from './routes/maintenance-routes.js';
import { MEMPOOL_HANDLERS } from './routes/mempool-routes.js';
import { MINING_HANDLERS } from './routes/mining-routes.js';
import { PACT_HANDLERS } from './routes/pact-routes.js';
import { PAYLOAD_HANDLERS } from './routes/payload-routes.js';
import { PEER_HANDLERS } from './routes/peer-routes.js';
import { type Handlers, hang } from './table.js';
import { Throttle } from './throttle.js';
import { answerUnrouted } from './unrouted.js';

/** A request must be complete after this time. */
const REQUEST_TIMEOUT_MS = 60_000;
const MOST_BODY_BYTES = 2 * 1024 * 1024;

const HANDLERS: Handlers = {
  ...CHAIN_HANDLERS,
  ...CUT_HANDLERS,
  ...EVENT_HANDLERS,
  ...MAINTENANCE_HANDLERS,
  ...MEMPOOL_HANDLERS,
  ...MINING_HANDLERS,
  ...PACT_HANDLERS,
  ...PAYLOAD_HANDLERS,
  ...PEER_HANDLERS,
};

/** One port of the node: `context.port` says which, and with that what it serves. */
export function createApp(context: NodeContext): FastifyInstance {
  const app = newServer(context);
  addHooks(app, context);
  app.setErrorHandler((error, _request, reply) => answerError(context, error, reply));
  answerUnrouted(app, { explains: !context.dialect.bareRefusals });
  hang(app, context, basePath(context), HANDLERS);
  return app;
}

/** With TLS on the peer port. Bodies come as bytes, whatever their type, with GET too. */
function newServer(context: NodeContext): FastifyInstance {
  const { certificate, port } = context;
  const noHostNeeded = { requireHostHeader: false };
  const app: FastifyInstance = Fastify({
    ...(port === 'peer' && certificate
      ? { https: { ...noHostNeeded, cert: certificate.certificate, key: certificate.privateKey } }
      : { http: noHostNeeded }),
    bodyLimit: MOST_BODY_BYTES,
    forceCloseConnections: true,
    requestTimeout: REQUEST_TIMEOUT_MS,
    exposeHeadRoutes: true,
    clientErrorHandler: (error, socket) => answerBrokenRequest(context, error, socket),
    frameworkErrors: (error, request, reply) => {
      setCommonHeaders(context, request, reply);
      answerError(context, error, reply);
    },
  });
  for (const method of ['GET', 'HEAD']) app.addHttpMethod(method, { hasBody: true, overrideExisting: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  return app;
}

function addHooks(app: FastifyInstance, context: NodeContext): void {
  app.server.on('checkExpectation', (request, response) => {
    const text = `nothing but 100-continue can be expected, not ${request.headers.expect}`;
    response
      .writeHead(417, { ...commonHeaders(context, request.socket), 'content-type': 'text/plain' })
      .end(text);
  });
  app.addHook('onRequest', async (request, reply) => {
    setCommonHeaders(context, request, reply);
    const origin = request.headers['x-peer-origin'];
    if (typeof origin === 'string' && context.peers.isCut(origin, request.socket.remoteAddress ?? ''))
      throw new RequestError(503, 'this link is cut');
    const rules = request.headers[RULES_HEADER];
    const different = typeof rules === 'string' ? context.peers.difference(rules) : undefined;
    if (different !== undefined) throw new RequestError(409, different);
    await context.faults.suffer(request, reply);
  });
  if (context.port !== 'peer') return;
  const throttle = new Throttle(context.clock);
  app.addHook('onRequest', async (request) => throttle.take(request));
}

export function basePath({ chains }: Pick<NodeContext, 'chains'>): string {
  return `/chainweb/${API_VERSION}/${chains.network.name}`;
}

/** The three headers of every answer (interface section 1). */
function commonHeaders(context: NodeContext, socket: Socket): Record<string, string> {
  const { remoteAddress = 'unknown', remotePort = 0 } = socket;
  const host = remoteAddress.includes(':') ? `[${remoteAddress}]` : remoteAddress;
  const { port } = context;
  return {
    // Real nodes name the client on their peer port only, and themselves on the other.
    ...(port === 'service' ? { server: 'Chainweb Service API' } : { 'x-peer-addr': `${host}:${remotePort}` }),
    'x-server-timestamp': String(context.clock.nowMicros() / 1_000_000n),
    [context.dialect.softwareHeader]: NODE_VERSION,
    ...(port === 'peer' ? {} : ANY_ORIGIN),
  };
}

/** Pages of any origin may use the node. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' };

function setCommonHeaders(context: NodeContext, request: FastifyRequest, reply: FastifyReply): void {
  reply.headers(commonHeaders(context, request.raw.socket));
}

function answerError(context: NodeContext, error: unknown, reply: FastifyReply): void {
  if (error instanceof RequestError && error.form === 'bare') {
    const { raw } = reply.hijack();
    const headers = reply.getHeaders() as Record<string, string>;
    raw.writeHead(error.statusCode, { ...headers, 'content-length': Buffer.byteLength(error.message) });
    raw.end(error.message);
    return;
  }
  if (error instanceof StorageError) context.log.error({ err: error }, error.message);
  const { statusCode, message } = error as Partial<Error & { statusCode: number }>;
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 600) {
    const isJson = error instanceof RequestError && error.form === 'json';
    reply
      .code(statusCode)
      .type(isJson ? JSON_TYPE : context.dialect.textType)
      .send(message);
    return;
  }
  context.log.error({ err: error }, 'a request failed inside the node');
  reply.code(500).type('text/plain').send('the node failed to answer this request; its log says why');
}

const BROKEN_STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Answers what is no HTTP request at all, or none in time. */
function answerBrokenRequest(context: NodeContext, error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = BROKEN_STATUS[error.code ?? ''] ?? '400 Bad Request';
  const body = `this is no HTTP request: ${error.message}`;
  const headers = {
    ...commonHeaders(context, socket),
    'content-type': 'text/plain; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
}
