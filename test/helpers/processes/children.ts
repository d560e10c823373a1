/** Child processes of a process, as the system knows them. */
import { readFile } from 'node:fs/promises';

/** Ids of those whose command line has this word. */
export async function childrenOf(pid: number, word: string): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  const ids = text.trim().split(' ').filter(Boolean).map(Number);
  // One that has ended meanwhile is none.
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, i) => lines[i]?.includes(word));
}
