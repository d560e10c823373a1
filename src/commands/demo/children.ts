/** Other processes of ours that `demo` starts: each tells when it is ready, and ends when this one does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../../cli/line/command.js';
import type { Log } from '../../core/names/log.js';
import { endWithUs } from '../../ledger/embedded/end-with-us.js';

export interface Child {
  /** Fields of its `"event":"ready"` line. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** Resolves when it ends, whoever wanted it. */
  readonly ended: Promise<string>;
  stop(withinMs: number): Promise<void>;
}

interface LogLine {
  readonly level?: string;
  readonly event?: string;
  readonly msg?: string;
  readonly time?: string;
}

/** Long after it should be, on a machine that others keep busy. */
const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 4_000;
const MAIN = fileURLToPath(new URL('../../main.js', import.meta.url));

/**
 * Starts `stratum-bridge <args>` and waits for its ready line. It gets its own process group, so that a Ctrl-C reaches
 * only this process, which stops all parts in order; and an IPC channel, whose end tells it when this process dies.
 */
export async function startChild(args: readonly string[], log: Log): Promise<Child> {
  const name = args[0] ?? '';
  const child = spawn(process.execPath, [MAIN, ...args, '--log-format', 'json'], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    detached: true,
    // Its settings are its flags; ours are not meant for it.
    env: Object.fromEntries(
      Object.entries(process.env).filter(([key]) => !key.startsWith('STRATUM_BRIDGE_')),
    ),
  });
  // Told by the channel it ends in order, unless it is in the middle of something that never returns.
  endWithUs(child, 'SIGKILL');
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    // Not its exit: its last words may still be on their way then.
    child.once('close', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const ready = await readyLine(name, child, ended, log);
  return { ready, ended, stop: (withinMs) => stop(child, ended, Math.min(STOP_WITHIN_MS, withinMs)) };
}

async function readyLine(
  name: string,
  child: ChildProcess,
  ended: Promise<string>,
  log: Log,
): Promise<Child['ready']> {
  const complaints: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => {
    complaints.push(chunk.toString());
    if (complaints.length > 20) complaints.shift();
  });
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new CommandError(`the ${name} did not start: ${why} ${complaints.join('').trim()}`.trim()));
    };
    const timer = setTimeout(() => fail(`not ready within ${READY_WITHIN_MS} ms`), READY_WITHIN_MS);
    ended.then(fail);
    if (!child.stdout) return fail('no output');
    createInterface({ input: child.stdout }).on('line', (line) => {
      const fields = parseLine(line);
      retell(name, fields, log);
      if (fields.event !== 'ready') return;
      clearTimeout(timer);
      resolve({ ...fields });
    });
  });
}

function parseLine(line: string): LogLine {
  try {
    return JSON.parse(line) as LogLine;
  } catch {
    return { msg: line }; // not one of its log lines: told as it is
  }
}

/** What a child tells in passing is detail here. */
function retell(part: string, { level, msg = '', time: _, ...fields }: LogLine, log: Log): void {
  const say = level === 'warn' || level === 'error' ? level : 'debug';
  log[say]({ ...fields, part }, msg);
}

async function stop(child: ChildProcess, ended: Promise<string>, withinMs: number): Promise<void> {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await ended;
  clearTimeout(timer);
}

/** Resolves with which of them has ended first, and how. */
export function firstEnd(children: Readonly<Record<string, Child>>): Promise<string> {
  const endings = Object.entries(children).map(
    async ([name, child]) => `the ${name} ended: ${await child.ended}`,
  );
  return Promise.race(endings);
}
