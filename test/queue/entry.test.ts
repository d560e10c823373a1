import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { storable } from '../../src/core/names.js';
import { REJECTIONS } from '../../src/core/share.js';
import {
  decodeEntry,
  EntryFormatError,
  EntryVersionError,
  encodeEntry,
  entryKey,
} from '../../src/queue/entry.js';
import { makeShare } from '../helpers/shares.js';

/** A job id means one job. */
const jobs = fc.uniqueArray(
  fc.record({
    jobId: fc.string({ maxLength: 8 }),
    chainId: fc.nat(),
    height: fc.nat(),
    blockDifficulty: fc.bigInt(1n, 1n << 256n),
  }),
  { minLength: 1, maxLength: 5, selector: ({ jobId }) => jobId },
);
const shares = jobs.chain((jobs) =>
  fc.array(
    fc
      .record({
        job: fc.constantFrom(...jobs),
        account: fc.string({ maxLength: 20 }),
        rig: fc.string({ maxLength: 20 }),
        difficulty: fc.bigInt(1n, 1n << 256n),
        acceptedAtMs: fc.nat(),
      })
      .map(({ job, ...share }) => ({ ...share, ...job })),
    { maxLength: 30 },
  ),
);
const rejections = fc.array(
  fc.record({
    account: fc.constantFrom('a', 'b'),
    rig: fc.constant(''),
    reason: fc.constantFrom(...REJECTIONS),
    sinceMs: fc.nat(),
    submits: fc.nat(),
    work: fc.bigInt(0n, 1n << 300n),
  }),
);
const id = fc.record({ producer: fc.uuid(), number: fc.integer({ min: 1 }) });

describe('entry', () => {
  it('is the same after JSON and back', () => {
    fc.assert(
      fc.property(id, shares, rejections, (id, shares, rejections) => {
        const clean = shares.map((share) => ({
          ...share,
          account: storable(share.account, 512),
          rig: storable(share.rig, 512),
        }));
        const text = JSON.stringify(encodeEntry({ id, shares, rejections }));
        expect(decodeEntry(JSON.parse(text))).toEqual({ id, shares: clean, rejections });
      }),
    );
  });

  it('says names and jobs once', () => {
    const id = { producer: '00000000-0000-4000-8000-000000000000', number: 3 };
    const encoded = encodeEntry({
      id,
      shares: [makeShare(), makeShare({ rig: 'r2' }), makeShare()],
      rejections: [],
    });
    expect(encoded).toMatchObject({
      miners: [
        ['k:a', 'r1'],
        ['k:a', 'r2'],
      ],
      jobs: [['1f', 3, 7, '1000000']],
    });
    expect(entryKey(id)).toBe('00000000-0000-4000-8000-000000000000-3');
  });

  it('reads rejections of before their work was counted', () => {
    const id: [string, number] = ['00000000-0000-4000-8000-000000000000', 1];
    const old = { v: 1, id, miners: [['a', 'r']], jobs: [], shares: [], rejections: [[0, 'stale', 5, 2]] };
    expect(decodeEntry(old).rejections).toEqual([
      { account: 'a', rig: 'r', reason: 'stale', sinceMs: 5, submits: 2, work: 0n },
    ]);
  });

  it('holds no text that PostgreSQL would refuse', () => {
    const id = { producer: '00000000-0000-4000-8000-000000000000', number: 1 };
    const encoded = encodeEntry({
      id,
      shares: [makeShare({ account: 'a\0b', rig: `\ud800${'x'.repeat(600)}` })],
      rejections: [],
    });
    expect(encoded.miners[0]?.[0]).toBe('a\ufffdb');
    expect(encoded.miners[0]?.[1]).toBe(`\ufffd${'x'.repeat(511)}`);
  });

  it('R18: is read with as many shares and rejections as one may ever hold, each of another rig', () => {
    const id = { producer: '00000000-0000-4000-8000-000000000000', number: 1 };
    const shares = Array.from({ length: 10_000 }, (_, i) => makeShare({ rig: `s${i}`, jobId: `j${i}` }));
    const rejections = Array.from({ length: 5000 }, (_, i) => {
      return { account: 'a', rig: `n${i}`, reason: 'stale', sinceMs: i, submits: 1, work: 0n } as const;
    });
    const nobodys = REJECTIONS.map((reason) => ({ ...rejections[0], account: '', rig: '', reason }) as never);
    const entry = { id, shares, rejections: [...rejections, ...nobodys] };
    expect(decodeEntry(JSON.parse(JSON.stringify(encodeEntry(entry))))).toEqual(entry);
  });

  it('B10: is told from one of a later version, and no reason of a later version makes it unreadable', () => {
    const good = encodeEntry({
      id: { producer: '00000000-0000-4000-8000-000000000000', number: 1 },
      shares: [makeShare()],
      rejections: [],
    });
    expect(() => decodeEntry({ ...good, v: 2, shares: 'packed' })).toThrow(EntryVersionError);
    const later = { ...good, rejections: [[0, 'tooPretty', 5, 2, '7']] };
    expect(decodeEntry(later).rejections).toMatchObject([{ reason: 'tooPretty', submits: 2 }]);
  });

  it('refuses everything else in words', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => decodeEntry(value)).toThrow(EntryFormatError);
      }),
    );
    const good = encodeEntry({
      id: { producer: '00000000-0000-4000-8000-000000000000', number: 1 },
      shares: [makeShare()],
      rejections: [],
    });
    expect(() => decodeEntry({ ...good, miners: [] })).toThrow('no miner 0');
    expect(() => decodeEntry({ ...good, shares: [[0, 0, '-5', 1]] })).toThrow(/shares/);
  });
});
