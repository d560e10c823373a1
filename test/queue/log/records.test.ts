/** Records of the share log: what was written is read, and what is damaged costs itself alone. */
import { randomUUID } from 'node:crypto';
import { crc32 as crcOfZlib } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../../src/queue/log/crc32.js';
import {
  type Cut,
  type LoggedShare,
  RecordWriter,
  readRecords,
  type SegmentHead,
} from '../../../src/queue/log/records.js';

type Seen =
  | { share: LoggedShare }
  | { name: [number, string, string] }
  | { cut: Cut }
  | { solution: string }
  | { segment: SegmentHead }
  | { damaged: number };

function read(bytes: Buffer): { seen: Seen[]; end: number } {
  const seen: Seen[] = [];
  const end = readRecords(bytes, {
    share: (share) => void seen.push({ share }),
    name: (...name) => void seen.push({ name }),
    cut: (cut) => void seen.push({ cut }),
    solution: (solution) => void seen.push({ solution }),
    segment: (segment) => void seen.push({ segment }),
    damaged: (damaged) => void seen.push({ damaged }),
  });
  return { seen, end };
}

function write(records: readonly Seen[]): { bytes: Buffer; ends: number[] } {
  const writer = new RecordWriter(16);
  const ends = records.map((one) => {
    if ('share' in one) {
      const { name, acceptedAtMs, difficulty, expected, best } = one.share;
      writer.share(name, acceptedAtMs, difficulty, expected, best);
    } else if ('name' in one) writer.name(...one.name);
    else if ('cut' in one) writer.cut(one.cut);
    else if ('solution' in one) writer.solution(one.solution);
    else if ('segment' in one) writer.segment(one.segment);
    return writer.length;
  });
  return { bytes: Buffer.from(writer.written), ends };
}

const u32 = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const position = fc.record({ segment: u32, offset: u32 });
const number = fc.double({ noNaN: true });
const record: fc.Arbitrary<Seen> = fc.oneof(
  fc
    .record({
      ...{ name: u32, acceptedAtMs: number, best: number },
      difficulty: fc.oneof(fc.bigInt(1n, 2n ** 64n), fc.bigInt(1n, 2n ** 256n - 1n)),
      expected: fc.bigInt(0n, 10n ** 18n),
    })
    .map((share) => ({ share })),
  fc.tuple(u32, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })).map((name) => ({ name })),
  fc.string({ unit: 'grapheme' }).map((solution) => ({ solution })),
  fc
    .record({
      ...{
        number,
        watermarkMs: number,
        ownShares: number,
        ownWork: fc.bigInt(0n, 2n ** 300n),
        shares: number,
        ends: fc.boolean(),
      },
      ...{ work: fc.bigInt(0n, 2n ** 320n - 1n), from: position, to: position },
    })
    .map((cut) => ({ cut })),
  fc.record({ version: fc.nat(65_535), log: fc.uuid(), number: u32 }).map((segment) => ({ segment })),
);

describe('records of the share log', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.array(record), (records) => {
        const { bytes } = write(records);
        expect(read(bytes)).toEqual({ seen: records, end: bytes.length });
      }),
    );
  });

  it('B12: lose a damaged one alone, wherever the damage is, also two of them', () => {
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 6 }),
        fc.array(fc.record({ at: fc.nat(), flip: fc.integer({ min: 1, max: 255 }) }), {
          minLength: 1,
          maxLength: 2,
        }),
        (records, damages) => {
          const { bytes, ends } = write(records);
          const hit = new Set<number>();
          const damaged = Buffer.from(bytes);
          for (const { at, flip } of damages) {
            const place = at % bytes.length;
            damaged[place] = (damaged[place] ?? 0) ^ flip;
          }
          for (const [i, end] of ends.entries()) {
            const start = ends[i - 1] ?? 0;
            if (!damaged.subarray(start, end).equals(bytes.subarray(start, end))) hit.add(i);
          }
          const { seen } = read(damaged);
          expect(seen.filter((one) => !('damaged' in one))).toEqual(records.filter((_, i) => !hit.has(i)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('end where a write was cut short', () => {
    const { bytes, ends } = write([{ name: [0, 'k:a', 'r1'] }, { name: [1, 'k:a', 'r2'] }]);
    for (let length = 0; length < bytes.length; length++) {
      const whole = length < (ends[0] ?? 0) ? 0 : (ends[0] ?? 0);
      expect(read(bytes.subarray(0, length)).end).toBe(whole);
    }
  });

  it('are read from any bytes without an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(read(Buffer.from(bytes)).end).toBeLessThanOrEqual(bytes.length);
      }),
    );
  });

  it('are never found in what a rig is called', () => {
    const { bytes } = write([{ name: [0, randomUUID(), 'x'] }]);
    const { bytes: disguised } = write([{ name: [7, bytes.toString('latin1'), bytes.toString('utf8')] }]);
    disguised[3] = 0;
    expect(read(disguised).seen).toEqual([]);
  });

  it('are checked as zlib does it', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(crc32(bytes, 0, bytes.length)).toBe(crcOfZlib(bytes));
      }),
    );
  });
});
