import { readdirSync, rmSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from './sync-folder.js';

type Content = string | Uint8Array | Iterable<string> | AsyncIterable<string>;

export interface Access {
  /** As it is, whatever the umask. */
  readonly mode: number;
  /** Group of the file, which root then owns, or `uid`; absent: of who writes it. */
  readonly gid?: number | undefined;
  readonly uid?: number | undefined;
}

/** For nobody else to read. */
const PRIVATE: Access = { mode: 0o600 };

/** Puts this content in place of what is there, durably: the one or the other is there, whole, at each moment. */
export async function writeDurably(
  path: string,
  content: Content,
  { mode, gid, uid = 0 }: Access = PRIVATE,
): Promise<void> {
  const fresh = `${path}.${process.pid}.new`;
  await rm(fresh, { force: true });
  try {
    // Made anew: no link that somebody has put there is followed.
    const file = await open(fresh, 'wx', mode);
    try {
      if (gid !== undefined) await file.chown(uid, gid);
      await file.chmod(mode);
      const parts = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
      // `write` takes less than all of it where the disk ends, and calls that good.
      for await (const part of parts) await file.appendFile(part);
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

/** What who was killed meanwhile has left in a folder that is the caller's alone. */
export function removeUnfinished(folder: string): void {
  for (const name of readdirSync(folder))
    if (/\.\d+\.new$/.test(name)) rmSync(join(folder, name), { force: true });
}
