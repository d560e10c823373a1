/** Which kernel runs: chosen once, by trying. */
import type { Kernel, KernelName } from './kernel.js';
import { createPlainKernel } from './plain-kernel.js';

/** Makes a kernel; throws when this machine cannot run it. */
export function createKernel(_name: KernelName): Kernel {
  return createPlainKernel();
}

/** The fastest that runs here and hashes right. */
export function chooseKernel(forced?: KernelName): KernelName {
  return forced ?? 'plain';
}
