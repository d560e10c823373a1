/**
 * A lock that the kernel holds for a file in the folder: containers with namespaces of their own see it as well, nobody else
 * can take it who may not write there, and it is gone with its process, however that ended.
 *
 * Node.js has no flock(2), so a program of that name (util-linux, busybox) locks the open file that it is handed. The lock
 * belongs to that open file, which stays open here; the program has ended by then.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { LedgerError } from '../database/errors.js';

/** `absent`: this system has no such program, or this disk no such locks. */
export type FileLock =
  | { readonly is: 'held'; release(): void }
  | { readonly is: 'taken'; readonly saysPid: string }
  | { readonly is: 'absent' };

const { O_RDWR, O_CREAT, O_NOFOLLOW = 0 } = constants;
const ATTEMPTS = 5;
const PROGRAM_TIMEOUT_MS = 10_000;

export function lockFile(path: string): FileLock {
  for (let attempt = 1; ; attempt++) {
    const file = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
    const result = flock(file);
    if (result !== 'held') {
      const saysPid = result === 'taken' ? pidIn(file) : '';
      closeSync(file);
      return result === 'taken' ? { is: 'taken', saysPid } : { is: 'absent' };
    }
    if (fstatSync(file).nlink > 1) {
      closeSync(file);
      // A hard link: the other name may be that of any file.
      throw new LedgerError('no-permission', `${path} has another name: remove it`);
    }
    if (isStillAt(path, file)) {
      ftruncateSync(file);
      writeSync(file, `${process.pid}\n`, 0);
      return { is: 'held', release: () => closeSync(file) };
    }
    closeSync(file);
    if (attempt === ATTEMPTS) throw new Error(`${path} is removed again and again: nobody may do so`);
  }
}

function flock(file: number): 'held' | 'taken' | 'absent' {
  const path = process.env['PATH'];
  const { status, stderr } = spawnSync('flock', ['-n', '3'], {
    stdio: ['ignore', 'ignore', 'pipe', file],
    env: path === undefined ? {} : { PATH: path },
    timeout: PROGRAM_TIMEOUT_MS,
    encoding: 'utf8',
  });
  if (status === 0) return 'held';
  return status === 1 && stderr === '' ? 'taken' : 'absent';
}

/** Somebody may have removed the file between its opening and its lock: then it locks nothing. */
function isStillAt(path: string, file: number): boolean {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false });
  const here = fstatSync(file, { bigint: true });
  return there?.dev === here.dev && there.ino === here.ino;
}

/** A hint for people: what the owner wrote, which need not be true. */
function pidIn(file: number): string {
  const text = Buffer.alloc(20);
  const length = readSync(file, text, 0, text.length, 0);
  return /^\d+/.exec(text.toString('latin1', 0, length))?.[0] ?? '';
}
