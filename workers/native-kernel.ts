/** Kernels in C with the vector instructions of x86-64, where they could be built at install (workers/native/). */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Kernel, NativeKernelName } from './kernel.js';
import { lastBlockOf } from './last-block.js';
import { isWhole, nativePlace } from './native/place.js';

type Search = (block: Uint32Array, first: number, step: number, count: number) => number;
type Addon = Partial<Record<NativeKernelName, Search>>;

/** Where the block's fields lie, in words, as in search.h. */
const BLOCK = { state: 0, words: 16, top: 24, limit: 25, length: 26 } as const;

/** Throws when it was not built, or when the processor does not have the instructions. */
export function createNativeKernel(name: NativeKernelName): Kernel {
  const search = loadAddon()[name];
  if (!search) throw new Error(`this processor has no ${name}`);
  const block = new Uint32Array(BLOCK.length);
  return {
    name,
    prepare(header, topWord) {
      const { state, words, topOfMidstate } = lastBlockOf(header);
      block.set(state, BLOCK.state);
      block.set(words, BLOCK.words);
      block[BLOCK.top] = topOfMidstate;
      block[BLOCK.limit] = topWord;
    },
    firstCandidate: (first, step, count) => search(block, first, step, count),
  };
}

/** Why no native kernel can be had here, whatever the processor; `undefined` when the addon loads. */
export function nativeFault(): string | undefined {
  try {
    loadAddon();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Whether a build was tried on this machine. */
export function isNativeBuildTried(): boolean {
  const { addon, fault } = nativePlace();
  return existsSync(addon) || existsSync(fault);
}

function loadAddon(): Addon {
  const place = nativePlace();
  const { addon, fault } = place;
  if (isWhole(place)) return createRequire(import.meta.url)(fileURLToPath(addon)) as Addon;
  if (existsSync(addon)) throw new Error(`${fileURLToPath(addon)} is not as it was built`);
  throw new Error(
    existsSync(fault) ? `it was not built: ${readFileSync(fault, 'utf8')}` : 'it is not built yet',
  );
}
