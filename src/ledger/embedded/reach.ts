/**
 * How the embedded PostgreSQL is reached: by a Unix socket in a folder that is closed to others, without a password. Where
 * there are none (Windows), or the path is longer than a socket's may be, by TCP on the loopback address with a password.
 */
import { createServer } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { writeDurably } from '../../files/write-durably.js';
import { type Cluster, readPassword, SUPERUSER } from './cluster.js';
import { lstatIfThere, readOwnFile } from './own-files.js';

export type Reach =
  | { readonly by: 'socket'; readonly folder: string }
  | { readonly by: 'tcp'; readonly host: string; readonly port: number; readonly password: string };

/** Stands in the socket's name; nobody listens on such a port. */
const SOCKET_NUMBER = 5432;
/** Of sockaddr_un, with the zero at its end: 108 on Linux, 104 elsewhere. */
const LONGEST_SOCKET_PATH = process.platform === 'linux' ? 107 : 103;
const LOOPBACK = ['127.0.0.1', '::1'];

export function hasSocket({ socket }: Cluster): boolean {
  return process.platform !== 'win32' && Buffer.byteLength(socketPath(socket)) <= LONGEST_SOCKET_PATH;
}

export function socketPath(folder: string): string {
  return join(folder, `.s.PGSQL.${SOCKET_NUMBER}`);
}

/** For a start: a port is one that nobody uses now. */
export async function chooseReach(cluster: Cluster, byTcp: boolean): Promise<Reach> {
  if (!byTcp) return { by: 'socket', folder: cluster.socket };
  const password = await readPassword(cluster);
  let fault: unknown;
  for (const host of LOOPBACK) {
    try {
      const port = await freePort(host);
      await writeDurably(cluster.port, `${host} ${port}\n`, { mode: 0o600 });
      return { by: 'tcp', host, port, password };
    } catch (error) {
      fault = error;
    }
  }
  throw fault;
}

async function freePort(host: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, host, done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string')
    throw new Error('a TCP listener has an address and a port');
  return address.port;
}

/** A server of this cluster that answers now, whoever started it. */
export async function findReach(cluster: Cluster): Promise<Reach | undefined> {
  const reach = await lastReach(cluster);
  return reach && (await ask(connectionStringOf(reach))).is === 'ready' ? reach : undefined;
}

async function lastReach(cluster: Cluster): Promise<Reach | undefined> {
  if (hasSocket(cluster)) {
    const there = await lstatIfThere(socketPath(cluster.socket));
    if (there?.isSocket()) return { by: 'socket', folder: cluster.socket };
  }
  const words = await readOwnFile(cluster.port);
  const [host, port] = (words ?? '').trim().split(' ');
  if (!host || !port) return undefined;
  return { by: 'tcp', host, port: Number(port), password: await readPassword(cluster) };
}

/** Stands where nobody is asked for a password: without any, the driver would offer that of PGPASSWORD or ~/.pgpass. */
const NO_PASSWORD = 'none';

/** Without TLS, whatever PGSSLMODE says for other databases. */
export function connectionStringOf(reach: Reach): string {
  const query = 'postgres?sslmode=disable';
  if (reach.by === 'socket') {
    const host = encodeURIComponent(reach.folder);
    return `postgres://${SUPERUSER}:${NO_PASSWORD}@${host}:${SOCKET_NUMBER}/${query}`;
  }
  const host = reach.host.includes(':') ? `[${reach.host}]` : reach.host;
  return `postgres://${SUPERUSER}:${encodeURIComponent(reach.password)}@${host}:${reach.port}/${query}`;
}

/** PostgreSQL's settings for it. */
export function listenSettings(reach: Reach): string[] {
  if (reach.by === 'tcp')
    return [`listen_addresses=${reach.host}`, `port=${reach.port}`, 'unix_socket_directories='];
  const folder = `"${reach.folder.replaceAll('"', '""')}"`;
  return ['listen_addresses=', `port=${SOCKET_NUMBER}`, `unix_socket_directories=${folder}`];
}

export type Answer =
  | { readonly is: 'ready' }
  /** It runs, and takes nobody yet, or no more. */
  | { readonly is: 'busy' }
  | { readonly is: 'refused'; readonly error: Error }
  | { readonly is: 'silent'; readonly error: Error };

/** On a machine that others keep busy a server that is well takes seconds. Where none runs this is said at once. */
const ASK_TIMEOUT_MS = 10_000;

/** Asks once, in bounded time. */
export async function ask(connectionString: string): Promise<Answer> {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: ASK_TIMEOUT_MS,
    query_timeout: ASK_TIMEOUT_MS,
  });
  client.on('error', () => {}); // a connection that is cut later was only a question
  try {
    await client.connect();
    return { is: 'ready' };
  } catch (error) {
    return { is: wordOf(error as NodeJS.ErrnoException), error: error as Error };
  } finally {
    void client.end().catch(() => {}); // the answer is known, whatever becomes of this connection
  }
}

/** PostgreSQL's own codes have five characters; 57P0x: starting, stopping, recovering. */
function wordOf({ code = '' }: NodeJS.ErrnoException): 'busy' | 'refused' | 'silent' {
  if (code.startsWith('57P0')) return 'busy';
  return /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? 'refused' : 'silent';
}
