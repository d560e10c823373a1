/** Which kernel runs: chosen once, by trying each from the fastest on. */
import { createHash } from 'node:crypto';
import { type Log, SILENT } from '../src/core/names/log.js';
import { HEADER_BYTES } from '../src/core/work/header.js';
import { targetOf } from '../src/core/work/target.js';
import { KERNEL_NAMES, type Kernel, type KernelName } from './kernel.js';
import { createNativeKernel } from './native-kernel.js';
import { createPlainKernel } from './plain-kernel.js';
import { NonceSearch } from './search.js';
import { createWasmKernel } from './wasm-kernel.js';

const KERNELS: Record<KernelName, (module?: WebAssembly.Module) => Kernel> = {
  avx512: () => createNativeKernel('avx512'),
  avx2: () => createNativeKernel('avx2'),
  simd: (module) => createWasmKernel('simd', module),
  sse41: () => createNativeKernel('sse41'),
  scalar: (module) => createWasmKernel('scalar', module),
  plain: createPlainKernel,
};

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
 * The fastest kernel that runs here and hashes right, or the one asked for. Throws {@link KernelError} when that does
 * not run; the plain one always does.
 *
 * @param make as `createKernel`; for tests.
 */
export function chooseKernel(
  forced?: KernelName,
  log: Log = SILENT,
  make: (name: KernelName) => Kernel = createKernel,
): KernelName {
  const faults: string[] = [];
  for (const name of forced ? [forced] : KERNEL_NAMES) {
    const fault = tryKernel(name, make);
    if (fault === undefined) {
      log.info(
        { event: 'kernel', kernel: name, forced: forced !== undefined, faults },
        `the kernel is ${name}`,
      );
      return name;
    }
    faults.push(`${name}: ${fault}`);
  }
  throw new KernelError(`no kernel runs here: ${faults.join('; ')}`);
}

/** Why a kernel is not to be used here; `undefined` when it runs and hashes right. */
export function tryKernel(
  name: KernelName,
  make: (name: KernelName) => Kernel = createKernel,
): string | undefined {
  try {
    return hashesRight(make(name)) ? undefined : 'it found other nonces than node:crypto';
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
