/**
 * WebAssembly kernels, written byte by byte: four lanes where SIMD is there, one where it is not.
 *
 * Each mixing is finished before the next begins. The processor overlaps them by itself, while V8 would spill the
 * few vector registers if several were interleaved: 20 million hashes a second this way, 7 as a compiler from C orders
 * them. Message words as locals give a tenth more than loads from memory. Where a word turns by whole bytes, moving bytes
 * gives a sixth more than shifting: by `swizzle`, whose order of bytes V8 keeps in a register or in memory. For `shuffle`
 * it makes that order anew each time, which costs more than it gives on some processors.
 */
import { SIGMA } from '../src/core/bytes/blake2s.js';
import type { Kernel, KernelName } from './kernel.js';
import { COUNTED_WORD, lastBlockOf, MIXINGS, MIXINGS_DONE, USED_WORDS } from './last-block.js';
import type { Bytes } from './wasm-bytes.js';
import * as wasm from './wasm-bytes.js';

type Search = (count: number) => number;

/** How one kind of lanes is written. */
interface Lanes {
  readonly count: 1 | 4;
  readonly type: number;
  readonly add: Bytes;
  readonly xor: Bytes;
  load(address: number): Bytes;
  /** Turns the value on the stack right and sets the local to it. */
  rotate(local: number, bits: number): Bytes;
  /** From two values of lanes, leaves a number on the stack: not zero if in a lane the first is at most the second. */
  readonly anyAtMost: Bytes;
  /** From the same two, leaves the first lane for which it is so; there is one. */
  readonly firstAtMost: Bytes;
}

const SIMD: Lanes = {
  count: 4,
  type: wasm.V128,
  add: wasm.I32X4_ADD,
  xor: wasm.V128_XOR,
  load: wasm.v128Load,
  rotate: (local, bits) =>
    bits % 8 === 0
      ? [...wasm.v128Const(bytesTurned(bits / 8)), ...wasm.I8X16_SWIZZLE, ...wasm.setLocal(local)]
      : [
          ...[...wasm.teeLocal(local), ...wasm.i32Const(bits), ...wasm.I32X4_SHR_U],
          ...[...wasm.getLocal(local), ...wasm.i32Const(32 - bits), ...wasm.I32X4_SHL],
          ...[...wasm.V128_OR, ...wasm.setLocal(local)],
        ],
  anyAtMost: [...wasm.I32X4_LE_U, ...wasm.V128_ANY_TRUE],
  firstAtMost: [...wasm.I32X4_LE_U, ...wasm.I32X4_BITMASK, ...wasm.I32_CTZ],
};

/** Which byte of four words stands where when each is turned right by so many bytes. */
function bytesTurned(by: number): Bytes {
  return Array.from({ length: 16 }, (_, i) => (i & ~3) | ((i + by) & 3));
}

const SCALAR: Lanes = {
  count: 1,
  type: wasm.I32,
  add: wasm.I32_ADD,
  xor: wasm.I32_XOR,
  load: wasm.i32Load,
  rotate: (local, bits) => [...wasm.i32Const(bits), ...wasm.I32_ROTR, ...wasm.setLocal(local)],
  anyAtMost: wasm.I32_LE_U,
  firstAtMost: [...wasm.I32_LE_U, ...wasm.I32_CTZ],
};

/** Memory: state, message words, and what else a call needs; each as one value of all lanes. */
const SLOT = { state: 0, words: 16, step: 24, topOfMidstate: 25, limit: 26 } as const;
const SLOT_BYTES = 16;

/** Locals of the function. */
const COUNT = 0;
const INDEX = 1;
const TOP = 2;
const WORDS = 3;
const COUNTED = WORDS + COUNTED_WORD;
const STATE = WORDS + USED_WORDS;
const STATE_WORDS = 16;

const WORD_NUMBERS = Array.from({ length: USED_WORDS }, (_, word) => word);

const SEARCH = 'search';
const MEMORY = 'memory';

