/** A loop of `send` in C, compiled where there is a compiler, as a server to be measured. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { promisify } from 'node:util';

/** Compiled into dist/test/bench/bridges; the source stays where it is. */
const SOURCE = new URL('../../../../test/bench/bridges/send-loop.c', import.meta.url).pathname;
/** As much as a job has. */
const BYTES = 650;

export class SendLoop implements AsyncDisposable {
  readonly #folder: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly port: number;

  private constructor(folder: string, child: ChildProcess, lines: AsyncIterator<string>, port: number) {
    this.#folder = folder;
    this.#child = child;
    this.#lines = lines;
    this.port = port;
  }

  /** `undefined` where there is no C compiler. */
  static async start(connections: number): Promise<SendLoop | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'stratum-bridge-bench-'));
    const program = join(folder, 'send-loop');
    try {
      await promisify(execFile)('cc', ['-O2', '-o', program, SOURCE]);
    } catch (error) {
      process.stdout.write(`LEFT OUT: a loop of send in C: ${(error as Error).message}\n`);
      await rm(folder, { recursive: true });
      return undefined;
    }
    const child = spawn(program, [String(connections), String(BYTES)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const output: Interface = createInterface(child.stdout);
    const lines = output[Symbol.asyncIterator]();
    return new SendLoop(folder, child, lines, Number((await lines.next()).value));
  }

  /** Resolves once it has all of its connections. */
  async ready(): Promise<void> {
    const { value } = await this.#lines.next();
    if (value !== 'ready') throw new Error(`the loop of send says ${value}`);
  }

  /** Sends to all; resolves with when it began. */
  async fanOut(): Promise<number> {
    this.#child.stdin?.write('go\n');
    return Number((await this.#lines.next()).value);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await gone;
    await rm(this.#folder, { recursive: true });
  }
}
