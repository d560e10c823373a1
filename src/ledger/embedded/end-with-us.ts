import type { ChildProcess } from 'node:child_process';

/** Ends a child by this signal when this process ends before it, by whatever way but a SIGKILL. */
export function endWithUs(child: ChildProcess, signal: NodeJS.Signals): void {
  const end = (): void => void child.kill(signal);
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
}
