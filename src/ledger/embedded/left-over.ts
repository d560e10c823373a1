/**
 * What a bridge that was killed, or a machine that lost its power, left of PostgreSQL: a server that still runs is stopped,
 * and lock files that name a process are removed once no server is left. The bridge holds the folder, so no other may run.
 *
 * A process is taken for a server of this folder when it is a `postgres` that works in it: the number in `postmaster.pid`
 * may be anybody's by now. It is told to stop with the rights of PostgreSQL's user, never with root's.
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { LedgerError } from '../database/errors.js';
import type { Cluster } from './cluster.js';
import type { ServerParts } from './parts.js';
import { ask, connectionStringOf, type Reach, socketPath } from './reach.js';
import { run, untilEnded } from './run.js';

/** From the first request to stop, when the next stronger one follows. */
const SIGNALS = [
  { afterMs: 0, name: 'INT' },
  { afterMs: 8_000, name: 'QUIT' },
  { afterMs: 14_000, name: 'KILL' },
];
const PATIENCE_MS = 25_000;
const POLL_MS = 50;
const SIGNAL_TIMEOUT_MS = 10_000;

/** Afterwards nothing is in the way of a server in this folder. Throws {@link LedgerError} when something stays. */
export async function clearLeftOver(parts: ServerParts, reach: Reach): Promise<void> {
  const { cluster, user, log } = parts;
  await stopAll(parts);
  const lock = join(cluster.data, 'postmaster.pid');
  const socket = socketPath(cluster.socket);
  await refuseUnseen(cluster, reach);
  const left = await user.read(lock);
  if (left !== undefined && tellsOfServers())
    log.warn({ pid: pidOf(left) }, 'removing the lock file of a PostgreSQL that is gone');
  await user.remove(tellsOfServers() ? [lock, socket, `${socket}.lock`] : [socket, `${socket}.lock`]);
}

/** Whether {@link serversOf} is to be believed when it finds none: elsewhere PostgreSQL's own lock file decides. */
function tellsOfServers(): boolean {
  return process.platform !== 'win32';
}

async function stopAll(parts: ServerParts): Promise<void> {
  const startedAtMs = performance.now();
  const due = [...SIGNALS];
  for (;;) {
    const [pid] = await serversOf(parts);
    if (pid === undefined) return;
    const passedMs = performance.now() - startedAtMs;
    if (passedMs > PATIENCE_MS) {
      const sentence = `process ${pid}, a PostgreSQL of ${parts.cluster.data}, does not end: end it (kill -9 ${pid})`;
      throw new LedgerError('in-use', sentence);
    }
    const signal = due[0];
    if (signal && passedMs >= signal.afterMs) {
      if (due.shift()?.afterMs === 0)
        parts.log.warn({ pid }, 'stopping a PostgreSQL that outlived its bridge');
      const told = parts.user.spawn(parts.binaries.pgCtl, ['kill', signal.name, `${pid}`], 'ignore');
      await untilEnded(told, SIGNAL_TIMEOUT_MS);
    }
    await pause(POLL_MS);
  }
}

/** Ids of the processes that serve this folder, the first of them before those it started. */
async function serversOf(parts: ServerParts): Promise<number[]> {
  if (process.platform === 'linux') return serversInProc(parts.cluster);
  if (process.platform === 'win32') return [];
  return serverInLockFile(parts);
}

interface Place {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The kernel tells where a process works and what it is called; of a process that is not ours it tells only root. */
async function serversInProc({ data }: Cluster): Promise<number[]> {
  const place = await stat(data, { bigint: true });
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: ServerProcess[] = [];
  // One after the other: all at once open as many files as the machine has processes, and the bridge may have few.
  for (const pid of pids) {
    const server = await serverIn(place, pid);
    if (server) found.push(server);
  }
  const isServer = (pid: number): boolean => found.some((server) => server.pid === pid);
  return found
    .sort((a, b) => Number(isServer(a.parent)) - Number(isServer(b.parent)) || a.pid - b.pid)
    .map(({ pid }) => pid);
}

interface ServerProcess {
  readonly pid: number;
  readonly parent: number;
}

async function serverIn(place: Place, pid: number): Promise<ServerProcess | undefined> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''); // it may have ended
  const [, state, parent] = /^\d+ \(postgres\) (\S) (\d+)/.exec(status) ?? [];
  // Ended, but not yet waited for by its new parent: in a container that may take for ever.
  if (state === undefined || state === 'Z' || state === 'X') return undefined;
  const works = await stat(`/proc/${pid}/cwd`, { bigint: true }).catch(() => undefined); // another user's
  if (works?.dev !== place.dev || works.ino !== place.ino) return undefined;
  return { pid, parent: Number(parent) };
}

/** Systems without /proc: the process of the lock file, if its command line is that of a PostgreSQL of this folder. */
async function serverInLockFile({ cluster, user }: ServerParts): Promise<number[]> {
  const pid = pidOf((await user.read(join(cluster.data, 'postmaster.pid'))) ?? '');
  if (pid === undefined) return [];
  const command = await run('ps', ['-o', 'command=', '-p', `${pid}`]).catch(() => ''); // no such process
  return command.includes('postgres') && command.includes(cluster.data) ? [pid] : [];
}

function pidOf(lockFile: string): number | undefined {
  const pid = Number.parseInt(lockFile, 10);
  return Number.isSafeInteger(pid) && pid > 1 ? pid : undefined;
}

/** A server that answers, although no process of it is to be seen, as one in another container on the same volume. */
async function refuseUnseen(cluster: Cluster, reach: Reach): Promise<void> {
  if (reach.by !== 'socket') return;
  const answer = await ask(connectionStringOf(reach));
  if (answer.is === 'silent') return;
  const sentence = `a PostgreSQL that is not to be seen from here serves ${cluster.data}, perhaps one in another container: stop it first`;
  throw new LedgerError('in-use', sentence);
}
