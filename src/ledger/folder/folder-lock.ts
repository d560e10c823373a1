/**
 * One owner at a time for a folder: by a lock of a file in it where the system can (`file-lock.ts`).
 *
 * Elsewhere the lock is a name that the kernel holds for a listening socket: two processes cannot hold it, and it is gone with
 * its process, however that ended. On Linux it is an abstract socket (no file), on Windows a named pipe, elsewhere a socket
 * file in the folder for temporary files, which is stale when nobody answers. Whoever connects is told the owner's process
 * id. Containers with network namespaces of their own do not see each other's, and any user of the machine may take one.
 */
import { createHash } from 'node:crypto';
import { mkdir, realpath, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { explainFileError, LedgerError } from '../database/errors.js';
import { type FileLock, lockFile } from './file-lock.js';
import { refuseForeign } from './folder-owner.js';

export interface FolderLock {
  release(): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 5000;

/**
 * Locks `folder` (made if it is not there) for `purpose`; locks for other purposes do not collide.
 * Throws {@link LedgerError} `in-use` when another process, or this one, holds it.
 */
export async function lockFolder(folder: string, purpose: string): Promise<FolderLock> {
  await makeFolder(folder);
  const lock = lockFileIn(folder, purpose);
  if (lock.is === 'held') return { release: async () => lock.release() };
  if (lock.is === 'taken') throw inUse(folder, lock.saysPid);
  return lockByName(folder, purpose);
}

/** The lock by a file alone, at once; `undefined` where the system has none. The folder is there. */
export function lockFolderByFile(folder: string, purpose: string): (() => void) | undefined {
  const lock = lockFileIn(folder, purpose);
  if (lock.is === 'taken') throw inUse(folder, lock.saysPid);
  return lock.is === 'held' ? () => lock.release() : undefined;
}

/** Stays there when the lock is released. */
export function lockFileOf(folder: string, purpose: string): string {
  return join(folder, `${purpose}.lock`);
}

function lockFileIn(folder: string, purpose: string): FileLock {
  try {
    return lockFile(lockFileOf(folder, purpose));
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

async function lockByName(folder: string, purpose: string): Promise<FolderLock> {
  const name = await lockName(folder, purpose);
  const server = createServer((socket) =>
    socket.on('error', () => socket.destroy()).end(String(process.pid)),
  );
  server.unref();
  if (!(await listens(server, name)) && !((await isStale(name)) && (await listens(server, name))))
    throw inUse(folder, await askOwner(name));
  return { release: () => new Promise((done) => server.close(() => done())) };
}

/** @param pid as the owner says. */
function inUse(folder: string, pid: string): LedgerError {
  const who = /^\d+$/.test(pid) ? `: who holds it says it is process ${pid}` : '';
  const advice = 'stop that one first, or choose another folder with --data-dir';
  return new LedgerError('in-use', `${resolve(folder)} is in use${who}; ${advice}`);
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await refuseForeign(await realpath(folder));
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

async function lockName(folder: string, purpose: string): Promise<string> {
  const identity = await identityOf(folder);
  const hash = createHash('sha256').update(`${identity} ${purpose}`).digest('hex').slice(0, 32);
  if (process.platform === 'linux') return `\0stratum-bridge-${hash}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\stratum-bridge-${hash}`;
  return join(tmpdir(), `stratum-bridge-${hash}.sock`);
}

/** Device and inode: the same folder has the same identity by every path. */
async function identityOf(folder: string): Promise<string> {
  try {
    const { dev, ino } = await stat(folder, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

function listens(server: Server, name: string): Promise<boolean> {
  return new Promise((done, fail) => {
    const onError = (error: NodeJS.ErrnoException): void =>
      error.code === 'EADDRINUSE' ? done(false) : fail(error);
    server.once('error', onError);
    server.listen(name, () => {
      server.off('error', onError);
      done(true);
    });
  });
}

/** A socket file outlives its process; only there can a lock be stale. */
async function isStale(name: string): Promise<boolean> {
  if (process.platform === 'linux' || process.platform === 'win32') return false;
  if ((await askOwner(name)) !== 'refused') return false;
  await rm(name, { force: true });
  return true;
}

function askOwner(name: string): Promise<string> {
  return new Promise((done) => {
    let answer = '';
    const socket = connect(name);
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer = `${answer}${chunk}`.slice(0, 20);
    });
    socket.on('error', () => {
      answer = 'refused';
    });
    socket.on('close', () => done(answer));
  });
}
