/** What passes between the host and its mining threads. */
import type { KernelName } from './kernel.js';
import type { Puzzle } from './search.js';

/** Given to each thread at its start. */
export interface ThreadSetup {
  readonly kernel: KernelName;
  /** Of the kernel, where it is WebAssembly: compiled once for all threads. */
  readonly module: WebAssembly.Module | undefined;
  /** One 32-bit integer: a batch of another epoch than this is to be abandoned. */
  readonly epoch: SharedArrayBuffer;
}

/** Work for about 50 ms. */
export interface Batch {
  readonly id: number;
  readonly epoch: number;
  readonly puzzle: Puzzle;
  /** First nonce2. */
  readonly first: number;
  readonly count: number;
}

/** How a batch ended. `scanned` is below `count` when it was abandoned or found too much. */
export interface BatchResult {
  readonly scanned: number;
  readonly hits: readonly number[];
  readonly elapsedMs: number;
  readonly abandoned: boolean;
}

/** Sent as soon as a hit is found; the result repeats it, so that none is lost on the way. */
export interface HitMessage {
  readonly batch: number;
  readonly nonce2: number;
}

/** A batch ends when it has found so many, so that an easy target cannot fill the memory. */
export const HITS_PER_BATCH = 256;
