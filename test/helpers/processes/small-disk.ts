import { execFileSync } from 'node:child_process';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
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

/** Until nothing more fits. Resolves with what makes room again. */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const ballast = join(folder, 'ballast');
  const handle = await open(ballast, 'w');
  const fits = (bytes: number): Promise<boolean> =>
    handle.write(Buffer.alloc(bytes)).then(
      ({ bytesWritten }) => bytesWritten === bytes,
      () => false,
    );
  for (const bytes of [2 ** 20, 2 ** 12]) while (await fits(bytes));
  await handle.close();
  return () => rm(ballast, { force: true });
}
