/** A PostgreSQL that already runs: one that outlived its bridge is stopped, and the next one goes on from its data. */
import { readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../core/log.js';
import type { Cluster } from './cluster.js';
import { connectionStringOf } from './server.js';

/** What tells a cluster from others. */
export type ClusterIdentity = Pick<Cluster, 'data' | 'password'>;

/** The port of a server of this cluster that answers now, whoever started it. */
export async function runningPort(cluster: ClusterIdentity): Promise<number | undefined> {
  const found = await findLeftOver(cluster);
  return found && (await isOurs(cluster, found.port)) ? found.port : undefined;
}

const PATIENCE_MS = 15_000;
const POLL_MS = 50;

interface LeftOver {
  readonly pid: number;
  readonly port: number;
}

/**
 * Stops a left-over server of this cluster, if one runs. What cannot be told to be ours is not touched: PostgreSQL's own
 * lock file then decides whether another may start.
 */
export async function stopLeftOver(cluster: ClusterIdentity, log: Log): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  let asked = false;
  for (;;) {
    const found = await findLeftOver(cluster);
    if (!found || !(await isAlive(found.pid)) || Date.now() > deadline) return;
    if (!asked && (await isOurs(cluster, found.port))) {
      log.warn({ pid: found.pid }, 'stopping a PostgreSQL that outlived its bridge');
      process.kill(found.pid, 'SIGINT');
      asked = true;
    }
    await pause(POLL_MS);
  }
}

/** `postmaster.pid`: the process id is its first line, the port its fourth. */
async function findLeftOver(cluster: ClusterIdentity): Promise<LeftOver | undefined> {
  const file = join(cluster.data, 'postmaster.pid');
  const lines = await readFile(file, 'utf8').then(
    (content) => content.split('\n'),
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    },
  );
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  return Number.isInteger(pid) && pid > 1 ? { pid, port } : undefined;
}

async function isAlive(pid: number): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !(await isZombie(pid));
}

/** Ended, but not yet waited for by its new parent: in a container that may take for ever. */
async function isZombie(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return /\) Z /.test(status);
}

/** Whether what answers at that port knows our password and serves our folder: a process id alone may be anybody's. */
async function isOurs(cluster: ClusterIdentity, port: number): Promise<boolean> {
  if (!Number.isInteger(port) || port < 1) return false;
  const client = new pg.Client({
    connectionString: connectionStringOf(cluster, port),
    connectionTimeoutMillis: 2000,
    query_timeout: 2000,
  });
  client.on('error', () => {}); // cut by its shutdown
  try {
    await client.connect();
    const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
    return (await realpath(rows[0]?.data_directory ?? '')) === (await realpath(cluster.data));
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {}); // the answer is known, whatever becomes of this connection
  }
}
