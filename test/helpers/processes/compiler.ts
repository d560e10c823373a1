import { spawnSync } from 'node:child_process';

/** Whether this machine has a C compiler. */
export function compilerRuns(): boolean {
  return spawnSync('cc', ['--version'], { stdio: 'ignore' }).status === 0;
}
