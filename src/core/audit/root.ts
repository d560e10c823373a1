/**
 * A root: what everybody did up to a time, as the pool has said it once and for all. It is published as a text of JSON with its signature by
 * the pool's key. Each names the hash of the one before, so that none can be left out or changed later.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { SumNode } from './sum-tree.js';

export interface RootStatement {
  /** Counted from 1 on. */
  readonly number: number;
  /** Of all that was accepted before this time, and had come by then: what comes later is in a later one. */
  readonly until: string;
  readonly accounts: number;
  readonly work: string;
  readonly shares: string;
  readonly hash: string;
  /** SHA-256 of the text before this one; null in the first. */
  readonly previous: string | null;
}

export interface SignedRoot {
  /** To the byte as it was signed. */
  readonly text: string;
  /** 32 bytes of an Ed25519 key, as hex. */
  readonly key: string;
  /** 64 bytes, as hex. */
  readonly signature: string;
}

export function textOf(
  root: SumNode,
  { number, until, accounts, previous }: Pick<RootStatement, 'number' | 'until' | 'accounts' | 'previous'>,
): string {
  const statement: RootStatement = {
    ...{ number, until, accounts },
    work: String(root.work),
    shares: String(root.shares),
    hash: root.hash,
    previous,
  };
  return JSON.stringify(statement);
}

/** Names a text in the one that follows it. */
export function hashOfText(text: string): string {
  return bytesToHex(sha256(utf8ToBytes(text)));
}

/** `undefined` where it is none. */
export function readStatement(text: string): RootStatement | undefined {
  const given = parsed(text);
  const { number, until, accounts, work, shares, hash, previous } = given;
  const isIt =
    Number.isInteger(number) &&
    Number.isInteger(accounts) &&
    !Number.isNaN(Date.parse(String(until))) &&
    [work, shares].every((sum) => /^\d{1,78}$/.test(String(sum))) &&
    HASH.test(String(hash)) &&
    (previous === null || HASH.test(String(previous)));
  return isIt ? (given as unknown as RootStatement) : undefined;
}

const HASH = /^[0-9a-f]{64}$/;

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
