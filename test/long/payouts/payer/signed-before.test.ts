/** What the signer log has and the books do not: dead by the blocks alone, and by nothing else. */
import { expect, it } from 'vitest';
import type {
  ChainSight,
  CheckedBlock,
  FoundCommand,
  Trouble,
} from '../../../../src/payouts/evidence/sight.js';
import { fatesOf, type Known } from '../../../../src/payouts/payer/signed-before.js';
import type { SignedBefore } from '../../../../src/payouts/signer/signer.js';

const DEPTH = 3;
/** Made at the time of block 100. */
const SIGNED: SignedBefore = {
  ...{ ledgerId: 'books', paymentId: '31', attempt: 1, requestKey: 'lost', chainId: 0, amount: 1n },
  ...{ creationTimeS: 3_000, ttlS: 900 },
};
const KNOWN: Known = { depth: DEPTH, mostBlocks: 20_000, askedFrom: undefined };

/** Half a minute a block. */
function sightOf(
  from: number,
  to: number,
  commands: readonly string[] = [],
  troubles: Trouble[] = [],
): ChainSight {
  const blocks = Array.from({ length: to - from + 1 }, (_, i): CheckedBlock => {
    const height = from + i;
    const place = { height, hash: `h${height}`, parent: `h${height - 1}`, timeS: height * 30, weight: 0n };
    return { ...place, commands: [], debits: [], credits: [], contracts: [], unreadable: [] };
  });
  const found = commands.map((requestKey) => ({ requestKey }) as FoundCommand);
  const all = blocks.map((block) => (block.height === 110 ? { ...block, commands: found } : block));
  return {
    ...{ chainId: 0, blocks: all, head: all.at(-1), headAgeS: 0 },
    ...{ troubles, nodes: [], left: [] },
  };
}

const fates = (sight: ChainSight, known: Partial<Known> = {}) => {
  const { coming, dead, unproven, readFrom } = fatesOf([SIGNED], sight, { ...KNOWN, ...known });
  return { coming: coming.length, dead: dead.length, unproven, readFrom };
};
const NOTHING = { coming: 0, dead: 0, unproven: 0, readFrom: undefined };

it('is dead when every block was read that could have it, up to one at the depth that is past its time', () => {
  expect(fates(sightOf(79, 133))).toEqual({ ...NOTHING, dead: 1 });
  const { dead } = fatesOf([SIGNED], sightOf(79, 133), KNOWN);
  expect(dead[0]).toMatchObject({ untilS: 3_900, proof: { from: { height: 79 }, to: { height: 130 } } });
});

it('may still come while the block past its time is above the depth, or nodes disagree', () => {
  expect(fates(sightOf(79, 132))).toEqual({ ...NOTHING, coming: 1 });
  const trouble: Trouble = { kind: 'disagree', says: 'a and b', nodes: [] };
  expect(fates(sightOf(79, 200, [], [trouble]))).toEqual({ ...NOTHING, coming: 1 });
});

it('is neither where a block has it, however that ended, or it is of another chain', () => {
  expect(fates(sightOf(79, 200, ['lost']))).toEqual(NOTHING);
  expect(fates({ ...sightOf(79, 200), chainId: 1 })).toEqual(NOTHING);
});

it('asks for blocks further down where it could be in one, and is not proven where they are kept no more', () => {
  expect(fates(sightOf(80, 200))).toEqual({ ...NOTHING, readFrom: 16 });
  expect(fates(sightOf(80, 200), { mostBlocks: 150 })).toEqual({ ...NOTHING, unproven: 1 });
  // They were asked for, and no node gave them.
  expect(fates(sightOf(80, 200), { askedFrom: 16 })).toEqual({ ...NOTHING, unproven: 1 });
  expect(fates(sightOf(16, 200), { askedFrom: 16 })).toEqual({ ...NOTHING, dead: 1 });
});
