/** Files that are whole or not there, and for nobody else to read. */
import { open, rename, rm } from 'node:fs/promises';

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
