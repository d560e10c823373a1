/**
 * One owner at a time for a folder.
 *
 * The lock is a name that the kernel holds for a listening socket: two processes cannot hold it, and it is gone with its
 * process, however that ended. On Linux it is an abstract socket (no file), on Windows a named pipe, elsewhere a socket
 * file in the folder for temporary files, which is stale when nobody answers. Whoever connects is told the owner's
 * process id. Containers with network namespaces of their own do not see each other's locks.
 */
import { createHash } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { explainFileError, LedgerError } from './errors.js';

export interface FolderLock {
  release(): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 1000;

/**
 * Locks `folder` (made if it is not there) for `purpose`; locks for other purposes do not collide.
 * Throws {@link LedgerError} `in-use` when another process, or this one, holds it.
 */
export async function lockFolder(folder: string, purpose: string): Promise<FolderLock> {
  const name = await lockName(folder, purpose);
  const server = createServer((socket) =>
    socket.on('error', () => socket.destroy()).end(String(process.pid)),
  );
  server.unref();
  if (!(await listens(server, name)) && !((await isStale(name)) && (await listens(server, name)))) {
    throw new LedgerError('in-use', `${resolve(folder)} is in use by ${await ownerOf(name)}: ${ADVICE}`);
  }
  return { release: () => new Promise((done) => server.close(() => done())) };
}

const ADVICE = 'stop that one first, or choose another folder with --data-dir';

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
    await mkdir(folder, { recursive: true });
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

async function ownerOf(name: string): Promise<string> {
  const answer = await askOwner(name);
  return /^\d+$/.test(answer) ? `process ${answer}` : 'another process';
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
