import { execFileSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withTemporaryFolder } from './postgres.js';

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
      execFileSync('umount', [disk]);
    }
  });
}
