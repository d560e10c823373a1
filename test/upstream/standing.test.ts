import { describe, expect, it } from 'vitest';
import { type Sighting, standings } from '../../src/upstream/standing.js';

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

  it('CH9: does not trust one that stands still while another has a block more of each chain', () => {
    const still = (stillMs: number, behind: number) =>
      seen({ cutHeight: 1_000 - behind, stillMs, chains: 20 });
    const best = seen({ stillMs: 0, chains: 20 });
    expect(kinds([still(5_000, 20), best])).toEqual(['behind', undefined]);
    // It may have had its last block a moment ago, or the other has not moved by so much, or nobody has.
    for (const one of [still(4_999, 20), still(60_000, 19), still(60_000, 0)])
      expect(kinds([one, best])).toEqual([undefined, undefined]);
  });

  it('does not trust a network of the same name with another code', () => {
    const [made, other] = [seen({ versionCode: 4711 }), seen({ versionCode: 8 })];
    for (const network of ['mainnet01', ''])
      expect(kinds([seen(), made, other, made], network)).toEqual([
        undefined,
        undefined,
        'network',
        undefined,
      ]);
  });

  it('believes the preferred of two clocks, and no height of a node that it does not trust', () => {
    expect(kinds([seen(), seen({ clockOffsetMs: -31_000 })])).toEqual([undefined, 'clock']);
    const foreign = seen({ network: 'testnet04', cutHeight: 9_999 });
    expect(kinds([foreign, seen()])).toEqual(['network', undefined]);
  });
});
