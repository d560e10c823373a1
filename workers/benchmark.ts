/** How fast each kernel is on this machine. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { KERNEL_NAMES, type Kernel, type KernelName } from './kernel.js';
import { scanFor, tryKernel } from './kernels.js';

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
    const tried = tryKernel(kernel);
    if (typeof tried === 'string') yield { kernel, fault: tried };
    else yield { kernel, hashesPerSecond: await measure(tried, secondsEach * 1000) };
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
