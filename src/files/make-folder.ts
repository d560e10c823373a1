import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { FileError } from './file-error.js';

/**
 * Makes the folder and those above it, where they are not there. `recursive` of Node.js tries for ever where a folder takes no
 * new one and says that there is no such path, as those of `/proc` do.
 *
 * @param mode of those that are made.
 * Throws {@link FileError} `cannot-make` there, and else what the system says.
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const path = resolve(folder);
  if (isMade(path, mode)) return;
  makeFolder(dirname(path), mode);
  if (isMade(path, mode)) return;
  throw new FileError(
    'cannot-make',
    `${path} cannot be made: ${dirname(path)} takes no new folder; choose another one`,
  );
}

/** `false` where the system knows no such path. */
function isMade(path: string, mode: number): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' && path !== dirname(path)) return false;
    // Where a disk may not be written, that is said before what is there already.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return true;
    throw error;
  }
}
