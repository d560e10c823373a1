/** Whatever comes is read or refused: decimals, JSON, commands, code. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amountOf,
  compareDecimals,
  decimalJson,
  decimalText,
  parseDecimal,
  unitsOf,
} from '../../../src/core/money/decimal.js';
import { NOBODY } from '../../../src/devnode/coin/accounts.js';
import { NumberText, parseJson, readValue, type Value, valueJson } from '../../../src/devnode/coin/codec.js';
import { type Command, readCommand, readEnvelope } from '../../../src/devnode/coin/command.js';
import { runLocal, runPreflight } from '../../../src/devnode/coin/local.js';
import { brokenSignature } from '../../../src/devnode/coin/signatures.js';
import { readCode } from '../../../src/devnode/coin/syntax.js';
import { command } from '../../helpers/processes/commands.js';
import { keyPair } from '../../helpers/processes/key-pair.js';

const RUNS = { numRuns: 300, seed: 19 };

describe('decimals', () => {
  it('are written as they are read, in every form', () => {
    const written = (units: bigint): void => {
      const amount = amountOf(units);
      expect(unitsOf(amount)).toBe(units);
      expect(parseDecimal(decimalText(amount))).toEqual(amount);
      const json = readValue(parseJson(decimalJson(amount)));
      expect(json).toEqual({ decimal: amount });
    };
    fc.assert(fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), written), RUNS);
  });

  it.each([
    ['100000000', '100000000'],
    ['0.00000001', '1.0e-8'],
    ['0.00000097', '9.7e-7'],
    ['0.1', '0.1'],
    ['9999999.5', '9999999.5'],
    ['99999.123456789012', '{"decimal":"99999.123456789012"}'],
    ['2.50', '2.5'],
    ['1e2', '100'],
    ['-0.25', '-0.25'],
  ])('%s is %s in an answer', (text, json) => {
    expect(decimalJson(parseDecimal(text) ?? expect.fail(text))).toBe(json);
  });

  it.each(['', '.5', '1.', '1e400', 'NaN', '0x1', '1_0', ' 1', `0.${'1'.repeat(256)}`])(
    '%j is none',
    (text) => expect(parseDecimal(text)).toBeUndefined(),
  );

  it('of one value are equal, however they are spelled', () => {
    const of = (json: string): Value | undefined => readValue(parseJson(json));
    expect([of('2'), of('2.0'), of('{"decimal":"2.00"}')]).toEqual(
      Array(3).fill({ decimal: { mantissa: 2n, places: 0 } }),
    );
    expect(of('{"int":2}')).toBe(2n);
    expect(compareDecimals({ mantissa: 1n, places: 12 }, { mantissa: 0n, places: 0 })).toBeGreaterThan(0);
  });
});

describe('JSON', () => {
  const plain = (value: unknown): unknown => {
    if (value instanceof NumberText) return Number(value.text);
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
  };

  it('is read as by everybody, but for its numbers, which stay text', () => {
    const agrees = (text: string): void => {
      expect(plain(parseJson(text))).toEqual(JSON.parse(text));
    };
    fc.assert(fc.property(fc.json({ maxDepth: 6 }), agrees), RUNS);
    expect(plain(parseJson('{"#1":"#2","$":"$\\"3","n":[-1.5e3]}'))).toEqual({
      '#1': '#2',
      $: '$"3',
      n: [-1500],
    });
  });
});

describe('whatever comes', () => {
  const onlySyntaxErrors = (read: () => unknown): void => {
    try {
      read();
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
    }
  };
  const PLACE = { accounts: NOBODY, parentHash: 'x', parentTime: 1n, height: 1 };
  const answers = (one: Command): void => {
    JSON.parse(runLocal(one, PLACE));
    JSON.parse(runPreflight(one, PLACE));
    brokenSignature(one);
  };
  const good = command({ code: '(coin.get-balance "x")', signers: [[keyPair(1)]] });

  it('as code', () => {
    const tokens = fc.constantFrom(
      ...[
        '(',
        ')',
        '[',
        ']',
        '{',
        '}',
        '"',
        "'a",
        '1',
        '-1.5',
        ':',
        ',',
        'let',
        'try',
        'at',
        'x',
        '"x"',
        ';',
        '\\',
      ],
      ...[
        'coin.transfer',
        'coin.get-balance',
        'coin.details',
        'create-principal',
        'read-keyset',
        ' ',
        '\n',
        '((a 1))',
      ],
    );
    const check = (parts: string[]): void => {
      const code = parts.join(' ');
      onlySyntaxErrors(() => readCode(code));
      answers(readCommand(readEnvelope(command({ code, data: { a: { keys: ['b'], pred: 'c' }, x: 1 } }))));
    };
    fc.assert(fc.property(fc.array(tokens, { maxLength: 25 }), check), RUNS);
  });

  it('as a command', () => {
    const check = (json: unknown): void => onlySyntaxErrors(() => answers(readCommand(readEnvelope(json))));
    const broken = fc.tuple(fc.string(), fc.jsonValue()).map(([name, value]) => {
      const cmd = JSON.parse(good.cmd) as { meta: object; signers: object[]; payload: object };
      const target = [cmd, cmd.meta, cmd.payload, cmd.signers[0]][name.length % 4] as Record<string, unknown>;
      const names = Object.keys(target);
      target[names[name.charCodeAt(0) % names.length] ?? name] = value;
      return { ...good, cmd: JSON.stringify(cmd) };
    });
    fc.assert(fc.property(fc.oneof(broken, fc.jsonValue(), fc.constant(good)), check), RUNS);
  });

  it('as a value is written again as the same', () => {
    const check = (json: unknown): void => {
      const value = readValue(parseJson(JSON.stringify(json)));
      if (value === undefined) return;
      expect(readValue(parseJson(valueJson(value)))).toEqual(value);
    };
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 4 }), check), RUNS);
  });
});
