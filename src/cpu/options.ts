/** What mines or makes blocks in this process, whatever its mode, and what it is given. */
import type { MeasuredKernel } from '../../workers/kernels.js';
import type { ThreadPool } from '../../workers/pool.js';
import type { BridgeEvents } from '../bridge/events.js';
import type { Clock, JobSink, JobSource, Judge } from '../bridge/ports.js';
import type { NonceSpace } from '../core/jobs/nonce.js';
import type { Log } from '../core/names/log.js';
import type { Solution } from '../core/shares/share.js';

/**
 * `always`, `fallback` and `off` search for nonces, and `external` has a command of the operator's do so; the others
 * make blocks without searching, for networks whose nodes take any nonce.
 */
export const CPU_MODES = [
  'fallback',
  'always',
  'off',
  'simulation',
  'constant-delay',
  'on-demand',
  'external',
] as const;
export type CpuMode = (typeof CPU_MODES)[number];

/** Chain id -> number of blocks. */
export type BlockCounts = ReadonlyMap<number, number>;

export interface Cpu extends JobSink {
  /** Of each thread, over the last ten seconds in which it hashed, and why it does not; only where it searches. */
  hashRate?(): { readonly hashesPerSecond: readonly number[]; readonly rests: string };
  /** Only where the mode is `on-demand`. Throws MakeBlocksError. */
  makeBlocks?(counts: BlockCounts): Promise<void>;
  /** Ends threads, leases and sessions, once submits under way have their verdicts. */
  close(): Promise<void>;
}

export interface CpuOptions {
  readonly mode: CpuMode;
  readonly account: string;
  readonly threads: number;
  readonly judge: Judge;
  /** For `external`: a job that no rig was given. */
  readonly jobs: Pick<JobSource, 'rollJob'>;
  readonly nonces: NonceSpace;
  readonly events: BridgeEvents;
  readonly clock: Clock;
  readonly log: Log;
  /** For modes that hash in this process. */
  chooseKernel(): MeasuredKernel;
  /** A number that no other session of this process has. */
  nextSessionId(): number;
  /** 0 to 1. */
  random(): number;
  /** Posts a solution that was not searched for; returns at once. */
  send(solution: Solution): void;
  /** Told at the start and at each change whether it searches, which it does on one chain at a time. */
  mines(isMining: boolean): void;
  /** Asks the node for a work of this chain, out of turn; what it gives comes as a job. */
  wantChain(chainId: number): void;
  /** For `simulation`. */
  readonly simulatedHashesPerSecond: number;
  /** For `constant-delay`. */
  readonly blockDelayMs: number;
  /** Program and arguments, for `external`. */
  readonly externalCommand: readonly string[];
  readonly timing?: Partial<CpuTiming>;
  /** The compiled workers/thread.js, for those who run the sources. */
  readonly threadUrl?: URL;
  /** As `new ThreadPool`; for tests that want the threads in their hand. */
  readonly startThreads?: (...parts: ConstructorParameters<typeof ThreadPool>) => ThreadPool;
}

export interface CpuTiming {
  /** How long after the last rig has gone `fallback` mines again. */
  readonly resumeAfterMs: number;
  /** How long after a pause began its threads end. */
  readonly endThreadsAfterMs: number;
  /** A rig without a share for so long keeps nobody from mining. */
  readonly rigMemoryMs: number;
  /** Before a command that ended without a nonce is run again. */
  readonly runAgainAfterMs: number;
  /** How long `on-demand` waits for a chain's work. */
  readonly workTimeoutMs: number;
}

export const CPU_TIMING: CpuTiming = {
  resumeAfterMs: 5000,
  endThreadsAfterMs: 60_000,
  rigMemoryMs: 600_000,
  runAgainAfterMs: 1000,
  workTimeoutMs: 10_000,
};
