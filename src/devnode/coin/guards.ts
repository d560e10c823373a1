/** Keysets, the names that follow from them, and the rules for names of accounts. */
import { blake2b } from '@noble/hashes/blake2.js';
import { toBase64Url } from '../../core/bytes/bytes.js';

/** How many of which keys must sign. */
export interface Guard {
  /** `keys-all`, `keys-any`, `keys-2`; any other is nobody's to satisfy here. */
  readonly pred: string;
  /** Ascending, each once. */
  readonly keys: readonly string[];
}

const KEY = /^[0-9a-f]{64}$/;
const WELL_FORMED = /^(k:[0-9a-fA-F]{64}|w:[a-zA-Z0-9_-]{43}:.+)$/s;
const SHORTEST_NAME = 3;
const LONGEST_NAME = 256;
const GREATEST_CHARACTER = 255;

export function guardOf(pred: string, keys: readonly string[]): Guard {
  return { pred, keys: [...new Set(keys)].sort() };
}

export function isSameGuard(a: Guard, b: Guard): boolean {
  return a.pred === b.pred && a.keys.join() === b.keys.join();
}

/** 64 lower-case hex digits. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Whether these keys are enough. */
export function isSatisfied({ pred, keys }: Guard, signed: ReadonlySet<string>): boolean {
  const matched = keys.filter((key) => signed.has(key)).length;
  if (pred === 'keys-all') return matched === keys.length;
  return (pred === 'keys-any' && matched >= 1) || (pred === 'keys-2' && matched >= 2);
}

/** The one name that this guard gives: `k:` and its key, or `w:`, a hash of its keys and the predicate. */
export function principalOf({ pred, keys }: Guard): string {
  const [only = ''] = keys;
  if (keys.length === 1 && pred === 'keys-all' && isKey(only)) return `k:${only}`;
  const hash = blake2b(new TextEncoder().encode(keys.join('')), { dkLen: 32 });
  return `w:${toBase64Url(hash)}:${pred}`;
}

/** Whether a name has the form of a principal; only its guard shows whether it is one. */
export function isPrincipal(name: string): boolean {
  return WELL_FORMED.test(name);
}

/** What is wrong with the name of an account, in the words of the contract. */
export function brokenName(name: string): string | undefined {
  const characters = [...name];
  if (characters.some((one) => (one.codePointAt(0) ?? 0) > GREATEST_CHARACTER)) {
    return `Account does not conform to the coin contract charset: ${name}`;
  }
  if (characters.length < SHORTEST_NAME) {
    return `Account name does not conform to the min length requirement: ${name}`;
  }
  if (characters.length > LONGEST_NAME) {
    return `Account name does not conform to the max length requirement: ${name}`;
  }
  return undefined;
}

/** Why a new account of this guard may not have this name: names with `:` behind their first letter follow from a guard. */
export function reservedName(name: string, guard: Guard): string | undefined {
  if (name[1] !== ':' || principalOf(guard) === name) return undefined;
  if (name[0] === 'k') return 'Single-key account protocol violation';
  return `Reserved protocol guard violation: ${name[0]}`;
}
