/** Lines in files: a new one when the newest is full, the oldest removed. For the log, and for the events of a bridge. */
import { once } from 'node:events';
import { accessSync, constants, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { RollingFile } from 'pino-roll';
import { CommandError } from '../line/command.js';

/** Of log and events, where nothing else is said. */
export const KEPT = { bytes: 16 * 2 ** 20, files: 5 } as const;

export interface LineFileOptions {
  /** Its key, for what is said of it. */
  readonly setting: 'log.file' | 'events.file';
  /** `logs/bridge.log` is written as `logs/bridge.1.log`, `logs/bridge.2.log` and so on. */
  readonly path: string;
  /** A file that has so many gets no more lines. */
  readonly bytes: number;
  /** So many are kept, with the one that is written now. */
  readonly files: number;
  /**
   * Each line is with the operating system when `write` returns: whatever ends the process, nothing is left to be written. The
   * price is that a disk that hangs holds the process. Otherwise lines wait for the disk, and those of the last moment are gone
   * when the process is killed.
   */
  readonly atOnce: boolean;
  /** Told when no more can be written, and when it can again. */
  readonly complain: Complain;
  /** A line will never be written. */
  readonly dropped?: () => void;
  /** It can be written again. */
  readonly isBack?: () => void;
}

interface LineFile {
  /** Never throws. */
  write(line: string): void;
  /** Waits a moment for lines that wait for the disk. */
  close(): Promise<void>;
}

type Complain = (sentence: string) => void;
type Watchers = Pick<LineFileOptions, 'setting' | 'complain' | 'dropped' | 'isBack'>;

/** Lines that wait for a disk that is full. */
const WAITING_BYTES = 1_048_576;
/** Events are rare: a disk that has room again is not to wait for the next one. */
const RETRY_MS = 2_000;
const CLOSE_MS = 1_000;

/** Throws {@link CommandError} when the file cannot be opened; what fails later ends nothing. */
export async function openLineFile(options: LineFileOptions): Promise<LineFile> {
  const { setting, path, bytes, files, atOnce } = options;
  const file = resolve(path);
  try {
    refuseFolder(file);
    // Loaded here: few have it, and it brings three hundred files along.
    const { default: roll } = await import('pino-roll');
    const how = { mode: 0o600, sync: atOnce, maxLength: WAITING_BYTES };
    const opened = await roll({ file, size: `${bytes}b`, ...how });
    if (!atOnce) await once(opened, 'ready');
    removeOldest(opened.file, files);
    watch(opened, file, options);
    watchNumber(opened, files, options);
    return atOnce
      ? { write: (line) => void opened.write(line), close: async () => {} }
      : patient(opened, options);
  } catch (error) {
    throw new CommandError(`${setting}: ${faultOf(file, error)}`, { cause: error });
  }
}

function patient(opened: RollingFile, { dropped }: Watchers): LineFile {
  let [isClosed, isFailing] = [false, false];
  opened.on('error', () => {
    isFailing = true;
  });
  opened.on('write', () => {
    isFailing = false;
  });
  // What failed is tried again with whatever comes next, and be it nothing.
  const timer = setInterval(() => isFailing && opened.write(''), RETRY_MS).unref();
  return {
    write: (line) => {
      if (isClosed) dropped?.();
      else opened.write(line);
    },
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      const patience = new AbortController();
      const late = pause(CLOSE_MS, undefined, { signal: patience.signal }).catch(() => {});
      const closed = once(opened, 'close', { signal: patience.signal }).catch(() => {});
      opened.end();
      await Promise.race([late, closed]);
      patience.abort();
      // Nothing, where it is closed already.
      opened.destroy();
    },
  };
}

/** Throws {@link CommandError} where {@link openLineFile} would, as far as that can be told without making the file. */
export function checkLineFile(setting: LineFileOptions['setting'], path: string): void {
  const fault = path === '' ? undefined : lineFileFault(path);
  if (fault) throw new CommandError(`${setting}: ${fault}`);
}

/** Why it could not be opened, as far as that can be told without making it; `undefined` when nothing is wrong. */
export function lineFileFault(path: string): string | undefined {
  const file = resolve(path);
  try {
    refuseFolder(file);
    accessSync(dirname(file), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return faultOf(file, error);
  }
}

function refuseFolder(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new Error('it is a folder');
}

function faultOf(file: string, error: unknown): string {
  return `${file} cannot be written: ${adviceFor(error, dirname(file))}`;
}

function adviceFor(error: unknown, folder: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return `there is no folder ${folder}: make it, or name another file`;
  if (code === 'EACCES' || code === 'EPERM')
    return `this user may not write in ${folder}: give it the right, or name another file`;
  return `${message}: name another file`;
}

/** Says it once that lines are not written, and once that they are again. */
function watch(opened: RollingFile, file: string, { setting, complain, dropped, isBack }: Watchers): void {
  let isFailing = false;
  let missing = 0;
  opened.on('error', (error: NodeJS.ErrnoException) => {
    // A next file that could not be opened: sonic-boom would close the one that it keeps twice after the next success, and
    // the number of the second time may be that of another open file by then.
    if (error.syscall === 'open') opened.removeAllListeners('ready');
    if (isFailing) return;
    isFailing = true;
    complain(`${setting}: ${file} cannot be written now, the bridge goes on without it: ${error.message}`);
  });
  opened.on('drop', () => {
    missing++;
    dropped?.();
  });
  opened.on('write', () => {
    if (!isFailing) return;
    isFailing = false;
    complain(
      `${setting}: ${file} is written again${missing > 0 ? `; ${missing} lines are missing in it` : ''}`,
    );
    missing = 0;
    isBack?.();
  });
}

/** Once the next file has its first line, the oldest goes. */
function watchNumber(opened: RollingFile, files: number, { setting, complain }: Watchers): void {
  let newest = opened.file;
  opened.on('write', () => {
    if (opened.file === newest || !existsSync(opened.file)) return;
    newest = opened.file;
    try {
      removeOldest(newest, files);
    } catch (error) {
      complain(`${setting}: files older than ${newest} cannot be removed: ${(error as Error).message}`);
    }
  });
}

/** Throws for a number that cannot be counted on: pino-roll goes on from the highest of any file of the folder. */
function partsOf(numbered: string): { before: string; after: string } {
  const [, before, number, after = ''] = /^(.*\.)(\d+)(\.[^.]+)?$/.exec(basename(numbered)) ?? [];
  if (before !== undefined && Number.isSafeInteger(Number(number))) return { before, after };
  throw new Error('a file beside it ends in a number that is too high to go on from');
}

/**
 * Own code, because pino-roll counts only those of this process, or takes files of others for its own: with `bridge.log` it
 * would remove `bridge1.log`. One that cannot be removed is tried again when the next is full.
 */
function removeOldest(newest: string, keep: number): void {
  const folder = dirname(newest);
  const { before, after } = partsOf(newest);
  const numbers = readdirSync(folder)
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .map((name) => name.slice(before.length, name.length - after.length))
    .filter((number) => /^\d+$/.test(number))
    .sort((a, b) => Number(a) - Number(b));
  for (const number of numbers.slice(0, -keep))
    rmSync(join(folder, before + number + after), { force: true });
}
