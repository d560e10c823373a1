/** The HTTP server below the routes: bounds, TLS, and whose word is taken for who asks. */
import { maxHeaderSize, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { type Certificate, MIN_TLS_VERSION } from '../tls/certificate.js';
import { boundConnections, type ConnectionLimits } from './access/connections.js';
import type { Guard } from './access/guard.js';
import { refuseBytes } from './no-request.js';

export interface ServerLimits extends ConnectionLimits {
  /** A request has to be there after this time. */
  readonly requestMs: number;
  /** Its head has to be. */
  readonly headMs: number;
  /** A connection on which nothing moves for so long is closed. */
  readonly idleMs: number;
}

/** Of a path: more than any head may have, so that the schema of a route says what is wrong with a name, and not a 404. */
const LONGEST_PARAMETER = maxHeaderSize;

/** @param proxies whose `X-Forwarded-For` is believed, besides those on this machine. */
export function newServer(
  limits: ServerLimits,
  proxies: readonly string[],
  certificate: Certificate | undefined,
  guard: Guard,
): FastifyInstance {
  const { requestMs, idleMs } = limits;
  const options: FastifyHttpOptions<Server> = {
    forceCloseConnections: true,
    trustProxy: ['loopback', ...proxies],
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionTimeout: idleMs,
    clientErrorHandler: refuseBytes,
    // What comes while the server closes is answered as before, or not at all.
    return503OnClosing: false,
    // A path that is none, before any route is looked for, and so before any hook.
    frameworkErrors: (error, request, reply) =>
      void refuseFault(guard, error, request as FastifyRequest, reply as FastifyReply),
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
    http: headTimes(limits),
  };
  const app = Fastify(
    certificate
      ? { ...options, serverFactory: (handler) => secureServer(handler, limits, certificate) }
      : options,
  );
  boundConnections(app.server, limits, proxies);
  return app;
}

async function refuseFault(
  guard: Guard,
  { statusCode = 400, message }: Error & { readonly statusCode?: number },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (!(await guard.admit(request, reply))) reply.code(statusCode).send({ error: message });
}

function headTimes({ headMs, requestMs }: ServerLimits) {
  const headersTimeout = Math.min(headMs, requestMs);
  return { headersTimeout, connectionsCheckingInterval: headersTimeout / 4 };
}

/** With the pair that is in force at each handshake. */
function secureServer(
  handler: RequestListener,
  limits: ServerLimits,
  certificate: Certificate,
): SecureServer {
  const { requestMs, idleMs } = limits;
  const server = createSecureServer(
    {
      ...certificate.pem,
      minVersion: MIN_TLS_VERSION,
      handshakeTimeout: requestMs,
      requestTimeout: requestMs,
      ...headTimes(limits),
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
