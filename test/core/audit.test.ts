import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkWindow } from '../../src/core/audit/judge.js';
import { climb, type Leaf, leafNode, pathOf, rootOf } from '../../src/core/audit/sum-tree.js';
import { partOfWindow } from '../../src/core/audit/window.js';
import { lastWork, type Weight } from '../../src/core/money/rewards.js';
import { treeOf } from '../../src/ledger/audit/leaves.js';

const leaf = fc.record({
  account: fc.string({ unit: 'grapheme', maxLength: 20 }),
  salt: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  work: fc.bigInt(0n, 2n ** 200n),
  shares: fc.bigInt(0n, 2n ** 40n),
});

describe('a sum tree', () => {
  it('proves each leaf, sums all of them, and proves no other', async () => {
    const any = fc.record({
      leaves: fc.array(leaf, { minLength: 1, maxLength: 40 }),
      more: fc.bigInt(1n, 9n),
    });
    await fc.assert(
      fc.asyncProperty(any, async ({ leaves, more }) => {
        const tree = await treeOf(leaves.map(leafNode));
        const root = rootOf(tree);
        expect(root.work).toBe(leaves.reduce((sum, { work }) => sum + work, 0n));
        expect(root.shares).toBe(leaves.reduce((sum, { shares }) => sum + shares, 0n));
        for (const [i, own] of leaves.entries()) {
          const path = pathOf(tree, i);
          expect(climb(own, path)).toEqual(root);
          expect(climb({ ...own, work: own.work + more }, path).hash).not.toBe(root.hash);
          expect(climb({ ...own, account: `${own.account}x` }, path).hash).not.toBe(root.hash);
        }
      }),
    );
  });

  it('takes no number below zero, which would let another sum be larger than it is', async () => {
    const own: Leaf = { account: 'a', salt: '00'.repeat(32), work: -1n, shares: 1n };
    expect(() => leafNode(own)).toThrow('-1 is no number of 32 bytes');
    await expect(treeOf([])).rejects.toThrow('a tree has leaves');
  });
});

describe('the part of a window', () => {
  it('is what the ledger weighs an account by', () => {
    const work = fc.bigInt(0n, 10n ** 6n);
    const piece = fc.tuple(work, work);
    fc.assert(
      fc.property(piece, piece, fc.bigInt(1n, 4n * 10n ** 6n), (edge, whole, window) => {
        const weightsOf = ([own, other]: readonly [bigint, bigint]): Weight[] => [
          { account: 'own', work: own },
          { account: 'other', work: other },
        ];
        const slices = [{ weights: weightsOf(whole) }, { weights: weightsOf(edge) }];
        const weights = lastWork(slices, window);
        const sum = (name?: string): bigint =>
          weights.reduce((all, one) => all + (name && one.account !== name ? 0n : one.work), 0n);
        // The window ends in the edge, as the ledger chooses it.
        fc.pre(window >= whole[0] + whole[1]);
        const timesOf = (of: (piece: readonly [bigint, bigint]) => bigint) => ({
          edgeFrom: { work: 7n },
          wholeFrom: { work: 7n + of(edge) },
          until: { work: 7n + of(edge) + of(whole) },
        });
        const { own, all } = partOfWindow(
          timesOf(([mine]) => mine),
          timesOf(([mine, other]) => mine + other),
          window,
        );
        expect(own * sum()).toBe(sum('own') * all);
      }),
    );
  });
});

describe('the window of a split', () => {
  const at = (work: bigint) => ({ work });
  const everybody = { edgeFrom: at(0n), wholeFrom: at(50n), until: at(150n) };
  const split = {
    ...{ id: '7', chainId: 1, height: 9, scheme: 'pplns', amount: '1.0', feeBasisPoints: 0, credited: '0.0' },
    ...{ difficulty: '60', windowWork: '120', until: '', roundFrom: null, paysRounds: false },
    ...{ wholeFrom: '2023-11-14T22:14:00.000Z', edgeFrom: '2023-11-14T22:13:00.000Z' },
  };
  const findings = (window: string | null, of: Partial<typeof split> = {}): string[] => {
    const found: string[] = [];
    checkWindow({ ...split, ...of }, { scheme: 'pplns', window }, everybody, found);
    return found;
  };

  it('is that of the rule that is published', () => {
    expect(findings('2x')).toEqual([]);
    expect(findings('6h')).toEqual([]);
    expect(findings('2.5x')).toEqual([
      expect.stringContaining('by the rule that is published (2.5x) it is 150'),
    ]);
  });

  it('ends in its edge', () => {
    for (const windowWork of ['99', '151'])
      expect(findings(null, { windowWork })).toEqual([
        expect.stringContaining('does not end where it is said to'),
      ]);
  });
});
