/** Small programs of the system, run to their end. */
import { type ChildProcess, execFile } from 'node:child_process';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';

const exec = promisify(execFile);
const TIMEOUT_MS = 10_000;
/** Of what a program says: those of another user may be made to say anything. */
const MOST_CHARACTERS = 65_536;

/** What it printed, without white space around. */
export async function run(program: string, args: readonly string[]): Promise<string> {
  const { stdout } = await exec(program, args, { timeout: TIMEOUT_MS });
  return stdout.trim();
}

interface Ending {
  /** `null` when a signal ended it. */
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

async function beginningOf(stream: Readable): Promise<string> {
  let kept = '';
  for await (const chunk of stream.setEncoding('utf8')) {
    if (kept.length < MOST_CHARACTERS) kept += chunk;
  }
  return kept.slice(0, MOST_CHARACTERS);
}

/** To the end of a program that was started with pipes for what it says. Rejects when it does not start. */
export async function untilEnded(child: ChildProcess, timeoutMs?: number): Promise<Ending> {
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const ended = new Promise<number | null>((done, fail) => child.once('error', fail).once('close', done));
  try {
    const [code, output, errors] = await Promise.all([
      ended,
      child.stdout ? beginningOf(child.stdout) : '',
      child.stderr ? beginningOf(child.stderr) : '',
    ]);
    return { code, output, errors };
  } finally {
    clearTimeout(timer);
  }
}
