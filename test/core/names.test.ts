import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NAME_BYTES, nameFault, printable, storable } from '../../src/core/names/names.js';

describe('names', () => {
  it('R1: are taken up to so many bytes of UTF-8, and refused in words beyond', () => {
    for (const [part, bytes] of Object.entries(NAME_BYTES)) {
      const named = (text: string) => ({ account: 'a', rig: '', [part]: text });
      expect(nameFault(named('x'.repeat(bytes)))).toBeUndefined();
      expect(nameFault(named('鉱'.repeat(Math.floor(bytes / 3))))).toBeUndefined();
      expect(nameFault(named('x'.repeat(bytes + 1)))).toContain(`at most ${bytes} bytes`);
      expect(nameFault(named('鉱'.repeat(bytes / 2)))).toContain(`the name of the ${part}`);
    }
  });

  it.each([
    ['A10', 'half of a character', 'a\ud800'],
    ['A10', 'the other half', '\udc00a'],
    ['R18', 'an escape sequence', 'a\u001b[2J'],
    ['B8', 'a NUL', 'a\0b'],
    ['R1', 'a line end', 'a\nb'],
    ['R1', 'a control character of the second set', 'a\u009b'],
    ['R1', 'a delete', 'a\u007f'],
  ])('%s: are refused with %s in them', (_id, _what, text) => {
    expect(nameFault({ account: text, rig: '' })).toContain('control character');
    expect(nameFault({ account: 'a', rig: text })).toContain('control character');
  });

  it('may hold anything that people write', () => {
    for (const account of ['k:0123abcdef', 'café', '鉱山', 'פועל', 'a b', '😀', "o'; DROP", '../x', ''])
      expect(nameFault({ account, rig: account })).toBeUndefined();
  });

  it('are made storable and printable whatever they hold, and good ones stay as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(nameFault({ account: '', rig: storable(text, 16) })).toBeUndefined();
        // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
        expect(printable(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        if (nameFault({ account: '', rig: text }) === undefined) expect(storable(text, 64)).toBe(text);
      }),
    );
    expect(printable('a\u001b[2Jb\u202ec\ud800')).toBe('a\\u{1b}[2Jb\\u{202e}c\\u{d800}');
  });
});
