/**
 * Files that the bridge alone writes, in a folder that nobody else may change. They are made anew, never opened through a
 * link: a root that follows what another user put there would write, or tell, any file of the machine.
 */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { LedgerError } from '../database/errors.js';

/** A pipe is opened without waiting for who writes into it. */
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
/** More than any of these small files has. */
export const MOST_BYTES = 65_536;

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
