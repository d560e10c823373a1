/**
 * The socket by which `stratum-bridge ctl` steers a bridge that runs, in the folder of that bridge:
 *
 *     ctl.sock    a Unix socket of mode 0600, which serves the same routes as the web
 *
 * Whoever may open that file may give orders: it needs no token, and no web page can ask there. It is made in a folder that is
 * its owner's alone, closed to others, and only then put in its place: at no moment is it open to anybody else.
 */
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { ServerLimits } from './listener.js';
import { refuseBytes } from './no-request.js';

const NAME = 'ctl.sock';
/** Not longer than the name itself: a path that fits there fits here. */
const MAKING = '.ctl';
const MADE = 's';
/** Of `sun_path`, without the zero at its end: Linux has 108 bytes, macOS and the BSDs 104. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103;
/** One who steers needs one. */
const CONNECTIONS = 32;

export function controlSocketIn(folder: string): string {
  return join(resolve(folder), NAME);
}

/** Why there can be no such socket, as a sentence; `undefined` where there can. */
export function controlFault(path: string): string | undefined {
  if (process.platform === 'win32') return 'there are no Unix sockets for `ctl` on Windows';
  const bytes = Buffer.byteLength(path);
  if (bytes <= LONGEST_PATH) return undefined;
  return `the path ${path} has ${bytes} bytes, and that of a Unix socket at most ${LONGEST_PATH}: choose a shorter data directory, or name it by a shorter link to it`;
}

interface ControlOptions {
  readonly path: string;
  readonly limits: ServerLimits;
  /** Gets the connections that come by it. */
  readonly own: WeakSet<Socket>;
}

/**
 * Serves the routes of `app`, which is ready, at this path. The caller owns the folder: a socket that a killed process left
 * there is replaced.
 *
 * @returns what closes it, and removes the file. Rejects with an error whose message says why there is no such socket.
 */
export async function openControl(
  app: FastifyInstance,
  { path, limits, own }: ControlOptions,
): Promise<() => Promise<void>> {
  const fault = controlFault(path);
  if (fault !== undefined) throw new Error(fault);
  const server = controlServer(app, limits, own);
  const folder = join(path, '..', MAKING);
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { mode: 0o700 });
    await listen(server, join(folder, MADE));
    await chmod(join(folder, MADE), 0o600);
    await rename(join(folder, MADE), path);
  } catch (error) {
    await closed(server);
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return async () => {
    await rm(path, { force: true });
    await closed(server);
  };
}

function controlServer(app: FastifyInstance, limits: ServerLimits, own: WeakSet<Socket>): Server {
  const { requestMs, idleMs } = limits;
  const times = { requestTimeout: requestMs, headersTimeout: requestMs, keepAliveTimeout: idleMs };
  const server = createServer({ ...times, connectionsCheckingInterval: requestMs / 4 }, (request, response) =>
    app.routing(request, response),
  );
  server.setTimeout(idleMs);
  server.maxConnections = CONNECTIONS;
  server.on('clientError', (error, socket) => refuseBytes(error, socket as Socket));
  return server.on('connection', (socket) => own.add(socket));
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(path, () => {
      server.off('error', fail);
      done();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((done) => {
    // One that never listened says so, and is closed all the same.
    server.close(() => done());
    server.closeAllConnections();
  });
}
