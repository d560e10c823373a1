/** A program that is asked one thing: bounded in time and in what it says, and gone when it has answered. */
import { type ChildProcess, spawn } from 'node:child_process';
import { storable } from '../../core/names/names.js';

export interface ChildLimits {
  readonly timeoutMs: number;
  /** Of its standard output. */
  readonly mostBytes: number;
}

type ChildAnswer =
  | { readonly is: 'answered'; readonly text: string }
  /** `why`: a sentence that follows on "the signer". */
  | { readonly is: 'failed'; readonly why: string };

/** Of its words on standard error, that are shown. */
const MOST_ERROR = 1000;
/** What a program needs to start; nothing else of ours is told to it. */
const TOLD = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'TMPDIR',
  'CREDENTIALS_DIRECTORY',
  'XDG_RUNTIME_DIR',
  'SystemRoot',
];

/** Without a shell. @param command a program and its arguments. Its children are ended with it. */
export function askChild(
  command: readonly string[],
  input: string,
  { timeoutMs, mostBytes }: ChildLimits,
  signal?: AbortSignal,
): Promise<ChildAnswer> {
  const [program = '', ...args] = command;
  const env = Object.fromEntries(
    TOLD.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
  const child = spawn(program, args, { shell: false, detached: true, stdio: ['pipe', 'pipe', 'pipe'], env });
  return new Promise((resolve) => {
    const out: Buffer[] = [];
    let [bytes, said] = [0, ''];
    let why: string | undefined;
    const end = (reason?: string): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(
        reason === undefined
          ? { is: 'answered', text: Buffer.concat(out).toString('utf8') }
          : { is: 'failed', why: reason },
      );
    };
    const giveUp = (reason: string): void => {
      why ??= reason;
      // A descendant with a group of its own may hold them for ever.
      child.stdout.destroy();
      child.stderr.destroy();
      if (killGroup(child)) return;
      child.unref();
      end(`${reason}, and this user cannot end it`);
    };
    const onAbort = (): void => giveUp('was given up');
    const timer = setTimeout(() => giveUp(`did not answer within ${timeoutMs} ms`), timeoutMs);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) giveUp(`said more than ${mostBytes} bytes`);
      else out.push(chunk);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (said.length < MOST_ERROR) said += text;
    });
    // It need not read all of it; its exit tells how that went.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => end(`cannot be started: ${error.message}`));
    // What it leaves behind knows the key.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, killedBy) => {
      const ended = code === 0 ? undefined : `ended with ${code === null ? killedBy : `exit code ${code}`}`;
      const words = storable(said.trim().split('\n')[0] ?? '', MOST_ERROR);
      end(why ?? (ended && (words === '' ? ended : `${ended}: ${words}`)));
    });
  });
}

/** False where this user may not. */
function killGroup(child: ChildProcess): boolean {
  if (child.pid === undefined) return true;
  if (process.platform === 'win32') return child.kill('SIGKILL') || child.exitCode !== null;
  try {
    return process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
