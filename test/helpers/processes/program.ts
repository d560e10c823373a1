/** The built command line as a real process, told apart by its JSON log lines. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PATIENCE_MS, until } from '../until.js';
import { READ_TOKEN } from '../web/operators.js';

/** From a test's source, and from the compiled benchmarks. */
const FROM_HERE = import.meta.url.includes('/dist/test/')
  ? '../../../src/main.js'
  : '../../../dist/src/main.js';
export const MAIN = fileURLToPath(new URL(FROM_HERE, import.meta.url));

export interface LogLine {
  readonly event?: string;
  readonly msg?: string;
  readonly level?: string;
  readonly [field: string]: unknown;
}

export interface Program extends AsyncDisposable {
  readonly pid: number;
  readonly lines: readonly LogLine[];
  readonly stderr: () => string;
  /** The newest line of an event. */
  last(event: string): LogLine | undefined;
  /** The `"event":"ready"` line; fails when the program ends before. */
  ready(): Promise<LogLine>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/**
 * Starts `stratum-bridge <args>` as it is built here; ends with its scope.
 *
 * @param by a program and its first arguments, which runs the command line that follows them in its own place.
 */
export function startProgram(
  args: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
  by: readonly string[] = [],
): Program {
  // Nobody reads of a bridge without a token.
  const read = { STRATUM_BRIDGE_WEB_TOKENS: JSON.stringify(READ_TOKEN) };
  const isGiven =
    Object.keys(env).some((name) => name.startsWith('STRATUM_BRIDGE_WEB_TOKENS')) || hasTokens(args);
  const all = HAVE_WEB.includes(args[0] ?? '') && !isGiven ? { ...read, ...env } : env;
  const program = startCommand([...by, process.execPath, MAIN, ...args], all, cwd);
  // A rig takes all that it is given, and what other tests wait for is better done first.
  if (args[0] === 'rig' && program.pid > 0) setPriority(program.pid, YIELDING);
  return program;
}

/** In the file of settings: a variable would take their place. */
function hasTokens(args: readonly string[]): boolean {
  const file = args[args.indexOf('--config') + 1];
  if (!args.includes('--config') || file === undefined || !existsSync(file)) return false;
  return readFileSync(file, 'utf8').includes('web.tokens');
}

const HAVE_WEB = ['serve', 'demo', 'recorder'];

/** How far a rig stands back. Its threads, which it starts later, do as it does. */
const YIELDING = 10;

/** What a test leaves behind that failed ends with the process that ran it. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The same for a program that lies elsewhere, with its arguments. */
export function startCommand(
  [program = process.execPath, ...args]: readonly string[],
  env: Record<string, string> = {},
  cwd?: string,
): Program {
  const inherited = Object.entries(process.env).filter(([key]) => !key.startsWith('STRATUM_BRIDGE_'));
  const child = spawn(program, args, {
    env: { ...Object.fromEntries(inherited), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const lines: LogLine[] = [];
  let stderr = '';
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(parse(line)));
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  running.add(child);
  let over: number | NodeJS.Signals | undefined;
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('close', (code, signal) => {
      running.delete(child);
      over = code ?? signal ?? 0;
      resolve(over);
    });
  });
  const last = (event: string): LogLine | undefined => lines.findLast((line) => line.event === event);
  return {
    pid: child.pid ?? 0,
    lines,
    stderr: () => stderr,
    last,
    ended,
    kill: (signal) => void child.kill(signal),
    ready: () =>
      until(
        `${args.join(' ')} is ready`,
        () => {
          if (over !== undefined) throw new Error(`${args.join(' ')} ended with ${over}: ${stderr}`);
          return last('ready');
        },
        PATIENCE_MS,
      ),
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** Runs it to its end. */
export async function runProgram(args: readonly string[], env: Record<string, string> = {}, cwd?: string) {
  const program = startProgram(args, env, cwd);
  const code = await program.ended;
  return { code, stderr: program.stderr(), lines: program.lines, text: textOf(program.lines) };
}

function textOf(lines: readonly LogLine[]): string {
  return lines.map((line) => line['text'] ?? JSON.stringify(line)).join('\n');
}

function parse(line: string): LogLine {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as LogLine) : { text: line };
  } catch {
    return { text: line };
  }
}
