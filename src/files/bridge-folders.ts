/**
 * What is one bridge's alone lies in a folder of its own in the data directory, by number; what all bridges of the machine share lies beside.
 *
 *     <dataDir>/0    of a bridge alone, or of the first of several
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FileError } from './file-error.js';
import { type FolderLock, lockFolder } from './folder-lock.js';
import { removeUnfinished } from './write-durably.js';

/** More bridges than a ledger has numbers for. */
const MOST = 256;
/** What the data directory is locked for while a primary runs on it. */
export const PRIMARY = 'primary';
const NUMBER = /^\d{1,3}$/;

export function bridgeFolder(dataDir: string, number = 0): string {
  return join(dataDir, String(number));
}

/** Those that are there, the lowest number first. */
export function bridgeFoldersIn(dataDir: string): string[] {
  return namesIn(dataDir)
    .filter((name) => NUMBER.test(name))
    .sort((a, b) => Number(a) - Number(b))
    .map((name) => join(dataDir, name));
}

function namesIn(dataDir: string): string[] {
  try {
    return readdirSync(dataDir);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}

/** The folder of this process until it lets go. */
interface OwnFolder {
  readonly path: string;
  readonly lock: FolderLock;
}

/**
 * Takes the first, or, where it is one of several bridges, the lowest that no other process has. Throws {@link FileError}:
 * `in-use` where another one has it.
 */
export function takeBridgeFolder(dataDir: string, isOneOfSeveral: boolean): OwnFolder {
  for (let number = 0; ; number++) {
    const path = bridgeFolder(dataDir, number);
    try {
      return { path, lock: lockBridgeFolder(path) };
    } catch (error) {
      const isTaken = error instanceof FileError && error.code === 'in-use';
      if (!isTaken || !isOneOfSeveral || number === MOST) throw error;
    }
  }
}

/** Throws {@link FileError}. */
export function lockBridgeFolder(path: string): FolderLock {
  const lock = lockFolder(path, 'bridge');
  removeUnfinished(path);
  return lock;
}
