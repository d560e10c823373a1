/** One suite over every kernel. */
import { createHash } from 'node:crypto';
import { blake2s } from '@noble/hashes/blake2.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewOf } from '../../src/core/bytes/bytes.js';
import { HEADER_BYTES } from '../../src/core/work/header.js';
import { compareLittleEndian, MAX_TARGET, type Target, targetOf } from '../../src/core/work/target.js';
import { KERNEL_NAMES, type KernelName } from '../../workers/kernel.js';
import { createKernel } from '../../workers/kernels.js';
import { NonceSearch, nonce2Count, type Puzzle } from '../../workers/search.js';
import { readVectors } from '../helpers/runner/vectors.js';

const LANES_TO_TRY = 16;
const ALL = Number.POSITIVE_INFINITY;

interface Vectors {
  headers: { hex286: string; powHashHexBigEndian?: string }[];
}

/** The header with this nonce in its last bytes, written without the code under test. */
function withNonce({ header, nonce1, nonce1Bytes }: Puzzle, nonce2: number): Uint8Array {
  const copy = Uint8Array.from(header);
  const nonce = (BigInt(nonce2) << BigInt(8 * nonce1Bytes)) | BigInt(nonce1);
  viewOf(copy).setBigUint64(278, nonce, true);
  return copy;
}

function cryptoHash(bytes: Uint8Array): Uint8Array {
  return createHash('blake2s256').update(bytes).digest();
}

function hashOf(puzzle: Puzzle, nonce2: number): Uint8Array {
  return cryptoHash(withNonce(puzzle, nonce2));
}

function randomHeader(seed: number): Uint8Array {
  const header = new Uint8Array(HEADER_BYTES);
  for (let i = 0; i < HEADER_BYTES; i += 32) {
    const block = createHash('sha256').update(`${seed}/${i}`).digest();
    header.set(block.subarray(0, HEADER_BYTES - i), i);
  }
  return header;
}

function puzzleOf(seed: number, overrides: Partial<Puzzle> = {}): Puzzle {
  return { header: randomHeader(seed), target: MAX_TARGET, nonce1: 0x1234, nonce1Bytes: 2, ...overrides };
}

/** What a search must find, by an independent hash. */
function expectedHits(puzzle: Puzzle, first: number, count: number): number[] {
  const meets = (nonce2: number) => compareLittleEndian(hashOf(puzzle, nonce2), puzzle.target) <= 0;
  return Array.from({ length: count }, (_, i) => first + i).filter(meets);
}

/** A target that about one hash in `times` meets. */
function targetOneIn(times: number): Target {
  return targetOf(BigInt(times));
}

it('is measured by oracles that know the example of RFC 7693, appendix B', () => {
  const abc = '508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982';
  expect(Buffer.from(cryptoHash(Buffer.from('abc'))).toString('hex')).toBe(abc);
  expect(Buffer.from(blake2s(Buffer.from('abc'))).toString('hex')).toBe(abc);
});

/** Those that this machine runs; the others are left out aloud. */
const runnable = KERNEL_NAMES.filter((name) => {
  try {
    return createKernel(name);
  } catch (error) {
    process.stderr.write(`LEFT OUT: tests of the ${name} kernel (${(error as Error).message})\n`);
    return false;
  }
});

