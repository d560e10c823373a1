/** HTTP for people and machines that watch the bridge. */
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { isOwnName } from '../core/host-header.js';
import { type ListenAddress, listenAt } from '../core/listening.js';
import type { Log } from '../core/log.js';
import { addRigRoutes } from './rigs.js';
import { type SummarySources, summarize } from './summary.js';

export interface ListenOptions extends ListenAddress {
  readonly metrics: Registry;
  readonly log: Log;
  readonly limits?: Partial<WebLimits>;
}

export interface WebLimits {
  /** Open at a time. Rigs, node and ledger need the other files of the process. */
  readonly connections: number;
  /** A request has to be there after this time. */
  readonly requestMs: number;
  /** A connection on which nothing moves for so long is closed. */
  readonly idleMs: number;
}

const LIMITS: WebLimits = { connections: 64, requestMs: 10_000, idleMs: 60_000 };

export interface WebOptions extends ListenOptions {
  readonly sources: SummarySources;
  /** `POST /make-blocks`; absent where blocks are not made on demand. */
  readonly makeBlocks?: ((body: unknown) => Promise<Answer>) | undefined;
}

/** What a part of the bridge says to a request; the body is sent as JSON. */
export interface Answer {
  readonly status: number;
  readonly body: object;
}

export interface WebServer {
  readonly url: string;
  close(): Promise<void>;
}

/** The bridge's. Rejects with the system's error (`EADDRINUSE`, …) when it cannot listen. */
export function startWebServer(options: WebOptions): Promise<WebServer> {
  return serve(options, (app) => addRoutes(app, options));
}

/**
 * The recorder's: health and metrics alone. Rejects as above.
 * @param whatIsMissing `undefined` when entries are recorded as they come.
 */
export function startRecorderWeb(
  options: ListenOptions,
  whatIsMissing: () => Promise<string | undefined>,
): Promise<WebServer> {
  return serve(options, (app) => {
    app.get('/', (_request, reply) => reply.redirect('/metrics'));
    addReadiness(app, whatIsMissing);
  });
}

function serve(options: ListenOptions, addRoutes: (app: FastifyInstance) => void): Promise<WebServer> {
  return listenAt(options, (at) => serveAt(at, options, addRoutes));
}

async function serveAt(
  { host, port: asked }: ListenAddress,
  options: ListenOptions,
  addRoutes: (app: FastifyInstance) => void,
): Promise<WebServer> {
  const app = newServer({ ...LIMITS, ...options.limits });
  const { metrics } = options;
  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.contentType).send(await metrics.metrics()),
  );
  addRoutes(app);
  app.setErrorHandler((error: FastifyError, request, reply) => {
    // What fastify itself found wrong with the request, such as a body that is no JSON.
    if (error.statusCode && error.statusCode < 500)
      return reply.code(error.statusCode).send({ error: error.message });
    options.log.error({ url: request.url, error: error.message }, 'a web request failed');
    return reply.code(500).send({ error: 'this request failed; the log says why' });
  });
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({ error: `there is nothing at ${request.url.slice(0, 200)}` }),
  );
  await app.listen({ host, port: asked });
  const { address, port, family } = app.server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () => app.close(),
  };
}

function newServer({ connections, requestMs, idleMs }: WebLimits): FastifyInstance {
  const app = Fastify({
    forceCloseConnections: true,
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionTimeout: idleMs,
    http: { headersTimeout: requestMs, connectionsCheckingInterval: requestMs / 4 },
  });
  app.server.maxConnections = connections;
  // Who is turned away finds room when he comes again.
  app.server.on('drop', () => app.server.closeIdleConnections());
  return app;
}

function addReadiness(app: FastifyInstance, whatIsMissing: () => Promise<string | undefined>): void {
  app.get('/readyz', async (_request, reply) => {
    const missing = await whatIsMissing();
    return reply
      .code(missing === undefined ? 200 : 503)
      .send(missing === undefined ? { status: 'ready' } : { status: 'waiting', missing });
  });
}

function addRoutes(app: FastifyInstance, { sources, makeBlocks, host }: WebOptions): void {
  app.get('/', (_request, reply) => reply.redirect('/api/v1/summary'));
  addReadiness(app, async () => whatIsMissing(sources));
  app.get('/api/v1/summary', () => summarize(sources));
  addRigRoutes(app, sources.rigs);
  if (!makeBlocks) return;
  app.post('/make-blocks', async (request, reply) => {
    if (request.headers.origin !== undefined || !isOwnName(request.headers.host, [host]))
      return reply
        .code(403)
        .send({ error: 'no orders of web pages are taken: ask by address, from a program' });
    // Blocks take the time that they take.
    request.raw.socket.setTimeout(0);
    const { status, body } = await makeBlocks(request.body);
    return reply.code(status).send(body);
  });
}

/** Jobs flow when a node gives work and a job of it is live. */
function whatIsMissing(sources: SummarySources): string | undefined {
  const nodes = sources.nodes();
  if (nodes.length === 0) return 'no node is set';
  if (!nodes.some((node) => node.state === 'healthy')) {
    return nodes.map((node) => `node ${node.state}: ${node.reason}`).join('; ');
  }
  return sources.liveJobs().length === 0 ? 'no job yet' : undefined;
}
