import { inflateSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { palettePng } from './palette-png.js';

/** Data of each part, by its name. */
function partsOf(png: Buffer): Record<string, Buffer> {
  const parts: Record<string, Buffer> = {};
  for (let at = 8; at < png.length; ) {
    const end = at + 8 + png.readUInt32BE(at);
    parts[png.toString('latin1', at + 4, at + 8)] = png.subarray(at + 8, end);
    at = end + 4;
  }
  return parts;
}

it('a picture keeps its commonest colours, and others become the next of them', () => {
  const [red, green, reddish] = [
    [255, 0, 0, 255],
    [0, 255, 0, 255],
    [250, 9, 9, 255],
  ];
  const pixels = Uint8Array.from([red, red, green, green, reddish, red].flatMap((colour) => colour ?? []));
  const shown = (colours: number): number[][] => {
    const { PLTE, IDAT, IHDR } = partsOf(palettePng({ width: 3, height: 2, pixels }, colours));
    expect([IHDR?.readUInt32BE(0), IHDR?.readUInt32BE(4)]).toEqual([3, 2]);
    const rows = inflateSync(IDAT ?? Buffer.alloc(0));
    // A row is its filter and three places in the palette.
    const places = [1, 2, 3, 5, 6, 7].map((at) => rows[at] ?? 0);
    return places.map((place) => [...(PLTE?.subarray(3 * place, 3 * place + 3) ?? [])]);
  };
  const exactly = [red, red, green, green, reddish, red].map((colour) => colour?.slice(0, 3));
  expect(shown(3)).toEqual(exactly);
  expect(shown(2)).toEqual(exactly.with(4, [255, 0, 0]));
});

it('a small thing keeps its colour beside many shades of another', () => {
  const greys = Array.from({ length: 250 }, (_, i) => [i, i, i, 255]);
  const pixels = Uint8Array.from([...greys, ...greys, [20, 120, 60, 255], [0, 0, 0, 255]].flat());
  const { PLTE = Buffer.alloc(0) } = partsOf(palettePng({ width: 251, height: 2, pixels }, 64));
  expect(PLTE.toString('hex').match(/.{6}/g)).toContain('14783c');
});
