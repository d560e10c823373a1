/** Which encoding of headers a client accepts (interface 4.3). */
import { BYTES_TYPE, type Encoding, JSON_TYPE, OBJECT_TYPE } from '../../chain/endpoint.js';
import { RequestError } from './errors.js';

/** The first accepted encoding among those offered, by quality; 406 when there is none. */
export function chooseEncoding(accept: string | undefined, offered: readonly Encoding[]): Encoding {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? JSON_TYPE;
  const ranges = accept.split(',').map(readRange);
  ranges.sort((a, b) => b.quality - a.quality);
  for (const range of ranges) {
    const found = range.quality > 0 ? offered.find((encoding) => matches(range, encoding)) : undefined;
    if (found !== undefined) return found;
  }
  throw new RequestError(
    406,
    `Accept asks for ${accept.slice(0, 200)}; what there is: ${offered.join(', ')}`,
  );
}

interface Range {
  readonly type: string;
  /** Value of the parameter `blockheader-encoding`. */
  readonly encoding: string | undefined;
  readonly quality: number;
}

function readRange(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  // A value in quotation marks is the same without them (RFC 9110, 5.6.6).
  const parameter = (name: string): string | undefined =>
    parameters
      .find((one) => one.startsWith(`${name}=`))
      ?.slice(name.length + 1)
      .replace(/^"(.*)"$/, '$1');
  const quality = Number(parameter('q') ?? 1);
  return { type, encoding: parameter('blockheader-encoding'), quality: Number.isNaN(quality) ? 0 : quality };
}

function matches({ type, encoding }: Range, offered: Encoding): boolean {
  if (type === '*/*') return offered === JSON_TYPE;
  if (type === BYTES_TYPE) return offered === BYTES_TYPE;
  if (type !== JSON_TYPE && type !== 'application/*') return false;
  return encoding === undefined ? offered === JSON_TYPE : offered === OBJECT_TYPE && encoding === 'object';
}
