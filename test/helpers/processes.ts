/** Processes of this machine (Linux). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Command lines of all processes that name the folder. */
export async function processesOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => ''); // it has ended
    if (command.includes(folder)) found.push(command.replaceAll('\0', ' '));
  }
  return found;
}
