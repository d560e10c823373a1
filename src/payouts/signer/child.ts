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

const MOST_ERROR_BYTES = 1000;
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
    const [out, said] = [new Kept(mostBytes), new Kept(MOST_ERROR_BYTES)];
    let why: string | undefined;
    const end = (reason?: string): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(reason === undefined ? { is: 'answered', text: out.text } : { is: 'failed', why: reason });
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
      if (!out.take(chunk)) giveUp(`said more than ${mostBytes} bytes`);
    });
    child.stderr.on('data', (chunk: Buffer) => said.take(chunk));
    // It need not read all of it; its exit tells how that went.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => end(`cannot be started: ${error.message}`));
    // What it leaves behind knows the key.
    child.once('exit', () => killGroup(child));
    child.once('close', (code, killedBy) => {
      const ended = code === 0 ? undefined : `ended with ${code === null ? killedBy : `exit code ${code}`}`;
      const words = storable(said.text.trim().split('\n')[0] ?? '', MOST_ERROR_BYTES);
      end(why ?? (ended && (words === '' ? ended : `${ended}: ${words}`)));
    });
  });
}

/** Bytes up to a limit. */
class Kept {
  readonly #chunks: Buffer[] = [];
  readonly #most: number;
  #length = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  /** False when that was more. */
  take(chunk: Buffer): boolean {
    const room = this.#most - this.#length;
    this.#chunks.push(chunk.subarray(0, room));
    this.#length += Math.min(room, chunk.length);
    return chunk.length <= room;
  }
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
