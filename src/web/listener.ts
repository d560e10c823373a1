/** The HTTP server below the routes: bounds, TLS, and whose word is taken for who asks. */
import { maxHeaderSize, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import Fastify, { type FastifyHttpOptions, type FastifyInstance, type FastifyReply } from 'fastify';
import { MIN_TLS_VERSION, type ToldCertificate } from '../tls/certificate.js';
import { boundByAddress } from './access/connection-counts.js';
import { refuseBytes } from './no-request.js';

export interface ServerLimits {
  /** Open at a time. Rigs, node and ledger need the other files of the process. */
  readonly connections: number;
  /** Of these, those of one address; nobody is to take the room of all others. */
  readonly connectionsOfAddress: number;
  /** A request has to be there after this time. */
  readonly requestMs: number;
  /** A connection on which nothing moves for so long is closed. */
  readonly idleMs: number;
}

/** Of a path: more than any head may have, so that the schema of a route says what is wrong with a name, and not a 404. */
const LONGEST_PARAMETER = maxHeaderSize;

/** @param proxies whose `X-Forwarded-For` is believed, besides those on this machine. */
export function newServer(
  limits: ServerLimits,
  proxies: readonly string[],
  certificate: ToldCertificate | undefined,
): FastifyInstance {
  const { connections, requestMs, idleMs } = limits;
  const options: FastifyHttpOptions<Server> = {
    forceCloseConnections: true,
    trustProxy: ['loopback', ...proxies],
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionTimeout: idleMs,
    clientErrorHandler: refuseBytes,
    // What comes while the server closes is answered as before, or not at all.
    return503OnClosing: false,
    // A path that is none, before any route is looked for.
    frameworkErrors: (error, _request, reply) =>
      void (reply as FastifyReply).code(error.statusCode ?? 400).send({ error: error.message }),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    http: { headersTimeout: requestMs, connectionsCheckingInterval: requestMs / 4 },
  };
  const app = Fastify(
    certificate
      ? { ...options, serverFactory: (handler) => secureServer(handler, limits, certificate) }
      : options,
  );
  app.server.maxConnections = connections;
  boundByAddress(app.server, limits.connectionsOfAddress, proxies);
  // Who is turned away finds room when he comes again.
  app.server.on('drop', () => app.server.closeIdleConnections());
  return app;
}

/** With the pair that is in force at each handshake. */
function secureServer(
  handler: RequestListener,
  { requestMs, idleMs }: ServerLimits,
  certificate: ToldCertificate,
): SecureServer {
  const server = createSecureServer(
    {
      ...certificate.pem,
      minVersion: MIN_TLS_VERSION,
      handshakeTimeout: requestMs,
      requestTimeout: requestMs,
      headersTimeout: requestMs,
      connectionsCheckingInterval: requestMs / 4,
      keepAliveTimeout: idleMs,
    },
    handler,
  );
  server.setTimeout(idleMs);
  const forget = certificate.onChange((pem) =>
    server.setSecureContext({ ...pem, minVersion: MIN_TLS_VERSION }),
  );
  server.once('close', forget);
  return server;
}
