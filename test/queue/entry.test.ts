import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FINAL_STATES, type ShareEntry, type SolutionWord, type WorkSum } from '../../src/bridge/ports.js';
import { storable } from '../../src/core/names/names.js';
import { REJECTIONS } from '../../src/core/shares/rejections.js';
import { HEADER_BYTES } from '../../src/core/work/header.js';
import {
  decodeEntry,
  EntryFormatError,
  EntryVersionError,
  encodeEntry,
  entryIdOf,
  entryKey,
} from '../../src/queue/shipping/entry.js';

const ID = { log: '00000000-0000-4000-8000-000000000000', number: 1 };

function makeSum(fields: Partial<WorkSum> = {}): WorkSum {
  const rig = { account: 'k:a', rig: 'r1', slot: 170_000_000, kind: 'accepted' } as const;
  return { ...rig, submits: 3, work: 3000n, expected: 21n * 10n ** 14n, best: 5123.5, ...fields };
}

function makeEntry(sums: readonly WorkSum[]): ShareEntry {
  return {
    id: ID,
    watermarkMs: 1_700_000_000_000,
    ends: false,
    total: { shares: 3, work: 3000n },
    sums,
    solutions: [],
  };
}

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

const words: fc.Arbitrary<SolutionWord> = fc.record({
  log: fc.uuid(),
  state: fc.constantFrom('found', ...FINAL_STATES),
  detail: fc.string({ maxLength: 20 }).map((text) => storable(text, 512)),
  solution: fc.record({
    node: fc.constant('http://node:1848'),
    header: bytes(HEADER_BYTES),
    powHash: bytes(32),
    blockDifficulty: fc.bigInt(1n, 1n << 256n),
    account: fc.string({ maxLength: 20 }),
    rig: fc.string({ maxLength: 20 }),
    foundAtMs: fc.nat(),
  }),
});

const entries: fc.Arbitrary<ShareEntry> = fc.record({
  id: fc.record({ log: fc.uuid(), number: fc.integer({ min: 1 }) }),
  watermarkMs: fc.double({ noNaN: true, noDefaultInfinity: true }).map((ms) => ms + 0),
  ends: fc.boolean(),
  total: fc.record({ shares: fc.nat(), work: fc.bigInt(0n, 1n << 300n) }),
  sums: fc.array(
    fc.record({
      account: fc.string({ maxLength: 20 }),
      rig: fc.string({ maxLength: 20 }),
      slot: fc.nat(),
      kind: fc.constantFrom('accepted' as const, ...REJECTIONS),
      submits: fc.nat(),
      work: fc.bigInt(0n, 1n << 300n),
      expected: fc.bigInt(0n, 1n << 80n),
      best: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }).map((best) => best + 0),
    }),
    { maxLength: 30 },
  ),
  solutions: fc.array(words, { maxLength: 3 }),
});

describe('entry', () => {
  it('is the same after JSON and back', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const clean = entry.sums.map((sum) => {
          return { ...sum, account: storable(sum.account, 512), rig: storable(sum.rig, 512) };
        });
        const text = JSON.stringify(encodeEntry(entry));
        expect(decodeEntry(JSON.parse(text))).toEqual({ ...entry, sums: clean });
      }),
    );
  });

  it('says names once, and is named by its log and number', () => {
    const encoded = encodeEntry(makeEntry([makeSum(), makeSum({ rig: 'r2' }), makeSum({ kind: 'stale' })]));
    const rest = [3, '3000', '2100000000000000', 5123.5];
    expect(encoded).toMatchObject({
      rigs: [
        ['k:a', 'r1'],
        ['k:a', 'r2'],
      ],
      sums: [
        [0, 170_000_000, 0, ...rest],
        [1, 170_000_000, 0, ...rest],
        [0, 170_000_000, 1, ...rest],
      ],
    });
    const id = { ...ID, number: 3 };
    expect(entryKey(id)).toBe('00000000-0000-4000-8000-000000000000-3');
    expect(entryIdOf(entryKey(id))).toEqual(id);
    expect(entryIdOf('something else')).toBeUndefined();
  });

  it('holds no text that PostgreSQL would refuse', () => {
    const encoded = encodeEntry(makeEntry([makeSum({ account: 'a\0b', rig: `\ud800${'x'.repeat(600)}` })]));
    expect(encoded.rigs).toEqual([['a\ufffdb', `\ufffd${'x'.repeat(511)}`]]);
  });

  it('R18: is read with as many sums as a full segment and all rejections make, each of another rig', () => {
    const sums = Array.from({ length: 95_000 }, (_, i) => makeSum({ rig: `s${i}` }));
    const entry = makeEntry(sums);
    expect(decodeEntry(JSON.parse(JSON.stringify(encodeEntry(entry))))).toEqual(entry);
  });

  it('B10: is told from one of a later version, and no reason of a later version makes it unreadable', () => {
    const good = encodeEntry(makeEntry([makeSum()]));
    expect(() => decodeEntry({ ...good, v: 4, sums: 'packed' })).toThrow(EntryVersionError);
    const later = { ...good, sums: [[0, 5, 'tooPretty', 2, '7', '0', 0]] };
    expect(decodeEntry(later).sums).toMatchObject([{ kind: 'tooPretty', submits: 2, work: 7n }]);
    const sent = encodeEntry(makeEntry([makeSum({ kind: 'tooPretty' as never })]));
    expect(decodeEntry(sent).sums).toMatchObject([{ kind: 'tooPretty' }]);
  });

  it('refuses everything else in words', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => decodeEntry(value)).toThrow(EntryFormatError);
      }),
    );
    const good = encodeEntry(makeEntry([makeSum()]));
    expect(() => decodeEntry({ ...good, rigs: [] })).toThrow('no rig 0');
    for (const bad of [
      [0, 1, 9, 1, '1', '0', 1],
      [0, 1, 0, 1, '-5', '0', 1],
      [0, 1, 0, 1, '1', '0', -1],
      [0, 1, 0, 1, '1', '0'],
    ])
      expect(() => decodeEntry({ ...good, sums: [bad] })).toThrow(/sums/);
  });
});
