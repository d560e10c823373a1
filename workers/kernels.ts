/** Which kernel runs: chosen once, by trying. */
import type { Kernel, KernelName } from './kernel.js';
import { createPlainKernel } from './plain-kernel.js';
import { createScalarKernel, createSimdKernel } from './wasm-kernel.js';

const KERNELS: Record<KernelName, () => Kernel> = {
  simd: createSimdKernel,
  scalar: createScalarKernel,
  plain: createPlainKernel,
};

/** Makes a kernel; throws when this machine cannot run it. */
export function createKernel(name: KernelName): Kernel {
  return KERNELS[name]();
}

/** The fastest that runs here and hashes right. */
export function chooseKernel(forced?: KernelName): KernelName {
  return forced ?? 'plain';
}
