/** Frames of WebSockets as a server reads and writes them, by RFC 6455. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textFrame } from '../../src/wire/frames.js';
import { readFrames } from '../helpers/rigs/read-frames.js';

const [MORE, TEXT, BINARY, CLOSE, PING, PONG] = [0, 1, 2, 8, 9, 10];
const MASK = Buffer.from([1, 2, 3, 254]);

interface FrameOptions {
  readonly isLast?: boolean;
  readonly isMasked?: boolean;
}

/** As a client sends it. */
function frame(opcode: number, payload: string | Buffer, options: FrameOptions = {}): Buffer {
  const { isLast = true, isMasked = true } = options;
  const bytes = Buffer.from(payload);
  const size = bytes.length;
  const length =
    size <= 125
      ? [size]
      : size < 65_536
        ? [126, size >> 8, size & 0xff]
        : [127, 0, 0, 0, 0, size >>> 24, (size >> 16) & 0xff, (size >> 8) & 0xff, size & 0xff];
  const [short = 0, ...more] = length;
  const head = [(isLast ? 0x80 : 0) | opcode, (isMasked ? 0x80 : 0) | short, ...more];
  const masked = bytes.map((byte, i) => (isMasked ? byte ^ (MASK[i & 3] ?? 0) : byte));
  return Buffer.concat([Buffer.from(head), ...(isMasked ? [MASK] : []), masked]);
}

function cut(bytes: Buffer, step: number): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) =>
    bytes.subarray(i * step, (i + 1) * step),
  );
}

describe('frames of a client', () => {
  it('come as messages, whole or in pieces, however they are cut', () => {
    const message = fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 4 }), fc.integer({ min: 1, max: 9 }), (all, step) => {
        const bytes: Buffer[] = [];
        const heard: string[] = [];
        for (const [i, pieces] of all.entries())
          for (const [j, piece] of pieces.entries()) {
            const isLast = j === pieces.length - 1;
            bytes.push(frame(j === 0 ? TEXT : MORE, piece, { isLast }), frame(PING, 'x'));
            heard.push(...(isLast ? [`message ${pieces.join('')}`] : []), 'ping x');
            const known = readFrames(cut(Buffer.concat(bytes), step));
            expect(known).toEqual({ heard, open: isLast ? undefined : i });
          }
      }),
      { numRuns: 50 },
    );
  });

  it.each([0, 125, 126, 8192])('may have messages of %d bytes, as bytes too', (size) => {
    const text = 'x'.repeat(size);
    expect(readFrames([frame(TEXT, text)])).toEqual({ heard: [`message ${text}`], open: undefined });
    expect(readFrames([frame(BINARY, text)]).heard).toEqual([`message ${text}`]);
  });

  it('are begun from their first byte to their last', () => {
    const bytes = frame(TEXT, 'hello');
    for (let length = 1; length < bytes.length; length++)
      expect(readFrames([bytes.subarray(0, length)]).open).toBe(0);
    expect(readFrames([bytes, bytes.subarray(0, 1)]).open).toBe(1);
    expect(readFrames([frame(PING, '').subarray(0, 3)]).open).toBeUndefined();
    expect(readFrames([frame(TEXT, 'a', { isLast: false }), frame(PING, '').subarray(0, 3)]).open).toBe(0);
  });

  it('may be pings, pongs and a close', () => {
    const bytes = [frame(PING, 'a'), frame(PONG, ''), frame(CLOSE, Buffer.from([3, 232]))];
    expect(readFrames(bytes).heard).toEqual(['ping a', 'pong', 'close 03e8']);
  });

  it.each([
    ['no mask', frame(TEXT, 'a', { isMasked: false }), 1002],
    ['an unknown opcode', frame(3, 'a'), 1002],
    ['an unknown control opcode', frame(11, ''), 1002],
    ['a reserved bit', frame(0x41, 'a'), 1002],
    ['a ping in pieces', frame(PING, '', { isLast: false }), 1002],
    ['a long ping', frame(PING, 'x'.repeat(126)), 1002],
    ['a piece of nothing', frame(MORE, 'a'), 1002],
    [
      'a message within another',
      Buffer.concat([frame(TEXT, 'a', { isLast: false }), frame(TEXT, 'b')]),
      1002,
    ],
    ['no UTF-8', frame(TEXT, Buffer.from([0xff])), 1007],
    ['too many bytes', frame(TEXT, 'x'.repeat(8193)), 1009],
    ['far too many bytes', Buffer.from([0x81, 0xff, 0x7f, ...Array<number>(7).fill(0xff)]), 1009],
    [
      'too many bytes in pieces',
      Buffer.concat([frame(TEXT, 'x'.repeat(5000), { isLast: false }), frame(MORE, 'x'.repeat(5000))]),
      1009,
    ],
    [
      'too many pieces',
      Buffer.concat(
        Array.from({ length: 16 }, (_, i) => frame(i === 0 ? TEXT : MORE, 'x', { isLast: false })),
      ),
      1008,
    ],
  ])('that have %s are told once, and nothing more is read', (_what, bytes, code) => {
    const after = frame(TEXT, 'after');
    for (const step of [1, 7, bytes.length]) {
      const { heard, open } = readFrames([...cut(bytes, step), after]);
      expect(heard).toEqual([expect.stringMatching(`^${code} [a-z].* `)]);
      expect(open).toBeUndefined();
    }
  });
});

describe('a frame of a server', () => {
  it.each([0, 125, 126, 65_535, 65_536])('holds a text of %d bytes for any client', (size) => {
    const text = 'x'.repeat(size);
    const bytes = textFrame(text);
    expect(bytes.subarray(bytes.length - size).toString()).toBe(text);
    expect(bytes.length - size).toBe(size <= 125 ? 2 : size < 65_536 ? 4 : 10);
  });
});
