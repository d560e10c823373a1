import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.js';

/** Puts this content in place of what is there, durably: the one or the other is there, whole, at each moment. */
export async function writeDurably(path: string, content: string, mode: number): Promise<void> {
  const fresh = `${path}.${process.pid}.new`;
  try {
    const file = await open(fresh, 'w', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, path);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}
