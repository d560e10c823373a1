/** Small programs of the system, run to their end. */
import { type ChildProcess, execFile } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const TIMEOUT_MS = 10_000;

/** What it printed, without white space around. */
export async function run(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await exec(program, args, { timeout: TIMEOUT_MS });
  return stdout.trim();
}

export async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

export interface Ending {
  /** `null` when a signal ended it. */
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

/** To the end of a program that was started with pipes for what it says. Rejects when it does not start. */
export async function untilEnded(child: ChildProcess, timeoutMs?: number): Promise<Ending> {
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  try {
    const [code, output, errors] = await Promise.all([
      ended,
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
    ]);
    return { code, output, errors };
  } finally {
    clearTimeout(timer);
  }
}
