/** Files that nobody else may read, change or put another in place of. */

import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from '../../files/sync-folder.js';
import { SignerError } from './signer.js';

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_WRONLY } = constants;
const PRIVATE = 0o600;

/** Opens a file that is this user's alone. @param flags of `open(2)`. Throws {@link SignerError}. */
export async function openPrivate(path: string, flags: number, what: string): Promise<FileHandle> {
  // A pipe is refused below, and not waited for.
  const file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK, PRIVATE).catch((error: unknown) => {
    throw explained(error, path, what);
  });
  try {
    await refuseShared(file, path, what);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function refuseShared(file: FileHandle, path: string, what: string): Promise<void> {
  const status = await file.stat();
  const refuse = (why: string): never => {
    throw new SignerError('no-permission', `${what} ${path} ${why}`);
  };
  if (!status.isFile()) refuse('is no file');
  if (process.platform === 'win32') return;
  if (status.nlink !== 1) refuse('has another name (a hard link): remove that one');
  const user = process.geteuid?.();
  if (status.uid !== user)
    refuse(
      `belongs to the user ${status.uid}, and this process is user ${user}: give it to that one (chown)`,
    );
  const mode = status.mode & 0o777;
  if ((mode & 0o077) !== 0)
    refuse(`may be used by others (mode ${mode.toString(8).padStart(4, '0')}): chmod 600 it`);
}

/** Makes it, with this content, durably: all of it or nothing. Throws {@link SignerError} `exists` where there is one. */
export async function writeNewPrivate(path: string, content: Uint8Array, what: string): Promise<void> {
  const file = await openPrivate(path, O_WRONLY | O_CREAT | O_EXCL, what);
  try {
    await file.writeFile(content);
    await file.sync();
    await file.close();
    await syncFolder(dirname(path));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(path, { force: true });
    throw explained(error, path, what);
  }
}

/** What the system says, in our words. Its own message tells the path and nothing of the content. */
export function explained(error: unknown, path: string, what: string): Error {
  const { code, message } = error as NodeJS.ErrnoException;
  const is = (own: SignerError['code'], why: string): SignerError =>
    new SignerError(own, `${what} ${path} ${why}`, { cause: error });
  if (error instanceof SignerError) return error;
  if (code === 'ENOENT') return is('no-file', 'is not there, or its folder is not');
  if (code === 'EEXIST') return is('exists', 'is there already, and nothing is written over it');
  if (code === 'ELOOP') return is('no-permission', 'is a symbolic link: name the file itself');
  if (code === 'EACCES' || code === 'EPERM') return is('no-permission', 'cannot be opened by this user');
  return is('broken', `cannot be used: ${message}`);
}
