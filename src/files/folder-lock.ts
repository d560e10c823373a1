/**
 * One owner at a time for a folder, by a lock that the kernel holds for a file in it: containers with namespaces of their own
 * see it as well, nobody else can take it who may not write there, and it is gone with its process, however that ended.
 *
 * Node.js has no flock(2). On Linux a program of that name (util-linux, busybox) locks the open file that it is handed; the
 * lock belongs to that open file, which stays open here. macOS and Windows lock a file as they open it.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { explainFileError, FileError } from './file-error.js';
import { refuseForeign } from './folder-owner.js';
import { makeFolder } from './make-folder.js';

export interface FolderLock {
  release(): void;
}

const { O_RDWR, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
/** Flags of an open that locks too: O_EXLOCK of macOS, UV_FS_O_EXLOCK of libuv on Windows. */
const OPEN_LOCKS: Partial<Record<NodeJS.Platform, number>> = {
  darwin: 0x20 | O_NONBLOCK,
  win32: 0x10000000,
};
/** What such an open says of a file that another one has locked. */
const LOCKED = ['EAGAIN', 'EBUSY'];
const ATTEMPTS = 5;
const PROGRAM_TIMEOUT_MS = 10_000;

/**
 * Locks `folder` (made if it is not there) for `purpose`; locks for other purposes do not collide.
 * Throws {@link FileError}: `in-use` when another process, or this one, holds it.
 */
export function lockFolder(folder: string, purpose: string): FolderLock {
  try {
    makeFolder(folder);
    refuseForeign(realpathSync(folder));
    return lockFile(folder, lockFileOf(folder, purpose));
  } catch (error) {
    throw explainFileError(error, folder);
  }
}

/** Stays there when the lock is released. */
export function lockFileOf(folder: string, purpose: string): string {
  return join(folder, `${purpose}.lock`);
}

function lockFile(folder: string, path: string): FolderLock {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const file = openLocked(folder, path);
    try {
      if (fstatSync(file).nlink > 1)
        // A hard link: the other name may be that of any file.
        throw new FileError('no-permission', `${path} has another name: remove it`);
      if (isStillAt(path, file)) {
        ftruncateSync(file);
        writeSync(file, `${process.pid}\n`, 0);
        return { release: once(() => closeSync(file)) };
      }
    } catch (error) {
      closeSync(file);
      throw error;
    }
    closeSync(file);
  }
  throw new FileError('cannot-lock', `${path} is removed again and again: nobody may do so`);
}

/** Its number may be that of another file soon, and that file's lock goes with it where it is closed again. */
function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

/** The open file, which has the lock. */
function openLocked(folder: string, path: string): number {
  const locks = OPEN_LOCKS[process.platform];
  try {
    const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | (locks ?? 0), 0o600);
    if (locks === undefined) flock(folder, path, file);
    return file;
  } catch (error) {
    if (LOCKED.includes((error as NodeJS.ErrnoException).code ?? '')) throw inUse(folder, path);
    throw error;
  }
}

/** Closes the file when it does not get the lock. */
function flock(folder: string, path: string, file: number): void {
  const { status, stderr, error } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
    env: { PATH: process.env['PATH'] },
    timeout: PROGRAM_TIMEOUT_MS,
    encoding: 'utf8',
  });
  if (status === 0) return;
  closeSync(file);
  if (status === 1 && stderr === '') throw inUse(folder, path);
  const why =
    (error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT'
      ? 'there is no program `flock`: install it (util-linux)'
      : `flock says "${stderr.trim() || error?.message}": choose a disk that has such locks`;
  throw new FileError('cannot-lock', `${resolve(folder)} cannot be locked: ${why}`);
}

function inUse(folder: string, path: string): FileError {
  const pid = pidIn(path);
  const who = pid === '' ? '' : `: who holds it says it is process ${pid}`;
  const advice = 'stop that one first, or choose another folder with --data-dir';
  return new FileError('in-use', `${resolve(folder)} is in use${who}; ${advice}`);
}

/** Somebody may have removed the file between its opening and its lock: then it locks nothing. */
function isStillAt(path: string, file: number): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  const here = fstatSync(file, { bigint: true });
  return there?.dev === here.dev && there.ino === here.ino;
}

/** A hint for people: what the owner wrote, which need not be true. */
function pidIn(path: string): string {
  try {
    return /^\d+/.exec(readFileSync(path, 'latin1'))?.[0] ?? '';
  } catch {
    return ''; // On Windows only its owner reads it.
  }
}
