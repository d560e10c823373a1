/** One node a data directory: by the lock it is given, or else by a file that names the process that has it. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The data directory cannot be used; the message says what to do. */
export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError';
  readonly code = 'data-directory';
}

/** Returns what gives the directory free again; `undefined` where this system has no such lock. Throws when it is taken. */
export type FolderLocker = (directory: string) => (() => void) | undefined;

/** Makes the directory if need be. Returns what gives it free again. Takes over from a process that is gone. */
export function takeLock(directory: string, lock?: FolderLocker): () => void {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (cause) {
    throw new DataDirectoryError(`${directory} cannot be made: ${(cause as Error).message}`, { cause });
  }
  return lock?.(directory) ?? lockByPid(directory);
}

function lockByPid(directory: string): () => void {
  const file = join(directory, 'node.pid');
  if (!tryLock(file)) {
    const owner = readFileSync(file, 'utf8');
    if (owner === ownName() || isOtherAlive(Number(owner.split(' ')[0]))) {
      throw new DataDirectoryError(
        `${directory} is in use by process ${owner.split(' ')[0]}; stop it, or delete ${file} if that process is no node`,
      );
    }
    writeFileSync(file, ownName());
  }
  return () => rmSync(file, { force: true });
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, ownName(), { flag: 'wx' });
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new DataDirectoryError(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

/** Id and start of this process: in a container the next start may well have the same id. */
function ownName(): string {
  return `${process.pid} ${performance.timeOrigin}`;
}

function isOtherAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