describe.each(runnable.map((name) => [name]))('kernel %s', (name: KernelName) => {
  const kernel = createKernel(name);
  const search = (puzzle: Puzzle) => new NonceSearch(kernel, puzzle);

  it('finds what node:crypto and @noble/hashes say is there, over random headers and nonces', () => {
    const random = fc.record({
      seed: fc.nat(),
      nonce1Bytes: fc.constantFrom(2, 3, 4, 5),
      nonce1: fc.nat(0xffff),
      start: fc.double({ min: 0, max: 0.999, noNaN: true }),
      count: fc.integer({ min: 1, max: 64 }),
      oneIn: fc.constantFrom(1, 2, 8, 100),
    });
    fc.assert(
      fc.property(random, ({ seed, nonce1Bytes, nonce1, start, count, oneIn }) => {
        const puzzle = puzzleOf(seed, { nonce1, nonce1Bytes, target: targetOneIn(oneIn) });
        const first = Math.floor(start * (nonce2Count(nonce1Bytes) - 64));
        expect(search(puzzle).scan(first, count, ALL)).toEqual({
          scanned: count,
          hits: expectedHits(puzzle, first, count),
        });
        expect(Buffer.from(blake2s(withNonce(puzzle, first))).equals(hashOf(puzzle, first))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('finds a single hit in every lane, at every alignment', () => {
    const puzzle = puzzleOf(1);
    for (let start = 0; start < LANES_TO_TRY; start++) {
      for (let lane = 0; lane < LANES_TO_TRY; lane++) {
        const target = hashOf(puzzle, start + lane);
        const expected = expectedHits({ ...puzzle, target }, start, LANES_TO_TRY);
        expect(search({ ...puzzle, target }).scan(start, LANES_TO_TRY, ALL).hits).toEqual(expected);
        expect(expected).toContain(start + lane);
      }
    }
  });

  it('finds several hits in one group of lanes and in one batch', () => {
    const puzzle = puzzleOf(2, { target: targetOneIn(2) });
    const { hits } = search(puzzle).scan(0, 4096, ALL);
    expect(hits).toEqual(expectedHits(puzzle, 0, 4096));
    expect(hits.length).toBeGreaterThan(1500);
  });

  it.each([
    ['the lowest word of nonce2', 2, 2 ** 32 - 9],
    ['the counted word, with three bytes of nonce1', 3, 2 ** 24 - 9],
    ['the counted word, with four bytes of nonce1', 4, 2 ** 16 - 9],
    ['the counted word, with five bytes of nonce1', 5, 2 ** 8 - 9],
    ['the highest bytes', 2, 2 ** 40 - 9],
    ['the sign of a 32-bit integer', 2, 2 ** 31 - 9],
  ])('goes on where %s wraps around', (_, nonce1Bytes, first) => {
    const puzzle = puzzleOf(3, {
      nonce1Bytes,
      nonce1: 2 ** (8 * nonce1Bytes) - 2,
      target: targetOneIn(2),
    });
    expect(search(puzzle).scan(first, 40, ALL).hits).toEqual(expectedHits(puzzle, first, 40));
  });

  it.each([2, 3, 4, 5])(
    'reaches the very last nonce2 with %i bytes of nonce1, and not beyond',
    (nonce1Bytes) => {
      const puzzle = puzzleOf(4, { nonce1Bytes });
      const first = nonce2Count(nonce1Bytes) - 10;
      expect(search(puzzle).scan(first, 10, ALL).hits).toEqual(expectedHits(puzzle, first, 10));
      expect(() => search(puzzle).scan(first, 11, ALL)).toThrow('beyond');
    },
  );

  it('takes hash = target, and not hash = target + 1', () => {
    for (let nonce2 = 0; nonce2 < 8; nonce2++) {
      const puzzle = puzzleOf(5);
      const target = Uint8Array.from(hashOf(puzzle, nonce2));
      expect(search({ ...puzzle, target }).scan(nonce2, 1, ALL).hits).toEqual([nonce2]);
      target[0] = (target[0] ?? 0) - 1;
      if (target[0] === 255) continue;
      expect(search({ ...puzzle, target }).scan(nonce2, 1, ALL).hits).toEqual([]);
    }
  });

  it('tells hashes apart that differ from the target below the top word only', () => {
    const puzzle = puzzleOf(6);
    for (const byte of [0, 4, 8, 12, 16, 20, 24, 27]) {
      const target = Uint8Array.from(hashOf(puzzle, 77));
      target[byte] = (target[byte] ?? 0) - 1;
      if (target[byte] === 255) target[byte] = 0;
      const expected = expectedHits({ ...puzzle, target }, 77, 1);
      expect(search({ ...puzzle, target }).scan(77, 1, ALL).hits).toEqual(expected);
    }
  });

  it('finds every nonce for a target of all ones and none for zero', () => {
    expect(search(puzzleOf(7)).scan(5, 37, ALL).hits).toEqual(Array.from({ length: 37 }, (_, i) => 5 + i));
    expect(search(puzzleOf(7, { target: new Uint8Array(32) })).scan(0, 2000, ALL)).toEqual({
      scanned: 2000,
      hits: [],
    });
  });

  it('stops at the limit of hits and says how far it came', () => {
    const puzzle = puzzleOf(8, { target: targetOneIn(4) });
    const all = expectedHits(puzzle, 0, 1000);
    const { scanned, hits } = search(puzzle).scan(0, 1000, 10);
    expect(hits).toEqual(all.slice(0, 10));
    expect(scanned).toBe((all[9] ?? 0) + 1);
    expect(search(puzzle).scan(scanned, 1000 - scanned, ALL).hits).toEqual(all.slice(10));
  });

  it('finds the nonces of real headers', { tags: ['vectors'] }, () => {
    const { headers } = readVectors<Vectors>('headers');
    const mined = headers.map(({ hex286 }) => Uint8Array.from(Buffer.from(hex286, 'hex'))).filter(isMined);
    expect(mined.length).toBeGreaterThan(100);
    for (const header of mined) {
      const nonce = viewOf(header).getBigUint64(278, true);
      const nonce2 = Number(nonce >> 16n);
      const puzzle = {
        header,
        target: header.slice(158, 190),
        nonce1: Number(nonce & 0xffffn),
        nonce1Bytes: 2,
      };
      const first = Math.max(0, nonce2 - 20);
      const count = Math.min(40, nonce2Count(2) - first);
      const { hits } = search(puzzle).scan(first, count, ALL);
      expect(hits).toEqual(expectedHits(puzzle, first, count));
      expect(hits).toContain(nonce2);
    }
  });
});

function isMined(header: Uint8Array): boolean {
  return (
    header.length === HEADER_BYTES && compareLittleEndian(cryptoHash(header), header.slice(158, 190)) <= 0
  );
}

describe('a puzzle of wrong sizes', () => {
  it.each([
    [{ header: new Uint8Array(285) }, 'a header has 286 bytes, not 285'],
    [{ target: new Uint8Array(31) }, 'a target has 32 bytes, not 31'],
    [{ nonce1Bytes: 1 }, 'nonce1 has 2 to 5 bytes, not 1'],
    [{ nonce1Bytes: 6 }, 'nonce1 has 2 to 5 bytes, not 6'],
    [{ nonce1: 65_536 }, 'nonce1 is an unsigned integer of 2 bytes, not 65536'],
  ])('is refused: %j', (overrides, message) => {
    expect(() => new NonceSearch(createKernel('scalar'), puzzleOf(9, overrides))).toThrow(message);
  });
});