/** search(count): the index of the first nonce that is a candidate, or `count` or more when there is none. */
function writeModule(lanes: Lanes): Uint8Array {
  const load = (slot: number): Bytes => lanes.load(slot * SLOT_BYTES);
  const topAndLimit = [...wasm.getLocal(TOP), ...load(SLOT.limit)];
  const index = wasm.getLocal(INDEX);
  return wasm.moduleOf(SEARCH, MEMORY, {
    parameters: [wasm.I32],
    results: [wasm.I32],
    locals: [
      { count: 1, type: wasm.I32 },
      { count: 1 + USED_WORDS + STATE_WORDS, type: lanes.type },
    ],
    body: [
      ...WORD_NUMBERS.map((word) => [...load(SLOT.words + word), ...wasm.setLocal(WORDS + word)]),
      wasm.loop(
        topOfHash(lanes, load),
        [...wasm.setLocal(TOP), ...topAndLimit, ...lanes.anyAtMost],
        wasm.when([...topAndLimit, ...lanes.firstAtMost, ...index, ...wasm.I32_ADD, ...wasm.RETURN]),
        [...wasm.getLocal(COUNTED), ...load(SLOT.step), ...lanes.add, ...wasm.setLocal(COUNTED)],
        [...index, ...wasm.i32Const(lanes.count), ...wasm.I32_ADD, ...wasm.teeLocal(INDEX)],
        [...wasm.getLocal(COUNT), ...wasm.I32_LT_U, ...wasm.branchIf(0)],
      ),
      wasm.getLocal(COUNT),
    ],
  });
}

/** Leaves the top word of the hash on the stack. What it does in vain for the other words V8 leaves out. */
function topOfHash(lanes: Lanes, load: (slot: number) => Bytes): Bytes {
  const written = new Set<number>();
  const get = (word: number): Bytes =>
    written.has(word) ? wasm.getLocal(STATE + word) : load(SLOT.state + word);
  const message = (word: number): Bytes =>
    word < USED_WORDS ? [...wasm.getLocal(WORDS + word), ...lanes.add] : [];
  const addTo = (a: number, b: number, word: number | undefined): Bytes => {
    const sum = [...get(a), ...get(b), ...lanes.add, ...(word === undefined ? [] : message(word))];
    written.add(a);
    return [...sum, ...wasm.setLocal(STATE + a)];
  };
  const turn = (a: number, b: number, bits: number): Bytes => {
    const turned = [...get(a), ...get(b), ...lanes.xor, ...lanes.rotate(STATE + a, bits)];
    written.add(a);
    return turned;
  };
  const mixing = ([a, b, c, d]: readonly [number, number, number, number], x: number, y: number): Bytes => [
    ...addTo(a, b, x),
    ...turn(d, a, 16),
    ...addTo(c, d, undefined),
    ...turn(b, c, 12),
    ...addTo(a, b, y),
    ...turn(d, a, 8),
    ...addTo(c, d, undefined),
    ...turn(b, c, 7),
  ];
  const rounds = SIGMA.flatMap((sigma) =>
    MIXINGS.map((state, i) => ({ state, x: sigma[2 * i] ?? 0, y: sigma[2 * i + 1] ?? 0 })),
  );
  const code = rounds.slice(MIXINGS_DONE).flatMap(({ state, x, y }) => mixing(state, x, y));
  return [...code, ...get(7), ...get(15), ...lanes.xor, ...load(SLOT.topOfMidstate), ...lanes.xor];
}

const LANES = { simd: SIMD, scalar: SCALAR } as const;

/** Of a kernel in WebAssembly; `undefined` of another. Throws WebAssembly.CompileError where SIMD is missing. */
export function compiledModule(name: KernelName): WebAssembly.Module | undefined {
  return name === 'simd' || name === 'scalar' ? new WebAssembly.Module(writeModule(LANES[name])) : undefined;
}

/** Throws WebAssembly.CompileError where SIMD is missing. @param module as compiled elsewhere. */
export function createWasmKernel(name: keyof typeof LANES, module?: WebAssembly.Module): Kernel {
  const lanes = LANES[name];
  const { exports } = new WebAssembly.Instance(module ?? new WebAssembly.Module(writeModule(lanes)));
  const search = exports[SEARCH] as Search;
  const memory = new Uint32Array((exports[MEMORY] as WebAssembly.Memory).buffer);
  const store = (slot: number, value: number, risePerLane = 0): void => {
    const start = (slot * SLOT_BYTES) / 4;
    for (let lane = 0; lane < lanes.count; lane++)
      memory[start + lane] = value + Math.imul(lane, risePerLane);
  };
  return {
    name,
    prepare(header, topWord) {
      const { state, words, topOfMidstate } = lastBlockOf(header);
      for (const [i, word] of state.entries()) store(SLOT.state + i, word);
      for (const [i, word] of words.entries()) store(SLOT.words + i, word);
      store(SLOT.topOfMidstate, topOfMidstate);
      store(SLOT.limit, topWord);
    },
    firstCandidate(first, step, count) {
      store(SLOT.words + COUNTED_WORD, first, step);
      store(SLOT.step, Math.imul(step, lanes.count));
      return Math.min(search(count), count);
    },
  };
}
