import { execFileSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { withTemporaryFolder } from '../books/postgres.js';

/** A disk of so many kB; resolves with why there is none, for whoever has to say so. */
export async function withSmallDisk(
  use: (folder: string) => Promise<void>,
  kilobytes = 64,
): Promise<string | undefined> {
  return withTemporaryFolder(async (folder) => {
    const disk = join(folder, 'disk');
    await mkdir(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', disk], { stdio: 'pipe' });
    } catch (error) {
      return (error as Error).message.trim();
    }
    try {
      await use(disk);
      return undefined;
    } finally {
      // Also while a test that failed has a file of it open: its own words are what matters.
      execFileSync('umount', ['--lazy', disk]);
    }
  });
}

/** Until nothing more fits, also a second time. Resolves with what makes room again. */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const ballast = join(folder, 'ballast');
  const handle = await open(ballast, 'a');
  const fits = (bytes: number): Promise<boolean> =>
    handle.write(Buffer.alloc(bytes)).then(
      ({ bytesWritten }) => bytesWritten === bytes,
      () => false,
    );
  for (const bytes of [2 ** 20, 2 ** 12]) while (await fits(bytes));
  await handle.close();
  return () => rm(ballast, { force: true });
}

/** Full, and kept so: what is given back meanwhile (a WAL file, a file that was replaced) is taken at once. */
export async function keepDiskFull(folder: string): Promise<AsyncDisposable> {
  let makeRoom = await fillDisk(folder);
  let isKept = true;
  const kept = (async () => {
    for (; isKept; await pause(1)) makeRoom = await fillDisk(folder);
  })();
  return {
    async [Symbol.asyncDispose]() {
      isKept = false;
      await kept;
      await makeRoom();
    },
  };
}
