/** Difficulties by what this machine hashes: the same test finds as many blocks and shares a second on a slow one and a fast one. */
import type { KernelName } from '../../../workers/kernel.js';
import { chooseKernel, createKernel, scanFor } from '../../../workers/kernels.js';

const MEASURED_MS = 200;
/** A machine that was held up while it was measured. */
const LEAST_PER_SECOND = 100_000;

/** How many hashes one thread does in so many seconds, as text for a command line. By default with the fastest kernel. */
export function measureHashes(kernel?: KernelName): (seconds: number) => string {
  const perSecond = Math.max(LEAST_PER_SECOND, scanFor(createKernel(chooseKernel(kernel).name), MEASURED_MS));
  return (seconds) => Math.round(perSecond * seconds).toString();
}
