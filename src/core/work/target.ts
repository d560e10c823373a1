/**
 * Targets and difficulties.
 *
 * A proof-of-work hash, read as a little-endian 256-bit integer, meets a target when hash <= target. The expected
 * number of hashes until one does, 2^256 / (target + 1), is the difficulty.
 */
import { fromHex, readUintLittleEndian, reversed, toHex, writeUintLittleEndian } from '../bytes/bytes.js';

/** 32 bytes, lowest first: as the node sends it and as the hash comes out of blake2s. */
export type Target = Uint8Array & { readonly __brand: 'Target' };

/** Expected hashes until one meets a target; at least 1. */
export type Difficulty = bigint;

export const TARGET_BYTES = 32;
const TWO_256 = 1n << 256n;

export const MAX_TARGET: Target = targetOf(1n);

/** Takes 32 little-endian bytes as a target. Throws RangeError for another length. */
export function targetFromBytes(bytes: Uint8Array): Target {
  if (bytes.length !== TARGET_BYTES) {
    throw new RangeError(`a target has ${TARGET_BYTES} bytes, not ${bytes.length}`);
  }
  return Uint8Array.from(bytes) as Target;
}

export function targetFromInteger(value: bigint): Target {
  return writeUintLittleEndian(value, TARGET_BYTES) as Target;
}

export function integerOfTarget(target: Target): bigint {
  return readUintLittleEndian(target);
}

/** floor(2^256 / (target + 1)). */
export function difficultyOf(target: Target): Difficulty {
  return TWO_256 / (integerOfTarget(target) + 1n);
}

/** What a block of this target adds to the weight of its chain: floor((2^256 - 1) / target). */
export function weightOfTarget(target: Target): bigint {
  const value = integerOfTarget(target);
  return value === 0n ? TWO_256 - 1n : (TWO_256 - 1n) / value;
}

/**
 * Expected hashes until one is as low as this, of eight words, lowest first. A double, right to 15 digits: it is shown and
 * credits nothing.
 */
export function reachedByWords(words: Uint32Array): number {
  let hash = 0;
  for (let i = 7; i >= 0; i--) hash = hash * 2 ** 32 + (words[i] ?? 0);
  return 2 ** 256 / (hash + 1);
}

/** The target whose difficulty is nearest below or at `difficulty`; 1 gives the easiest target there is. */
export function targetOf(difficulty: Difficulty): Target {
  if (difficulty < 1n) throw new RangeError(`a difficulty is at least 1, not ${difficulty}`);
  const value = TWO_256 / difficulty - 1n;
  return targetFromInteger(value < 0n ? 0n : value);
}

/** 64 hex digits, highest first: the form of `mining.set_target`, event streams and people. */
export function targetToHexBigEndian(target: Target): string {
  return toHex(reversed(target));
}

export function targetFromHexBigEndian(text: string): Target | undefined {
  const bytes = text.length === TARGET_BYTES * 2 ? fromHex(text) : undefined;
  return bytes && (bytes.reverse() as Target);
}

/** Negative, zero or positive as `a` is below, equal to or above `b`; both 32 bytes, lowest first. */
export function compareLittleEndian(a: Uint8Array, b: Uint8Array): number {
  for (let i = TARGET_BYTES - 1; i >= 0; i--) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether a proof-of-work hash (32 bytes, lowest first) is at or below the target. */
export function meetsTarget(hash: Uint8Array, target: Target): boolean {
  return compareLittleEndian(hash, target) <= 0;
}

/** The same of a hash as eight words, lowest first. */
export function wordsMeetTarget(words: Uint32Array, target: Target): boolean {
  for (let i = TARGET_BYTES - 1; i >= 0; i--) {
    const difference = (((words[i >> 2] ?? 0) >>> (8 * (i & 3))) & 0xff) - (target[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

/** The target that more hashes meet. */
export function easierTarget(a: Target, b: Target): Target {
  return compareLittleEndian(a, b) >= 0 ? a : b;
}
