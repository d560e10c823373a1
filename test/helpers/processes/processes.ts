/** Processes of this machine (Linux). */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Command lines of all processes that name the folder. */
export async function processesOf(folder: string): Promise<string[]> {
  return [...(await byNumber(folder)).values()];
}

/** Of these, those whose parent has ended: command lines by number. Empty where there is no `/proc`. */
export async function orphansOf(folder: string): Promise<Map<number, string>> {
  const orphans = new Map<number, string>();
  if (process.platform !== 'linux') return orphans;
  for (const [pid, command] of await byNumber(folder))
    if (/^PPid:\s+1$/m.test(await fileOf(pid, 'status'))) orphans.set(pid, command);
  return orphans;
}

async function byNumber(folder: string): Promise<Map<number, string>> {
  const found = new Map<number, string>();
  for (const name of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await fileOf(Number(name), 'cmdline');
    if (command.includes(folder)) found.set(Number(name), command.replaceAll('\0', ' '));
  }
  return found;
}

/** Empty when it has ended. */
const fileOf = (pid: number, name: string): Promise<string> =>
  readFile(join('/proc', String(pid), name), 'utf8').catch(() => '');
