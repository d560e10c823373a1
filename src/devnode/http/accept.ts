/** Which encoding of headers a client accepts (interface 4.3). */
import { RequestError } from './errors.js';

export type HeaderEncoding = 'text' | 'object' | 'bytes';

export const CONTENT_TYPES: Readonly<Record<HeaderEncoding, string>> = {
  text: 'application/json',
  object: 'application/json;blockheader-encoding=object',
  bytes: 'application/octet-stream',
};

/** The first accepted encoding among those offered, by quality; 406 when there is none. */
export function chooseEncoding(
  accept: string | undefined,
  offered: readonly HeaderEncoding[],
): HeaderEncoding {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? 'text';
  const ranges = accept.split(',').map(readRange);
  ranges.sort((a, b) => b.quality - a.quality);
  for (const range of ranges) {
    const found = range.quality > 0 ? offered.find((encoding) => matches(range, encoding)) : undefined;
    if (found !== undefined) return found;
  }
  const types = offered.map((encoding) => CONTENT_TYPES[encoding]).join(', ');
  throw new RequestError(406, `Accept asks for ${accept.slice(0, 200)}; what there is: ${types}`);
}

interface Range {
  readonly type: string;
  /** Value of the parameter `blockheader-encoding`. */
  readonly encoding: string | undefined;
  readonly quality: number;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const parameter = (name: string): string | undefined =>
    parameters.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
  const quality = Number(parameter('q') ?? 1);
  return { type, encoding: parameter('blockheader-encoding'), quality: Number.isNaN(quality) ? 0 : quality };
}

function matches({ type, encoding }: Range, offered: HeaderEncoding): boolean {
  if (type === '*/*') return offered !== 'bytes' && offered !== 'object';
  if (type === 'application/octet-stream') return offered === 'bytes';
  if (type !== 'application/json' && type !== 'application/*') return false;
  return encoding === undefined ? offered === 'text' : offered === 'object' && encoding === 'object';
}
