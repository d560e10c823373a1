/** A process whose system clock jumps when told to, by libfaketime from Debian (Linux). Timers and `performance.now` go on. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const LIBRARIES = '/usr/lib';

export interface SystemClock {
  /** For the environment of the process. */
  readonly env: Record<string, string>;
  /** From now on its clock is ahead by so many seconds, or behind. */
  set(aheadS: number): Promise<void>;
}

/** Kept in a file of this folder, by this name. `undefined` where the library neither is nor can be installed. */
export async function openSystemClock(folder: string, name = 'clock'): Promise<SystemClock | undefined> {
  const library = findLibrary() ?? (install() ? findLibrary() : undefined);
  if (library === undefined) return undefined;
  const file = join(folder, `${name}.faketime`);
  // Whole at any moment: who reads an empty file has the right time again, for that once.
  const set = async (aheadS: number): Promise<void> => {
    await writeFile(`${file}.new`, `${aheadS < 0 ? '' : '+'}${aheadS}\n`);
    await rename(`${file}.new`, file);
  };
  await set(0);
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { env, set };
}

function findLibrary(): string | undefined {
  if (process.platform !== 'linux') return undefined;
  return readdirSync(LIBRARIES)
    .map((architecture) => join(LIBRARIES, architecture, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}

function install(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  spawnSync('apt-get', ['update']);
  return spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'libfaketime']).status === 0;
}
