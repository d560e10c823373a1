/** Kernels in C with the vector instructions of x86-64, where they could be built at install (workers/native/). */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Kernel, NativeKernelName } from './kernel.js';
import { lastBlockOf } from './last-block.js';

type Search = (block: Uint32Array, first: number, step: number, count: number) => number;
type Addon = Partial<Record<NativeKernelName, Search>>;

/** Beside the compiled code, and from the sources. */
const PLACES = ['./native/kernel.node', '../dist/workers/native/kernel.node'];

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

export function isNativeKernelBuilt(): boolean {
  return addonUrl() !== undefined;
}

function loadAddon(): Addon {
  const url = addonUrl();
  if (!url) throw new Error('it was not built at install');
  return createRequire(import.meta.url)(fileURLToPath(url)) as Addon;
}

function addonUrl(): URL | undefined {
  return PLACES.map((place) => new URL(place, import.meta.url)).find((url) => existsSync(url));
}
