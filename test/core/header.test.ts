import { createHash } from 'node:crypto';
import { blake2s } from '@noble/hashes/blake2.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finishHash, midstateOf } from '../../src/core/bytes/blake2s.js';
import { fromHex, toHex } from '../../src/core/bytes/bytes.js';
import * as header from '../../src/core/work/header.js';
import { targetOf, targetToHexBigEndian } from '../../src/core/work/target.js';
import { decodeWork, encodeWork, WorkFormatError } from '../../src/core/work/work.js';
import { makeWork } from '../helpers/rigs/works.js';
import { readVectors, vectorsArePresent } from '../helpers/runner/vectors.js';

interface HeaderVectors {
  workResponseExample: { responseHex: string };
  headers: { hex286: string; powHashBytesHex: string; fields: Record<string, unknown> }[];
}

describe('pow hash', () => {
  it('equals blake2s256 of two other implementations', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 257, maxLength: 320 }), (bytes) => {
        const hash = finishHash(midstateOf(bytes), bytes.subarray(256));
        expect(toHex(hash)).toBe(createHash('blake2s256').update(bytes).digest('hex'));
        expect(toHex(hash)).toBe(toHex(blake2s(bytes)));
      }),
    );
  });
});

describe('header', () => {
  it('survives decoding and encoding byte by byte', () => {
    const anyHeader = fc
      .tuple(fc.integer({ min: 0, max: 5 }), fc.infiniteStream(fc.nat(255)))
      .map(([adjacents, stream]) => {
        const bytes = Uint8Array.from(
          { length: header.headerLength(adjacents) },
          () => stream.next().value ?? 0,
        );
        new DataView(bytes.buffer).setUint16(48, adjacents, true);
        bytes.fill(0, bytes.length - 22, bytes.length - 20); // heights beyond 2^53 are refused
        return bytes;
      });
    fc.assert(
      fc.property(anyHeader, (bytes) => {
        expect(header.encodeHeader(header.decodeHeader(bytes))).toEqual(bytes);
      }),
    );
  });

  it('refuses a length that does not fit', () => {
    expect(() => header.decodeHeader(new Uint8Array(0))).toThrow(RangeError);
    expect(() => header.decodeHeader(new Uint8Array(286))).toThrow('178 bytes, not 286');
    expect(() => header.headerFromBytes(new Uint8Array(285))).toThrow('286 bytes, not 285');
  });

  it('changes nonce and creation time and nothing else', () => {
    const zero = header.headerFromBytes(new Uint8Array(286));
    const changed = header.withCreationTime(header.withNonce(zero, 0x456789abcdef0123n), 7n);
    expect(toHex(changed.subarray(278))).toBe('2301efcdab896745');
    expect(changed.findIndex((byte) => byte !== 0)).toBe(8);
    expect(changed.subarray(16, 278).every((byte) => byte === 0)).toBe(true);
  });
});

describe('the proof-of-work hash', () => {
  it('is BLAKE2s-256 of headers of any number of adjacents', () => {
    for (let adjacents = 0; adjacents <= 6; adjacents++) {
      const bytes = Uint8Array.from({ length: header.headerLength(adjacents) }, (_, i) => (i * 31) % 251);
      expect(toHex(header.powHashOf(bytes))).toBe(createHash('blake2s256').update(bytes).digest('hex'));
    }
  });
});

describe('real headers', { tags: ['vectors'] }, () => {
  const vectors = vectorsArePresent ? readVectors<HeaderVectors>('headers') : undefined;

  it('decode, encode and hash as the chain says', () => {
    for (const entry of vectors?.headers ?? []) {
      const bytes = fromHex(entry.hex286) ?? new Uint8Array();
      const fields = header.decodeHeader(bytes);
      expect(header.encodeHeader(fields)).toEqual(bytes);
      expect(fields.chainId).toBe(entry.fields['chainId']);
      expect(fields.height).toBe(entry.fields['height']);
      expect(toHex(header.powHashOf(bytes))).toBe(entry.powHashBytesHex);
    }
    expect(vectors?.headers.length).toBeGreaterThan(100);
  });

  it('come out of a work response', () => {
    const bytes = fromHex(vectors?.workResponseExample.responseHex ?? '') ?? new Uint8Array();
    const work = decodeWork(bytes);
    expect(work.chainId).toBe(5);
    expect(work.fields.creationTime).toBe(1635748710857836n);
    expect(targetToHexBigEndian(work.blockTarget)).toBe(targetToHexBigEndian(work.fields.target));
    expect(encodeWork(work)).toEqual(bytes);
  });
});

describe('work', () => {
  it('says what came instead', () => {
    expect(() => decodeWork(Buffer.from('Unauthorized Miner'))).toThrow(
      /322 bytes, this one 18: "Unauthorized Miner"/,
    );
    expect(() => decodeWork(new Uint8Array())).toThrow('an empty body');
    expect(() => decodeWork(new Uint8Array(322))).toThrow(WorkFormatError);
  });

  it('X7: is refused where the target before its header is not the one in it, or is 0', () => {
    const honest = encodeWork(makeWork({ difficulty: 1n << 24n }));
    const easier = Uint8Array.from(honest);
    easier.set(targetOf(1n << 18n), 4);
    expect(() => decodeWork(easier)).toThrow(
      /^work for chain 3 has the target 00003f+ before its header and 000000f+ in it$/,
    );
    const impossible = Uint8Array.from(honest)
      .fill(0, 4, 36)
      .fill(0, 36 + 158, 36 + 190);
    expect(() => decodeWork(impossible)).toThrow('the target 0, which no hash can meet');
    const otherChain = Uint8Array.from(honest);
    otherChain[0] = 4;
    expect(() => decodeWork(otherChain)).toThrow('work for chain 4 carries a header of chain 3');
    expect(decodeWork(honest).chainId).toBe(3);
  });

  it('never throws anything but its own error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        try {
          decodeWork(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(WorkFormatError);
        }
      }),
    );
  });
});
