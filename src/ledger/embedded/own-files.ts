/**
 * Files that the bridge alone writes, in a folder that nobody else may change. They are made anew, never opened through a
 * link: a root that follows what another user put there would write, or tell, any file of the machine.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { LedgerError } from '../database/errors.js';

interface Access {
  readonly mode: number;
  /** A group that may read it, where the bridge is root. */
  readonly gid?: number | undefined;
}

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
/** A pipe is opened without waiting for who writes into it. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** More than any of these small files has. */
export const MOST_BYTES = 65_536;

/** Whole or not at all: written beside, synced and renamed. */
export async function writeOwnFile(path: string, content: string, { mode, gid }: Access): Promise<void> {
  const beside = `${path}.new`;
  await rm(beside, { force: true });
  const handle = await open(beside, CREATE, mode);
  try {
    if (gid !== undefined) await handle.chown(0, gid);
    await handle.chmod(mode); // the umask may have taken some of it
    await handle.writeFile(content);
    await handle.datasync();
  } finally {
    await handle.close();
  }
  await rename(beside, path);
}

/** `undefined` when there is none. Throws for what is no plain file of its own: a link, a pipe, a second name of another file. */
export async function readOwnFile(path: string): Promise<string | undefined> {
  const handle = await openIfThere(path);
  if (!handle) return undefined;
  try {
    const status = await handle.stat();
    if (!status.isFile() || status.nlink !== 1) throw noPlainFile(path);
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, READ);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw LINK_OR_SOCKET.includes(code) ? noPlainFile(path) : error;
  }
}

const LINK_OR_SOCKET = ['ELOOP', 'EMLINK', 'ENXIO'];

function noPlainFile(path: string): LedgerError {
  return new LedgerError('no-permission', `${path} is no plain file: remove it`);
}

/** What stands there itself, not what it points to. */
export async function lstatIfThere(path: string) {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
