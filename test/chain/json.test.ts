import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactJson } from '../../src/chain/json.js';

/** As JSON.stringify, with bigints as bare integers. */
function write(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map(write).join(' , ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${write(inner)}`)}}`;
}

/** The same with texts of digits for bigints. */
function read(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(read);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, read(inner)]));
}

const unsafe = fc
  .bigInt({ min: -(2n ** 70n), max: 2n ** 70n })
  .filter((n) => !Number.isSafeInteger(Number(n)));
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    unsafe,
    fc.integer(),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.constant(null),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '"12345678901234567890"',
      '\\',
      '\\"',
      '\ue000',
      '\ue000-5',
      '\\ue001',
      '12345678901234567890',
      '[-12345678901234567890,12345678901234567890 , 12345678901234567890]',
    ),
    fc.array(tie('tree')),
    fc.dictionary(fc.string(), tie('tree')),
  ),
}));

describe('exact JSON', () => {
  it('reads what was written, integers of any size included', () => {
    fc.assert(fc.property(tree, (value) => void expect(parseExactJson(write(value))).toEqual(read(value))));
  });

  it('reads any text as JSON.parse does, where no long integer stands in it', () => {
    const texts = fc.oneof(fc.json(), fc.string({ unit: 'binary', maxLength: 15 }));
    const outcome = (parse: (text: string) => unknown, text: string): unknown => {
      try {
        return { value: parse(text) };
      } catch (error) {
        return (error as Error).name;
      }
    };
    fc.assert(
      fc.property(texts, (text) => {
        fc.pre(!/\d{16}/.test(text));
        expect(outcome(parseExactJson, text)).toEqual(outcome(JSON.parse, text));
      }),
    );
  });

  it.each([
    ['-4683248684880063035', '-4683248684880063035'],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', '9007199254740992'],
    ['1234567890123456.5', 1234567890123456.5],
    ['0.12345678901234567890', '0.12345678901234567890'],
    ['0.1234567890123450000000', 0.123456789012345],
    ['8900.123456789001', '8900.123456789001'],
    ['8900.123456789002', 8900.123456789002],
    ['8.900123456789001e3', '8.900123456789001e3'],
    ['1.000000012345678e7', 10000000.12345678],
    ['1e400', Number.POSITIVE_INFINITY],
    ['1234567890123456e3', 1234567890123456000],
  ])('%s', (text, value) => expect(parseExactJson(text)).toBe(value));

  it.each(['012345678901234567890', '{12345678901234567890:1}', '[12345678901234567890x]', '-'])(
    'refuses %s, which is no JSON',
    (text) => expect(() => parseExactJson(text)).toThrow(SyntaxError),
  );

  it('lets strings be that look like JSON', () => {
    const texts = [
      '[12345678901234567890]',
      '[-12345678901234567890,12345678901234567890, 12345678901234567890]',
      ':12345678901234567890,',
      '"',
      '\\',
      '12345678901234567890',
    ];
    expect(parseExactJson(JSON.stringify([texts, 1]).replace(',1]', ',12345678901234567890]'))).toEqual([
      texts,
      '12345678901234567890',
    ]);
  });
});
