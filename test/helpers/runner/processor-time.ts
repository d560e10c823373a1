/**
 * Notes with each file what processor time it took: of the process that runs it, and, on Linux, of the processes that
 * this one started and that have ended. What all files share (PostgreSQL, Chromium) is in no file's time.
 */
import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Of a file, as a whole. */
    processorMs?: number;
  }
}

/** What `times(2)` counts in; it is 100 on every Linux that Node.js runs on. */
const TICK_MS = 10;

function usedMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 + childrenMs();
}

function childrenMs(): number {
  if (process.platform !== 'linux') return 0;
  // What follows the name of the program, which may hold blanks: cutime and cstime are fields 16 and 17 of the whole.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}

const beforeMs = usedMs();
// biome-ignore lint/correctness/noEmptyPattern: Vitest takes no name here.
afterAll(({}, { file }) => {
  file.meta.processorMs = usedMs() - beforeMs;
});
