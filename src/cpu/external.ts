/**
 * A command of the operator's as a rig, as GPU miners of this chain family expect to be run: the block target is its
 * last argument (64 hex digits of the little-endian bytes), the 286 bytes of the work are its standard input, and it
 * answers a nonce on standard output (16 hex digits, highest first). It is killed when a new job arrives.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { toHex } from '../core/bytes/bytes.js';
import type { Job } from '../core/jobs/job.js';
import type { Nonce1 } from '../core/jobs/nonce.js';
import { NONCE1_BYTES, nonce2FromNumber } from '../core/jobs/nonce.js';
import { hashSubmit } from '../core/shares/share.js';
import { targetFromBytes, targetToHexBigEndian } from '../core/work/target.js';
import { ChainChoice } from './chain-choice.js';
import { CPU_TIMING, type Cpu, type CpuOptions } from './options.js';
import { CpuSession } from './session.js';

/** The name under which its blocks are listed. */
const EXTERNAL_RIG = 'external';

const KILL_AFTER_MS = 2000;
const MAX_OUTPUT_BYTES = 4096;
const SHOWN_OUTPUT = 200;

/** What a command has said when its first line was whole, or when it had ended. */
interface Heard {
  output: string;
  errors: string;
  /** Empty when it goes on, or ended well. */
  fault: string;
}

export class External implements Cpu {
  readonly #options: CpuOptions;
  readonly #command: readonly [program: string, ...args: string[]];
  readonly #session: CpuSession;
  readonly #ends = new Set<Promise<void>>();
  readonly #choice = new ChainChoice();
  #job: Job | undefined;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** @param command the program and its arguments; the target is added. */
  constructor(options: CpuOptions, command: readonly [program: string, ...args: string[]]) {
    this.#options = options;
    this.#command = command;
    this.#session = new CpuSession(options, EXTERNAL_RIG, 'command', command[0]);
    options.mines(true);
  }

  offerJob(job: Job): void {
    if (!this.#closed && this.#choice.offer(job)) this.#change();
  }

  retireChains(chainIds: readonly number[]): void {
    if (!this.#closed && this.#choice.retire(...chainIds)) this.#change();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop();
    await Promise.all(this.#ends);
    this.#session.close('the CPU stops mining');
  }

  #change(): void {
    this.#stop();
    const { current } = this.#choice;
    // It searches all nonces, and rigs were given those of the job as it came.
    this.#job = current && this.#options.jobs.rollJob(current.work.chainId, 0, current.clean);
    if (this.#job) this.#start(this.#job);
  }

  #start(job: Job): void {
    const end = this.#run(job).finally(() => this.#ends.delete(end));
    this.#ends.add(end);
  }

  #stop(): void {
    this.#job = undefined;
    clearTimeout(this.#timer);
    const child = this.#child;
    this.#child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    child.once('close', () => clearTimeout(timer));
  }

  async #run(job: Job): Promise<void> {
    const [program, ...args] = this.#command;
    const heard = { output: '', errors: '', fault: '' };
    let ended: Promise<void> | undefined;
    try {
      const child = spawn(program, [...args, toHex(job.blockTarget)], {
        stdio: ['pipe', 'pipe', 'pipe'],
        env: withoutSecrets(process.env),
      });
      this.#child = child;
      ended = endOf(child, heard);
      await Promise.race([ended, firstLineOf(child, heard, job)]);
    } catch (error) {
      heard.fault = (error as Error).message;
    }
    const solved = await this.#judge(job, heard);
    if (this.#job === job) {
      this.#stop();
      if (!solved) this.#again(job);
      else if (this.#choice.retire(job.work.chainId)) this.#change();
    }
    await ended;
  }

  #again(job: Job): void {
    const { runAgainAfterMs } = { ...CPU_TIMING, ...this.#options.timing };
    this.#job = job;
    this.#timer = setTimeout(() => this.#start(job), runAgainAfterMs);
  }

  /** Whether the work is settled. A command that was killed for a new job is expected to say nothing. */
  async #judge(job: Job, { output, errors, fault }: Heard): Promise<boolean> {
    const text = output.trim();
    if (text === '' && this.#job !== job) return true;
    if (!/^[0-9a-fA-F]{16}$/.test(text)) {
      this.#complain('the external command gave no nonce of 16 hex digits', { output: text, errors, fault });
      return false;
    }
    const nonce = BigInt(`0x${text}`);
    const hashed = hashSubmit(job, nonce);
    if (hashed.solves) return this.#submit(job, nonce);
    const hash = targetToHexBigEndian(targetFromBytes(hashed.powHash));
    const target = targetToHexBigEndian(job.blockTarget);
    this.#complain('the external command gave a wrong nonce', { nonce: text, hash, target, errors });
    return false;
  }

  async #submit(job: Job, nonce: bigint): Promise<boolean> {
    const nonce1Bits = 8 * NONCE1_BYTES;
    const nonce1 = Number(BigInt.asUintN(nonce1Bits, nonce)) as Nonce1;
    const nonce2 = nonce2FromNumber(Number(nonce >> BigInt(nonce1Bits)));
    const verdict = await this.#session.submit(job, job.blockTarget, nonce1, nonce2);
    if (!verdict.accepted) this.#complain('a nonce of the external command was rejected', { ...verdict });
    return true;
  }

  #complain(message: string, fields: object): void {
    const shown = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, String(value).trim().slice(0, SHOWN_OUTPUT)]),
    );
    this.#options.log.warn({ event: 'external', command: this.#command[0], ...shown }, message);
  }
}

/** What a command may need of the environment and no secret is in; it is given others as `env NAME=VALUE COMMAND`. */
const HANDED_ON = ['PATH', 'LANG', 'TZ', 'HOME', 'SystemRoot'];

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => HANDED_ON.includes(name)));
}

/** Resolves when the command has ended; never rejects: one that cannot be started ended with a fault. */
function endOf(child: ChildProcess, heard: Heard): Promise<void> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      heard.fault = error.message;
      // Without a file left for them there is a child without streams, which never closes.
      if (child.pid === undefined) resolve();
    });
    child.on('close', (code, signal) => {
      if (code !== 0) heard.fault ||= signal ? `ended by ${signal}` : `exit code ${code}`;
      resolve();
    });
  });
}

/** Hands over the work and resolves when a line of the answer is whole; a command may go on after it. */
function firstLineOf(child: ChildProcess, heard: Heard, job: Job): Promise<void> {
  const hear = (key: 'output' | 'errors', chunk: Buffer): void => {
    if (heard[key].length < MAX_OUTPUT_BYTES) heard[key] += chunk.toString('latin1');
    else if (key === 'output') child.kill('SIGKILL');
  };
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      hear('output', chunk);
      if (heard.output.includes('\n')) resolve();
    });
    child.stderr?.on('data', (chunk: Buffer) => hear('errors', chunk));
    // It may answer without reading its input to the end.
    child.stdin?.on('error', (error) => {
      heard.fault ||= error.message;
    });
    child.stdin?.end(job.header);
  });
}
