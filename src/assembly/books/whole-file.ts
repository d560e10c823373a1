/** Files that are whole or not there, and for nobody else to read. */
import { open, readFile, rename, rm } from 'node:fs/promises';

/** Written beside, synced and renamed, so that a crash leaves what was there before. */
export async function writeWhole(
  path: string,
  parts: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const beside = `${path}.${process.pid}.new`;
  await rm(beside, { force: true });
  const handle = await open(beside, 'wx', 0o600);
  try {
    // `write` takes less than all of it where the disk ends, and calls that good.
    for await (const part of parts) await handle.appendFile(part);
    await handle.datasync();
    await handle.close();
    await rename(beside, path);
  } catch (error) {
    await handle.close();
    await rm(beside, { force: true });
    throw error;
  }
}

/** Its text, empty where it is larger than it ever is; `undefined` when there is none. */
export async function readWhole(path: string, maxBytes: number): Promise<string | undefined> {
  try {
    const file = await open(path, 'r');
    try {
      const { size } = await file.stat();
      return size > maxBytes ? '' : await readFile(file, 'utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
