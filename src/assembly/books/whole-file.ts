/** Small files that are read whole, however large somebody has made them. */
import { open, readFile } from 'node:fs/promises';

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
