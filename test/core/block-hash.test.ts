import { describe, expect, it } from 'vitest';
import { blockHashOf } from '../../src/core/bytes/block-hash.js';
import { fromBase64Url, fromHex, toBase64Url } from '../../src/core/bytes/bytes.js';
import { dataLeaf, sha512t256, treeRoot } from '../../src/core/bytes/hash-tree.js';
import { payloadHashesOf } from '../../src/core/bytes/payload-hash.js';
import { readVectors } from '../helpers/runner/vectors.js';

interface HeaderVector {
  hex286: string;
  blockHash: string;
}

const bytes = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));

describe('hash tree', () => {
  it('uses SHA-512/256 with its own initial values', () => {
    // FIPS 180-4 example value of SHA-512/256("abc").
    expect(Buffer.from(sha512t256(bytes('abc'))).toString('hex')).toBe(
      '53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23',
    );
  });

  it('is the leaf itself for one leaf, and splits at the largest power of two', () => {
    const leaves = [1, 2, 3, 4, 5].map((tag) => dataLeaf(tag, bytes('x')));
    const [a, b, c, d, e] = leaves as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array];
    expect(treeRoot([a])).toEqual(a);
    expect(treeRoot(leaves)).toEqual(treeRoot([treeRoot([treeRoot([a, b]), treeRoot([c, d])]), e]));
  });
});

describe('block hash', () => {
  it('refuses a length that no header has', () => {
    expect(() => blockHashOf(new Uint8Array(285))).toThrow('285 bytes');
  });

  it('agrees with every known header', { tags: ['vectors'] }, () => {
    const { headers } = readVectors<{ headers: HeaderVector[] }>('headers');
    expect(headers.length).toBeGreaterThan(200);
    for (const vector of headers) {
      expect(toBase64Url(blockHashOf(fromHex(vector.hex286) ?? new Uint8Array()))).toBe(vector.blockHash);
    }
  });
});

describe('payload hashes', () => {
  it('agree with every payload of the public examples', { tags: ['vectors'] }, () => {
    const found = payloadsWithOutputsIn(readVectors('interface-examples'));
    expect(found.length).toBeGreaterThan(3);
    for (const payload of found) {
      const hashes = payloadHashesOf({
        minerData: decoded(payload.minerData),
        transactions: payload.transactions.map(([transaction]) => decoded(transaction)),
        outputs: payload.transactions.map(([, output]) => decoded(output)),
        coinbase: decoded(payload.coinbase),
      });
      expect(toBase64Url(hashes.transactionsHash)).toBe(payload.transactionsHash);
      expect(toBase64Url(hashes.outputsHash)).toBe(payload.outputsHash);
      expect(toBase64Url(hashes.payloadHash)).toBe(payload.payloadHash);
    }
  });
});

interface PayloadVector {
  minerData: string;
  coinbase: string;
  transactions: [string, string][];
  transactionsHash: string;
  outputsHash: string;
  payloadHash: string;
}

function decoded(text: string): Uint8Array {
  return fromBase64Url(text) ?? Uint8Array.from(Buffer.from(text, 'base64url'));
}

/** Every object anywhere in `value` that is a whole payload with outputs. */
function payloadsWithOutputsIn(value: unknown): PayloadVector[] {
  if (typeof value !== 'object' || value === null) return [];
  const fields = value as Record<string, unknown>;
  const isPayload = typeof fields['coinbase'] === 'string' && typeof fields['payloadHash'] === 'string';
  const inside = Object.values(fields).flatMap(payloadsWithOutputsIn);
  return isPayload ? [value as PayloadVector, ...inside] : inside;
}
