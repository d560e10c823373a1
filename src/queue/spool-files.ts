/** The files of a spool, each by its number. */
import { access, type FileHandle, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { openPrivateFolder } from './private-folder.js';

export function pathOf(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.spool`);
}

export function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** In a folder that somebody may have removed. */
export async function openNew(folder: string, path: string): Promise<FileHandle> {
  return open(path, 'wx+', 0o600).catch(async (error) => {
    ifThere(error);
    await openPrivateFolder(folder);
    return open(path, 'wx+', 0o600);
  });
}

export async function readFrom(handle: FileHandle, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}

/** Under a name that nothing has yet: the folder is this process's alone. */
export async function putAside(path: string): Promise<void> {
  for (let number = 1; ; number++) {
    const free = number === 1 ? `${path}.broken` : `${path}.broken-${number}`;
    const isFree = await access(free).then(
      () => false,
      () => true,
    );
    if (isFree) return rename(path, free).catch(ifThere);
  }
}
