/** Pictures of few colours as small PNG files. */
import { crc32, deflateSync } from 'node:zlib';

/** `pixels` has red, green, blue and alpha of each, a byte each, row by row; alpha is not kept. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
const INDEXED = 3;

/** With a palette of so many of the commonest colours, at most 256; every other one becomes the one of them that is next to it. */
export function palettePng({ width, height, pixels }: Picture, colours: number): Buffer {
  const counts = coloursOf(pixels);
  const palette = commonest(counts, colours);
  const places = new Map<number, number>();
  for (const colour of counts.keys()) places.set(colour, nearest(palette, colour));
  // Each row begins with its filter: none.
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      rows[y * (width + 1) + 1 + x] = places.get(colourAt(pixels, y * width + x)) ?? 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, INDEXED], 8);
  const table = Buffer.from(palette.flatMap(partsOf));
  const data = deflateSync(rows, { level: 9 });
  return Buffer.concat([
    SIGNATURE,
    ...[chunk('IHDR', head), chunk('PLTE', table), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))],
  ]);
}

/** Colour -> pixels. */
function coloursOf(pixels: Uint8Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (let i = 0; i < pixels.length / 4; i++) {
    const colour = colourAt(pixels, i);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  return counts;
}

function colourAt(pixels: Uint8Array, i: number): number {
  const [red = 0, green = 0, blue = 0] = [pixels[4 * i], pixels[4 * i + 1], pixels[4 * i + 2]];
  return (red << 16) | (green << 8) | blue;
}

/** First one of each kind of colour, so that no shades of text push out a small thing of another colour; then what is common besides. */
function commonest(counts: ReadonlyMap<number, number>, colours: number): number[] {
  const sorted = [...counts].sort(([, a], [, b]) => b - a).map(([colour]) => colour);
  const kinds = new Map<number, number>();
  for (const colour of sorted) if (!kinds.has(kindOf(colour))) kinds.set(kindOf(colour), colour);
  return [...new Set([...kinds.values(), ...sorted])].slice(0, colours);
}

/** By the first three bits of each of its parts. */
function kindOf(colour: number): number {
  return colour & 0xe0e0e0;
}

function nearest(palette: readonly number[], colour: number): number {
  const parts = partsOf(colour);
  let [best, distance] = [0, Number.POSITIVE_INFINITY];
  for (const [place, other] of palette.entries()) {
    const far = partsOf(other).reduce((sum, part, i) => sum + (part - (parts[i] ?? 0)) ** 2, 0);
    if (far < distance) [best, distance] = [place, far];
  }
  return best;
}

function partsOf(colour: number): number[] {
  return [colour >> 16, (colour >> 8) & 0xff, colour & 0xff];
}

function chunk(type: string, data: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
