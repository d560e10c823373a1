/** The payer's account as checked blocks make it, and what is no doing of ours. */
import { describe, expect, it } from 'vitest';
import type { PayerChain } from '../../../../src/bridge/payouts/payer-books.js';
import type { ChainSight, CheckedBlock } from '../../../../src/payouts/evidence/sight.js';
import { advance, foreignDebits } from '../../../../src/payouts/payer/account-watch.js';

const DEPTH = 2;
const BEFORE: PayerChain = {
  ...{ chainId: 0, read: { height: 1, hash: 'h1' } },
  ...{ balance: 100n, credits: 0n, debits: 0n },
};

/** Of heights from 1 on. */
function sightOf(...blocks: Partial<CheckedBlock>[]): ChainSight {
  const all = blocks.map((more, i): CheckedBlock => {
    const place = { height: i + 1, hash: `h${i + 1}`, parent: `h${i}`, timeS: i, weight: 0n };
    return { ...place, commands: [], debits: [], credits: [], contracts: [], unreadable: [], ...more };
  });
  return {
    ...{ chainId: 0, blocks: all, head: all.at(-1), headAgeS: 0 },
    ...{ troubles: [], nodes: [], left: [] },
  };
}

const moved = (amount: bigint, requestKey?: string) => ({
  ...{ from: 'k:payer', to: 'k:other', amount, moduleHash: '' },
  requestKey,
});

describe('the account', () => {
  it('is read up to the depth, and no further', () => {
    const sight = sightOf({}, { credits: [moved(7n)], debits: [moved(3n)] }, { debits: [moved(50n)] }, {});
    expect(advance(BEFORE, sight, DEPTH)).toEqual({
      chain: { ...BEFORE, read: { height: 2, hash: 'h2' }, balance: 104n, credits: 7n, debits: 3n },
      pause: undefined,
    });
  });

  it('is not read on where another block is below, at the depth: that pauses', () => {
    const { chain, pause } = advance(BEFORE, sightOf({}, { parent: 'another' }, {}, {}), DEPTH);
    expect(chain).toBe(BEFORE);
    expect(pause).toMatchObject({ kind: 'left-deep', evidence: { found: 'another' } });
  });

  it('is not read on over a gap', () => {
    const { blocks, ...sight } = sightOf({}, {}, {}, {}, {}, {});
    expect(advance(BEFORE, { ...sight, blocks: blocks.slice(2) }, DEPTH)).toEqual({
      chain: BEFORE,
      pause: undefined,
    });
  });
});

describe('a debit', () => {
  const sight = sightOf({ debits: [moved(9n, 'long ago')] }, { debits: [moved(1n, 'ours'), moved(2n)] });

  it('that is in the books is ours, and any other pauses, one without a command too', () => {
    expect(foreignDebits(sightOf({ debits: [moved(1n, 'ours')] }), 1, new Set(['ours']))).toEqual([]);
    for (const debit of [moved(2n, 'theirs'), moved(2n)])
      expect(foreignDebits(sightOf({ debits: [debit] }), 1, new Set(['ours']))).toMatchObject([
        { kind: 'foreign-debit', evidence: { amount: '0.000000000002', height: 1 } },
      ]);
  });

  it('that somebody has accepted is passed over: by its command, or, without one, by its block', () => {
    expect(foreignDebits(sight, 1, new Set(['long ago', 'ours', 'h2']))).toEqual([]);
    expect(foreignDebits(sight, 1, new Set(['long ago', 'ours', 'h1']))).toMatchObject([
      { evidence: { height: 2, hash: 'h2' } },
    ]);
  });

  it('is looked at from a height on', () => {
    const heights = (from: number) =>
      foreignDebits(sight, from, new Set(['ours'])).map(({ evidence }) => evidence['height']);
    expect([heights(2), heights(1)]).toEqual([[2], [1, 2]]);
  });
});
