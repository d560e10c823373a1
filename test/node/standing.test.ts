import { describe, expect, it } from 'vitest';
import { NodeChoice } from '../../src/node/node-choice.js';
import { type Sighting, standings } from '../../src/node/standing.js';

const seen = (fields: Partial<Sighting> = {}): Sighting => ({
  network: 'mainnet01',
  clockOffsetMs: 0,
  cutHeight: 1_000,
  ...fields,
});
const kinds = (sightings: (Sighting | undefined)[], network = 'mainnet01'): (string | undefined)[] =>
  standings(sightings, network).map((distrust) => distrust?.kind);

describe('standing of nodes', () => {
  it('trusts nodes that agree, those that say nothing, and one alone', () => {
    expect(kinds([seen(), seen({ clockOffsetMs: 29_000, cutHeight: 941 })])).toEqual([undefined, undefined]);
    expect(kinds([seen(), seen({ clockOffsetMs: undefined, cutHeight: undefined }), undefined])).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(kinds([seen({ clockOffsetMs: 9e9, cutHeight: 0 })])).toEqual([undefined]);
  });

  it('does not trust another network, a clock that most others do not have, or a node far behind', () => {
    const wrong = seen({ clockOffsetMs: 40_000 });
    expect(kinds([wrong, seen(), seen({ clockOffsetMs: 500 })])).toEqual(['clock', undefined, undefined]);
    expect(kinds([seen({ network: 'testnet04' }), seen()])).toEqual(['network', undefined]);
    expect(kinds([seen(), seen({ cutHeight: 939 })])).toEqual([undefined, 'behind']);
  });

  it('believes the preferred of two clocks, and no height of a node that it does not trust', () => {
    expect(kinds([seen(), seen({ clockOffsetMs: -31_000 })])).toEqual([undefined, 'clock']);
    const foreign = seen({ network: 'testnet04', cutHeight: 9_999 });
    expect(kinds([foreign, seen()])).toEqual(['network', undefined]);
  });
});

describe('choice of a node', () => {
  it('takes the first that is good, and at the start a better one at once', () => {
    const choice = new NodeChoice(3, 1_000);
    expect(choice.choose(0)).toBeUndefined();
    choice.set(1, true, 10);
    expect(choice.choose(10)).toBe(1);
    choice.set(0, true, 20);
    expect(choice.choose(20)).toBe(0);
  });

  it('leaves a bad one at once, and comes back when it was good for a while', () => {
    const choice = new NodeChoice(2, 1_000);
    choice.set(0, true, 0);
    choice.set(1, true, 0);
    expect(choice.choose(0)).toBe(0);
    choice.set(0, false, 100);
    expect(choice.choose(100)).toBe(1);
    choice.set(0, true, 200);
    expect([choice.choose(200), choice.choose(1_199)]).toEqual([1, 1]);
    expect(choice.nextChangeMs(1_000)).toBe(200);
    expect(choice.choose(1_200)).toBe(0);
    expect(choice.nextChangeMs(1_200)).toBeUndefined();
  });

  it('waits longer for a node that falls again and again, and forgives it in time', () => {
    const choice = new NodeChoice(2, 1_000);
    choice.set(1, true, 0);
    const waits: number[] = [];
    let nowMs = 0;
    const fallAndRise = (): void => {
      choice.set(0, false, nowMs);
      expect(choice.choose(nowMs)).toBe(1);
      choice.set(0, true, nowMs);
      waits.push(choice.nextChangeMs(nowMs) ?? 0);
      nowMs += waits.at(-1) ?? 0;
      expect(choice.choose(nowMs)).toBe(0);
    };
    choice.set(0, true, 0);
    choice.choose(0);
    for (let fall = 0; fall < 8; fall++) fallAndRise();
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 32_000, 32_000]);
    nowMs += 200_000;
    fallAndRise();
    expect(waits.at(-1)).toBe(1_000);
  });

  it('stays with the last one while none is good', () => {
    const choice = new NodeChoice(2, 1_000);
    choice.set(1, true, 0);
    choice.choose(0);
    choice.set(1, false, 1);
    expect(choice.choose(1)).toBe(1);
    choice.set(0, true, 2);
    expect(choice.choose(2)).toBe(0);
  });
});
