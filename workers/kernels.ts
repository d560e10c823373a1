/** Which kernel runs: chosen once, by measuring each that hashes right. */
import { createHash } from 'node:crypto';
import { type Log, SILENT } from '../src/core/names/log.js';
import { HEADER_BYTES } from '../src/core/work/header.js';
import { targetOf } from '../src/core/work/target.js';
import { KERNEL_NAMES, type Kernel, type KernelName } from './kernel.js';
import { createNativeKernel } from './native-kernel.js';
import { NonceSearch } from './search.js';
import { createWasmKernel } from './wasm-kernel.js';

const KERNELS: Record<KernelName, (module?: WebAssembly.Module) => Kernel> = {
  avx512: () => createNativeKernel('avx512'),
  avx2: () => createNativeKernel('avx2'),
  simd: (module) => createWasmKernel('simd', module),
  scalar: (module) => createWasmKernel('scalar', module),
};

/** A kernel is measured so many times for so long, in turns with the others: what else runs here slows some of them. */
const TURNS = 5;
const TURN_MS = 1;
/** Hashes between two looks at the clock: half a millisecond of the slowest kernel. */
const CALL = 2 ** 12;

/** A kernel that runs here and hashes right, and its speed on one thread. */
export interface MeasuredKernel {
  readonly name: KernelName;
  readonly hashesPerSecond: number;
}

/** The kernel that was asked for does not run here, or hashes wrong. */
export class KernelError extends Error {
  override readonly name = 'KernelError';
  readonly code = 'kernel';
}

/** Makes a kernel; throws when this machine cannot run it. @param module of a kernel in WebAssembly, where it is compiled. */
export function createKernel(name: KernelName, module?: WebAssembly.Module): Kernel {
  return KERNELS[name](module);
}

/**
 * The fastest kernel that runs here and hashes right, or the one asked for. Holds this thread for some 50 ms. Throws
 * {@link KernelError} when none does; the scalar one does wherever Node.js has WebAssembly.
 *
 * @param make as `createKernel`; for tests.
 */
export function chooseKernel(
  forced?: KernelName,
  log: Log = SILENT,
  make: (name: KernelName) => Kernel = createKernel,
): MeasuredKernel {
  const kernels: Kernel[] = [];
  const faults: string[] = [];
  for (const name of forced ? [forced] : KERNEL_NAMES) {
    const tried = tryKernel(name, make);
    if (typeof tried === 'string') faults.push(`${name}: ${tried}`);
    else kernels.push(tried);
  }
  const [fastest, ...slower] = measured(kernels);
  if (!fastest) throw new KernelError(`no kernel runs here: ${faults.join('; ')}`);
  const { name: kernel, hashesPerSecond } = fastest;
  log.info(
    { event: 'kernel', kernel, hashesPerSecond, forced: forced !== undefined, slower, faults },
    `the kernel is ${kernel}`,
  );
  return fastest;
}

/** The fastest first. */
function measured(kernels: readonly Kernel[]): MeasuredKernel[] {
  const speeds = new Map(kernels.map((kernel) => [kernel, 0]));
  for (let turn = 0; turn < TURNS; turn++)
    for (const [kernel, best] of speeds) speeds.set(kernel, Math.max(best, scanFor(kernel, TURN_MS)));
  return [...speeds]
    .map(([{ name }, hashesPerSecond]) => ({ name, hashesPerSecond }))
    .sort((a, b) => b.hashesPerSecond - a.hashesPerSecond);
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

/** A kernel that runs here and hashes right, or why it is not to be used. */
export function tryKernel(
  name: KernelName,
  make: (name: KernelName) => Kernel = createKernel,
): Kernel | string {
  try {
    const kernel = make(name);
    return hashesRight(kernel) ? kernel : 'it found other nonces than node:crypto';
  } catch (error) {
    return (error as Error).message;
  }
}

const TRIED_NONCES = 256;
const TRIED_DIFFICULTY = 4n;

/** Compares what a kernel finds with what node:crypto says, across the wrap of the counted word. */
function hashesRight(kernel: Kernel): boolean {
  const header = Uint8Array.from({ length: HEADER_BYTES }, (_, i) => (i * 167 + 13) & 0xff);
  const target = targetOf(TRIED_DIFFICULTY);
  const puzzle = { header, target, nonce1: 0xa5c3, nonce1Bytes: 2 };
  const first = 2 ** 32 - TRIED_NONCES / 2;
  const { hits } = new NonceSearch(kernel, puzzle).scan(first, TRIED_NONCES, TRIED_NONCES);
  return hits.join() === expectedHits(header, puzzle.nonce1, target, first).join();
}

function expectedHits(header: Uint8Array, nonce1: number, target: Uint8Array, first: number): number[] {
  const bytes = Buffer.from(header);
  const most = Buffer.from(target).reverse();
  const meets = (nonce2: number): boolean => {
    bytes.writeUInt16LE(nonce1, 278);
    bytes.writeUIntLE(nonce2, 280, 6);
    return createHash('blake2s256').update(bytes).digest().reverse().compare(most) <= 0;
  };
  return Array.from({ length: TRIED_NONCES }, (_, i) => first + i).filter(meets);
}
