/** One run of the embedded PostgreSQL: started, waited for, stopped. */
import type { ChildProcess } from 'node:child_process';
import { type FileHandle, open, readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { PostgresBinaries } from './binaries.js';
import { type Cluster, explainWords, SUPERUSER } from './cluster.js';
import type { SystemUser } from './system-user.js';

export interface Server {
  /** Resolves when the process has ended, with words for it. */
  readonly ended: Promise<string>;
  /** Fast shutdown: sessions are cut, what is committed is written. Resolves when the process has ended. */
  stop(): Promise<void>;
}

export interface ServerParts {
  readonly binaries: PostgresBinaries;
  readonly user: SystemUser;
  readonly cluster: Cluster;
}

const STOP_FAST_MS = 6000;
const STOP_AT_ONCE_MS = 2000;
const POLL_MS = 25;

/** Loopback only, and everything that makes a commit mean what it says. */
function settings(port: number): string[] {
  return [
    'listen_addresses=127.0.0.1',
    `port=${port}`,
    'unix_socket_directories=',
    'fsync=on',
    'full_page_writes=on',
    'synchronous_commit=on',
    'timezone=UTC',
    'logging_collector=on',
    'log_filename=server-%a.log',
    'log_truncate_on_rotation=on',
    'log_rotation_age=1d',
    'log_rotation_size=0',
  ].flatMap((setting) => ['-c', setting]);
}

export function connectionStringOf(cluster: Pick<Cluster, 'password'>, port: number): string {
  return `postgres://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/postgres`;
}

/** A port of 127.0.0.1 that nobody uses now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string')
    throw new Error('a TCP listener has an address and a port');
  return address.port;
}

/** Resolves when the server answers; throws LedgerError with the server's own words when it ends instead. */
export async function startServer(parts: ServerParts, port: number): Promise<Server> {
  const { cluster } = parts;
  const output = await open(cluster.startLog, 'w', 0o600);
  const child = await spawnServer(parts, port, output).finally(() => output.close());
  const ended = new Promise<string>((done) => {
    child.once('exit', (code, signal) => done(signal ?? `exit code ${code}`));
  });
  if (!(await answers(connectionStringOf(cluster, port), child))) {
    const words = await readFile(cluster.startLog, 'utf8');
    throw explainWords(words, cluster.data, 'the embedded PostgreSQL did not start');
  }
  return { ended, stop: () => stopServer(child, ended) };
}

async function spawnServer(parts: ServerParts, port: number, output: FileHandle): Promise<ChildProcess> {
  const { binaries, user, cluster } = parts;
  const args = ['-D', cluster.data, ...settings(port)];
  const child = user.spawn(binaries.postgres, args, ['ignore', output.fd, output.fd]);
  await new Promise<void>((done, fail) => child.once('error', fail).once('spawn', done));
  return child;
}

/** Recovery after a crash may take long: as long as the process lives there is hope. */
async function answers(connectionString: string, child: ChildProcess): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null) {
    if (await canConnect(connectionString)) return true;
    await pause(POLL_MS);
  }
  return false;
}

async function canConnect(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 });
  client.on('error', () => {}); // a connection that is cut later was only a question
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {}); // the answer is known, whatever becomes of this connection
  }
}

async function stopServer(child: ChildProcess, ended: Promise<string>): Promise<void> {
  const patience = new AbortController();
  const waited = (timeoutMs: number): Promise<boolean> =>
    Promise.race([
      ended.then(() => true),
      pause(timeoutMs, false, { signal: patience.signal }).catch(() => false),
    ]);
  child.kill('SIGINT');
  if (!(await waited(STOP_FAST_MS))) {
    child.kill('SIGQUIT');
    if (!(await waited(STOP_AT_ONCE_MS))) child.kill('SIGKILL');
  }
  await ended;
  patience.abort();
}
