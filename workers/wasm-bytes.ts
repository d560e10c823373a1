/** The few bytes of the WebAssembly binary format that a module with one function and one memory is made of. */

/** Bytes of code or of a part of a module. */
export type Bytes = readonly number[];

export const I32 = 0x7f;
export const V128 = 0x7b;

const MAGIC_AND_VERSION: Bytes = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
const SECTION = { type: 1, function: 3, memory: 5, export: 7, code: 10 } as const;
const FUNCTION_TYPE = 0x60;
const EXPORTED = { function: 0, memory: 2 } as const;
const END = 0x0b;
const EMPTY_BLOCK = 0x40;
const SIMD_PREFIX = 0xfd;

/** LEB128, unsigned. */
export function unsigned(value: number): Bytes {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128, signed 32 bits. */
export function signed(value: number): Bytes {
  const done = value >= -64 && value < 64;
  return done ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

export const getLocal = (index: number): Bytes => [0x20, ...unsigned(index)];
export const setLocal = (index: number): Bytes => [0x21, ...unsigned(index)];
export const teeLocal = (index: number): Bytes => [0x22, ...unsigned(index)];
export const i32Const = (value: number): Bytes => [0x41, ...signed(value)];
export const loop = (...body: Bytes[]): Bytes => [0x03, EMPTY_BLOCK, ...body.flat(), END];
export const when = (...body: Bytes[]): Bytes => [0x04, EMPTY_BLOCK, ...body.flat(), END];
export const branchIf = (depth: number): Bytes => [0x0d, ...unsigned(depth)];
export const RETURN: Bytes = [0x0f];

/** Load from a fixed address; alignment is a hint, as a power of two. */
export const i32Load = (address: number): Bytes => [0x41, 0x00, 0x28, 2, ...unsigned(address)];
export const v128Load = (address: number): Bytes => [0x41, 0x00, ...simd(0), 4, ...unsigned(address)];

export const I32_LE_U: Bytes = [0x4d];
export const I32_LT_U: Bytes = [0x49];
export const I32_CTZ: Bytes = [0x68];
export const I32_ADD: Bytes = [0x6a];
export const I32_XOR: Bytes = [0x73];
export const I32_ROTR: Bytes = [0x78];

export const v128Const = (bytes: Bytes): Bytes => [...simd(12), ...bytes];
/** Of two values, the bytes of the first whose numbers are the bytes of the second. */
export const I8X16_SWIZZLE: Bytes = simd(14);
export const V128_ANY_TRUE: Bytes = simd(83);
export const V128_OR: Bytes = simd(80);
export const V128_XOR: Bytes = simd(81);
export const I32X4_LE_U: Bytes = simd(62);
export const I32X4_BITMASK: Bytes = simd(164);
export const I32X4_SHL: Bytes = simd(171);
export const I32X4_SHR_U: Bytes = simd(173);
export const I32X4_ADD: Bytes = simd(174);

function simd(opcode: number): Bytes {
  return [SIMD_PREFIX, ...unsigned(opcode)];
}

interface FunctionParts {
  readonly parameters: Bytes;
  readonly results: Bytes;
  /** Runs of locals of one type, after the parameters. */
  readonly locals: readonly { readonly count: number; readonly type: number }[];
  readonly body: readonly Bytes[];
}

/** A module that exports one function and one memory of 64 KiB. */
export function moduleOf(functionName: string, memoryName: string, parts: FunctionParts): Uint8Array {
  const type = [FUNCTION_TYPE, ...vector(parts.parameters), ...vector(parts.results)];
  const locals = list(parts.locals.map(({ count, type }) => [...unsigned(count), type]));
  const code = vector([...locals, ...parts.body.flat(), END]);
  return Uint8Array.from([
    ...MAGIC_AND_VERSION,
    ...section(SECTION.type, [type]),
    ...section(SECTION.function, [[0]]),
    ...section(SECTION.memory, [[0, 1]]),
    ...section(SECTION.export, [
      [...name(functionName), EXPORTED.function, 0],
      [...name(memoryName), EXPORTED.memory, 0],
    ]),
    ...section(SECTION.code, [code]),
  ]);
}

function section(id: number, items: readonly Bytes[]): Bytes {
  return [id, ...vector(list(items))];
}

/** Length in bytes, then the bytes. */
function vector(bytes: Bytes): Bytes {
  return [...unsigned(bytes.length), ...bytes];
}

/** Number of items, then the items. */
function list(items: readonly Bytes[]): Bytes {
  return [...unsigned(items.length), ...items.flat()];
}

function name(text: string): Bytes {
  return vector([...Buffer.from(text)]);
}
