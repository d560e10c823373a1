/** Another start of this process's own command. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { SocketHandle } from '../../core/names/listening.js';

/** One that listens. */
interface KeptSocket {
  readonly name: string;
  /** As its setting says. */
  readonly host: string;
  readonly port: number;
}

export interface OwnSocket extends KeptSocket {
  readonly handle: SocketHandle;
}

/** Why there is none; its message says what to do. */
export class SuccessionError extends Error {
  override readonly name = 'SuccessionError';
}

/** What the two processes of a succession, and their keeper, say to each other. */
export type Word =
  | { readonly replace: readonly KeptSocket[] }
  | { readonly socket: number }
  | { readonly prepared: number | true }
  | { readonly failed: string }
  | { readonly go: true }
  | { readonly dismissed: true };

export interface Child {
  readonly pid: number;
  /** Resolves with its exit code. */
  readonly exit: Promise<number>;
  say(word: Word): void;
  /** With the socket that came with the word. */
  onWord(listener: (word: Word, handle: unknown) => void): void;
  kill(signal: NodeJS.Signals): void;
}

/** Of the command line of who asks for it. */
const ASKING = '--replace';
/** Input, output, errors, and the channel. */
const FIRST_SOCKET = 4;
const PREPARED_MS = 60_000;
/** What a shell says of a program that a signal has ended. */
const KILLED = 128;

/** What a start is handed, as a variable tells it. */
export interface Bequest {
  readonly sockets: readonly (KeptSocket & { readonly fd: number })[];
  /** Those that the first process was handed by whoever started it: name and descriptor. */
  readonly given: readonly (readonly [name: string, fd: number])[];
}

/**
 * Resolves once it has read and checked its settings. Rejects with {@link SuccessionError}.
 *
 * @param variable in which it is told of the sockets.
 * @param given as {@link Bequest.given}, as this process has them.
 */
export async function startChild(
  variable: string,
  sockets: readonly OwnSocket[],
  given: ReadonlyMap<string, number>,
): Promise<Child> {
  const args = process.argv.slice(1).filter((word) => word !== ASKING);
  const kept = sockets.filter(({ name }) => !given.has(name));
  const fds = [...kept.map(({ handle }) => handle.fd), ...given.values()];
  const bequest: Bequest = {
    sockets: kept.map(({ name, host, port }, i) => ({ name, host, port, fd: FIRST_SOCKET + i })),
    given: [...given.keys()].map((name, i) => [name, FIRST_SOCKET + kept.length + i]),
  };
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    env: { ...process.env, [variable]: JSON.stringify(bequest) },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc', ...fds],
  });
  const exit = new Promise<number>((resolve) => {
    child.once('exit', (code) => resolve(code ?? KILLED));
    child.once('error', () => resolve(KILLED));
  });
  await prepared(child, exit);
  return {
    pid: child.pid ?? 0,
    exit,
    say: (word) => {
      // It may have ended a moment ago: `exit` tells.
      if (child.connected) child.send(word, () => undefined);
    },
    onWord: (listener) => void child.on('message', (word: Word, handle) => listener(word, handle)),
    kill: (signal) => void child.kill(signal),
  };
}

async function prepared(child: ChildProcess, exit: Promise<number>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string): void => reject(new SuccessionError(why));
      timer = setTimeout(() => fail('the new start was not prepared within a minute'), PREPARED_MS);
      child.once('error', ({ message }) => fail(`the program cannot be started again: ${message}`));
      child.once('message', (word: Word) => {
        if ('failed' in word) fail(word.failed);
        else resolve();
      });
      const words =
        'the new start has ended before it was prepared, and said why on its standard error: exit code';
      void exit.then((code) => fail(`${words} ${code}`));
    });
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
