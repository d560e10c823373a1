/**
 * A command of the operator's as a rig, as GPU miners of this chain family expect to be run: the block target is its
 * last argument (64 hex digits of the little-endian bytes), the 286 bytes of the work are its standard input, and it
 * answers a nonce on standard output (16 hex digits, highest first). It is killed when a new job arrives.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { verdictOn } from '../bridge/judge.js';
import type { Judge } from '../bridge/ports.js';
import { toHex } from '../core/bytes/bytes.js';
import type { Job } from '../core/jobs/job.js';
import type { Nonce1 } from '../core/jobs/nonce.js';
import { NONCE1_BYTES, nonce2FromNumber } from '../core/jobs/nonce.js';
import type { Log } from '../core/names/log.js';
import { hashSubmit } from '../core/shares/share.js';
import { targetFromBytes, targetToHexBigEndian } from '../core/work/target.js';
import type { BlockMaker } from './block-maker.js';
import { ChainChoice } from './chain-choice.js';

export interface ExternalOptions {
  /** The program and its arguments; the target is added. */
  readonly command: readonly [program: string, ...args: string[]];
  readonly account: string;
  readonly judge: Judge;
  readonly log: Log;
  /** Before a command that ended without a nonce is run again. Default 1000. */
  readonly againAfterMs?: number;
}

/** The name under which its blocks are listed. */
export const EXTERNAL_RIG = 'external';

const AGAIN_AFTER_MS = 1000;
const KILL_AFTER_MS = 2000;
const MAX_OUTPUT_BYTES = 4096;
const SHOWN_OUTPUT = 200;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export function startExternal(options: ExternalOptions): BlockMaker {
  return new ExternalMaker(options);
}

/** What a command that has ended said. */
interface Ending {
  readonly output: string;
  readonly errors: string;
  /** Empty when it ended well. */
  readonly fault: string;
}

class ExternalMaker implements BlockMaker {
  readonly #options: ExternalOptions;
  readonly #ends = new Set<Promise<void>>();
  readonly #choice = new ChainChoice();
  #job: Job | undefined;
  #child: Child | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: ExternalOptions) {
    this.#options = options;
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
  }

  #change(): void {
    this.#stop();
    this.#job = this.#choice.current;
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
    if (!child) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    child.once('close', () => clearTimeout(timer));
  }

  async #run(job: Job): Promise<void> {
    const [program, ...args] = this.#options.command;
    const child = spawn(program, [...args, toHex(job.blockTarget)], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: withoutSecrets(process.env),
    });
    this.#child = child;
    const ending = endOf(child);
    child.stdin.end(job.header);
    const ended = await ending;
    if (this.#child === child) this.#child = undefined;
    const solved = await this.#judge(job, ended);
    if (this.#job !== job) return;
    if (!solved) this.#timer = setTimeout(() => this.#start(job), this.#pauseMs());
    else if (this.#choice.retire(job.work.chainId)) this.#change();
  }

  #pauseMs(): number {
    return this.#options.againAfterMs ?? AGAIN_AFTER_MS;
  }

  /** Whether the work is settled. A command that was killed for a new job is expected to say nothing. */
  async #judge(job: Job, { output, errors, fault }: Ending): Promise<boolean> {
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
    const { account, judge } = this.#options;
    const nonce1Bits = 8 * NONCE1_BYTES;
    const verdict = await verdictOn(judge, {
      jobId: job.id,
      nonce1: Number(BigInt.asUintN(nonce1Bits, nonce)) as Nonce1,
      nonce2: nonce2FromNumber(Number(nonce >> BigInt(nonce1Bits))),
      account,
      rig: EXTERNAL_RIG,
      shareTargetOf: (judged) => judged.blockTarget,
    });
    if (!verdict.accepted) this.#complain('a nonce of the external command was rejected', { ...verdict });
    return true;
  }

  #complain(message: string, fields: object): void {
    const shown = Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, String(value).trim().slice(0, SHOWN_OUTPUT)]),
    );
    this.#options.log.warn({ event: 'external', command: this.#options.command[0], ...shown }, message);
  }
}

/** What a command may need of the environment and no secret is in; it is given others as `env NAME=VALUE COMMAND`. */
const HANDED_ON = ['PATH', 'LANG', 'TZ', 'HOME', 'SystemRoot'];

function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => HANDED_ON.includes(name)));
}

/** Never rejects: a command that cannot be started ended with a fault. */
function endOf(child: Child): Promise<Ending> {
  const heard = { output: '', errors: '', fault: '' };
  const hear =
    (key: 'output' | 'errors') =>
    (chunk: Buffer): void => {
      if (heard[key].length < MAX_OUTPUT_BYTES) heard[key] += chunk.toString('latin1');
      else if (key === 'output') child.kill('SIGKILL');
    };
  child.stdout.on('data', hear('output'));
  child.stderr.on('data', hear('errors'));
  child.on('error', (error) => {
    heard.fault = error.message;
  });
  // It may answer without reading its input to the end.
  child.stdin.on('error', (error) => {
    heard.fault ||= error.message;
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      if (code !== 0) heard.fault ||= signal ? `ended by ${signal}` : `exit code ${code}`;
      resolve(heard);
    });
  });
}
