/** How fast each kernel is on this machine. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { HEADER_BYTES } from '../src/core/work/header.js';
import { KERNEL_NAMES, type Kernel, type KernelName } from './kernel.js';
import { createKernel, tryKernel } from './kernels.js';

/** Hashes between two looks at the clock: a millisecond of the fastest kernel, a tenth of a second of the plainest. */
const CALL = 2 ** 14;
/** How long the event loop is held at most, so that the command can be stopped. */
const SLICE_MS = 100;

export interface KernelSpeed {
  readonly kernel: KernelName;
  /** Absent when the kernel does not run here. */
  readonly hashesPerSecond?: number;
  /** Why it does not. */
  readonly fault?: string;
}

/** Measures every kernel for so many seconds on this thread, one after the other; each is told as soon as it is known. */
export async function* benchmarkKernels(secondsEach: number): AsyncGenerator<KernelSpeed> {
  for (const kernel of KERNEL_NAMES) {
    const fault = tryKernel(kernel);
    if (fault !== undefined) yield { kernel, fault };
    else yield { kernel, hashesPerSecond: await measure(createKernel(kernel), secondsEach * 1000) };
  }
}

async function measure(kernel: Kernel, ms: number): Promise<number> {
  let best = 0;
  for (let leftMs = ms; leftMs > 0; leftMs -= SLICE_MS) {
    best = Math.max(best, scanFor(kernel, Math.min(SLICE_MS, leftMs)));
    await nextTurn();
  }
  return best;
}

/** Hashes a second of one kernel over a time, on this thread. */
export function scanFor(kernel: Kernel, ms: number): number {
  kernel.prepare(new Uint8Array(HEADER_BYTES).fill(7), 0);
  const startedMs = performance.now();
  let hashes = 0;
  do {
    kernel.firstCandidate(hashes % 2 ** 32, 1, CALL);
    hashes += CALL;
  } while (performance.now() - startedMs < ms);
  return (hashes * 1000) / (performance.now() - startedMs);
}
