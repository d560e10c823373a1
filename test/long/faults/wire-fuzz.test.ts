/** Whatever comes over the wire: no error leaves a session, nothing is held after it, good rigs mine on beside it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../src/wire/lines.js';
import { runCampaign, WITHOUT_LIMITS } from '../../helpers/fuzz/campaign.js';
import { type Script, type Step, scriptOf } from '../../helpers/fuzz/scripts.js';
import { shortened } from '../../helpers/fuzz/shorten.js';

/** Where the stream of a script is cut into pieces. */
const cuts = fc.array(fc.nat(400), { maxLength: 20 });

function pieces(stream: Buffer, lengths: readonly number[]): Buffer[] {
  const result: Buffer[] = [];
  let rest = stream;
  for (const length of lengths) {
    result.push(rest.subarray(0, length));
    rest = rest.subarray(length);
  }
  return [...result, rest];
}

/** Known ones, so that nothing fails here by chance; test/long takes others. */
const SEEDS = [1, 2];
const MESSAGES = 8_000;

describe('whatever comes over any transport, with a PROXY header or without', () => {
  it.each(SEEDS)(
    'each request has one answer of ours, and good rigs notice nothing (seed %s)',
    async (seed) => {
      const tally = await runCampaign({ seed, messages: MESSAGES, longest: 500, limits: WITHOUT_LIMITS });
      expect(tally.proven).toBeGreaterThan(10);
      expect(tally.answers).toBeGreaterThan(MESSAGES / 4);
      expect(tally.goodShares).toBeGreaterThan(0);
    },
  );

  it('with the limits that a bridge has, strangers are closed and good rigs are not', async () => {
    const tally = await runCampaign({ seed: 3, messages: 2_000, longest: 50, limits: {} });
    expect(tally.proven).toBeGreaterThan(10);
    expect(tally.goodShares).toBeGreaterThan(0);
  });
});

describe('a script that does harm', () => {
  it('is made as short as it still does it', async () => {
    const lines = (...texts: string[]): Step => ({ kind: 'lines', lines: texts, end: '\n', cuts: [1, 1] });
    const steps = [lines('a'), lines('b', 'bad', 'c'), lines('d', 'e')];
    const isBad = async (script: Script): Promise<boolean> => JSON.stringify(script).includes('bad');
    const shortest = await shortened({ transport: 'tcp', isProper: true, steps }, isBad);
    expect(shortest.steps).toEqual([{ kind: 'lines', lines: ['bad'], end: '\n', cuts: [] }]);
  });

  it('comes again with its seed', () => {
    expect(scriptOf(7, 8)).toEqual(scriptOf(7, 8));
    expect(scriptOf(7, 8)).not.toEqual(scriptOf(7, 9));
  });
});

describe('line splitter', () => {
  it('gives the same lines however the bytes are cut, and never holds more than one', () => {
    const line = fc.string({ maxLength: 60 }).map((text) => text.replace(/[\r\n]/g, ''));
    const end = fc.constantFrom('\n', '\r\n', '\n\n');
    fc.assert(
      fc.property(fc.array(fc.tuple(line, end)), cuts, (parts, lengths) => {
        const got: string[] = [];
        const splitter = new LineSplitter(1000, (text) => got.push(text));
        const stream = Buffer.from(parts.map(([text, ending]) => text + ending).join(''));
        for (const piece of pieces(stream, lengths)) expect(splitter.push(piece)).toBe(true);
        expect(got).toEqual(
          parts.map(([text]) => Buffer.from(text).toString()).filter((text) => text !== ''),
        );
      }),
    );
  });

  it('says when a line is too long, whole or in pieces', () => {
    const splitter = () => new LineSplitter(10, () => undefined);
    expect(splitter().push(Buffer.from('0123456789\r\n'))).toBe(true);
    expect(splitter().push(Buffer.from('0123456789a\n'))).toBe(false);
    const inPieces = splitter();
    const taken = Array.from({ length: 20 }, () => inPieces.push(Buffer.from('x')));
    expect(taken.indexOf(false)).toBe(11);
  });
});
