/** Verdicts against a model: random trees of blocks, and a command that is in any of them that the rules of the chain allow. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JudgedTransaction, judge, type Verdict } from '../../../../src/payouts/evidence/judge.js';
import type {
  ChainSight,
  CheckedBlock,
  FoundCommand,
  LeftBlock,
} from '../../../../src/payouts/evidence/sight.js';

const LINE = { from: 'k:payer', to: 'k:rig', amount: 5n };
const CMD = 'the text';
const KEY = 'the key';
const TRANSFER = { ...LINE, moduleHash: '', requestKey: KEY };
const EARLY_S = 95;

/** A block of the model. */
interface Node {
  readonly index: number;
  readonly parent: Node | undefined;
  readonly height: number;
  readonly timeS: number;
  holds: 'success' | 'failure' | undefined;
}

interface Story {
  readonly depth: number;
  readonly ttlS: number;
  /** For each block its parent, among those before it, and how much later it is. */
  readonly blocks: readonly { readonly parent: number; readonly laterS: number; readonly wants: number }[];
  readonly birth: number;
  /** Heads that are seen one after the other, and from how far below them. */
  readonly looks: readonly { readonly head: number; readonly reach: number }[];
}

const STORY: fc.Arbitrary<Story> = fc.record({
  depth: fc.integer({ min: 1, max: 4 }),
  ttlS: fc.integer({ min: 60, max: 600 }),
  blocks: fc.array(
    fc.record({
      // Mostly the newest goes on.
      parent: fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(8) }),
      laterS: fc.integer({ min: 1, max: 200 }),
      wants: fc.nat(9),
    }),
    { minLength: 10, maxLength: 60 },
  ),
  birth: fc.nat(30),
  looks: fc.array(fc.record({ head: fc.nat(59), reach: fc.nat(60) }), { minLength: 1, maxLength: 12 }),
});

/** Ancestors and the block itself, from the first one up. */
function branchOf(block: Node): Node[] {
  const branch: Node[] = [];
  for (let at: Node | undefined = block; at; at = at.parent) branch.push(at);
  return branch.reverse();
}

function treeOf(story: Story): { tree: Node[]; tx: JudgedTransaction } {
  const first: Node = { index: 0, parent: undefined, height: 0, timeS: 10_000, holds: undefined };
  const tree: Node[] = [first];
  for (const { parent: back, laterS } of story.blocks) {
    const parent = tree[Math.max(0, tree.length - 1 - back)] ?? first;
    const place = { height: parent.height + 1, timeS: parent.timeS + laterS };
    tree.push({ index: tree.length, parent, ...place, holds: undefined });
  }
  const birth = tree[story.birth % tree.length] ?? first;
  const creationTimeS = birth.timeS - 30;
  const before = new Set(branchOf(birth));
  for (const [i, block] of tree.entries()) {
    const parentS = block.parent?.timeS ?? 0;
    const isInTime = parentS >= creationTimeS - EARLY_S && parentS < creationTimeS + story.ttlS;
    const isIn = branchOf(block).some(({ holds }) => holds !== undefined);
    const wants = story.blocks[i - 1]?.wants ?? 9;
    // In as many branches as may be, or in none.
    if (isInTime && !isIn && !before.has(block) && wants < 4)
      block.holds = wants === 0 ? 'failure' : 'success';
  }
  const tx: JudgedTransaction = {
    ...{ requestKey: KEY, cmd: CMD, line: LINE, creationTimeS, ttlS: story.ttlS, state: 'sent' },
    birth: { height: birth.height, hash: nameOf(birth) },
  };
  return { tree, tx };
}

const nameOf = ({ index }: Node): string => `block ${index}`;

function checked(block: Node): CheckedBlock {
  const command = (status: 'success' | 'failure'): FoundCommand => ({
    ...{ requestKey: KEY, cmd: CMD, status, gasPaid: 1n },
    ...(status === 'success' ? { transfers: [TRANSFER] } : { transfers: [], why: 'no' }),
  });
  return {
    ...{ height: block.height, hash: nameOf(block), timeS: block.timeS, weight: 0n },
    parent: block.parent ? nameOf(block.parent) : '',
    commands: block.holds ? [command(block.holds)] : [],
    ...{ debits: [], credits: [], contracts: [], unreadable: [] },
  };
}

function sightOf(branch: readonly Node[], from: number, left: readonly LeftBlock[]): ChainSight {
  const blocks = branch.slice(from).map(checked);
  return { chainId: 0, blocks, head: blocks.at(-1), headAgeS: 0, troubles: [], nodes: [], left };
}

/** What the payer makes of it. */
function taken(tx: JudgedTransaction, verdict: Verdict): JudgedTransaction {
  const { includedAt: _, ...rest } = tx;
  switch (verdict.kind) {
    case 'included':
    case 'confirmed':
    case 'refused':
      return { ...rest, state: verdict.kind, includedAt: verdict.place };
    case 'left':
    case 'deep':
      return { ...rest, state: 'sent' };
    default:
      return tx;
  }
}

/** Whether the command can be on any chain that still has this block: those are all that are left of the tree. */
function mayHold(tree: readonly Node[], block: Node): boolean {
  return tree.some((other) => {
    const branch = branchOf(other);
    return branch.includes(block) && branch.some(({ holds }) => holds !== undefined);
  });
}

function check(story: Story, seen: Record<string, number>): void {
  const { depth } = story;
  const { tree, tx: born } = treeOf(story);
  let tx = born;
  let former: readonly Node[] = [];
  const left = new Map<Node, LeftBlock>();
  for (const { head, reach } of story.looks) {
    const top = tree[head % tree.length] as Node;
    const branch = branchOf(top);
    for (const [i, block] of former.entries())
      if (!branch.includes(block))
        left.set(block, { height: block.height, hash: nameOf(block), depth: former.length - 1 - i });
    for (const block of branch) left.delete(block);
    former = branch;
    const on = branch.find(({ holds }) => holds !== undefined);
    const onTop = on && top.height - on.height;
    const deepest = branch[Math.max(0, top.height - depth)] as Node;
    for (const from of [Math.max(0, top.height - reach), 0]) {
      const verdict = judge(tx, sightOf(branch, from, [...left.values()]), { depth, final: 2 * depth });
      seen[verdict.kind] = (seen[verdict.kind] ?? 0) + 1;
      switch (verdict.kind) {
        case 'expired':
          expect(on).toBeUndefined();
          expect(mayHold(tree, deepest)).toBe(false);
          return;
        case 'confirmed':
        case 'final':
        case 'refused':
          expect(onTop).toBeGreaterThanOrEqual(verdict.kind === 'final' ? 2 * depth : depth);
          expect(on?.holds).toBe(verdict.kind === 'refused' ? 'failure' : 'success');
          expect(verdict.place.hash).toBe(nameOf(on as Node));
          break;
        case 'included':
          expect(onTop).toBeLessThan(depth);
          expect(verdict).toMatchObject({ result: on?.holds, place: { hash: nameOf(on as Node) } });
          break;
        case 'left':
        case 'deep':
          expect(branch.map(nameOf)).not.toContain(tx.includedAt?.hash);
          expect(verdict.kind).toBe(verdict.depth > depth ? 'deep' : 'left');
          break;
        case 'waiting':
          // From the first block on nothing that is there is overlooked.
          if (from === 0) {
            expect(on).toBeUndefined();
            expect(deepest.timeS).toBeLessThan(tx.creationTimeS + tx.ttlS);
          }
          break;
        case 'blind':
          expect(from).toBeGreaterThan(verdict.fromHeight);
          break;
        default:
          expect.fail(`${verdict.kind} in a tree without it`);
      }
      tx = taken(tx, verdict);
      if (verdict.kind === 'final') return;
    }
  }
}

describe('a verdict', () => {
  it('is never more than the blocks prove, in any tree of blocks', () => {
    const seen: Record<string, number> = {};
    fc.assert(
      fc.property(STORY, (story) => check(story, seen)),
      { numRuns: 3_000 },
    );
    // All of them came about.
    expect(Object.keys(seen).sort()).toEqual(
      ['blind', 'confirmed', 'deep', 'expired', 'final', 'included', 'left', 'refused', 'waiting'].sort(),
    );
  });
});

describe('what is not the line', () => {
  const block = { index: 1, height: 1, timeS: 10_030, holds: 'success' } as const;
  const { tx, branch } = {
    tx: treeOf({ depth: 1, ttlS: 60, blocks: [], birth: 0, looks: [] }).tx,
    branch: [block],
  };
  const first: Node = { index: 0, parent: undefined, height: 0, timeS: 10_000, holds: undefined };
  const sight = sightOf([first, { ...block, parent: first }], 0, []);
  const having = (command: Partial<FoundCommand>): ChainSight => {
    const blocks = sight.blocks.map((each) => ({
      ...each,
      commands: each.commands.map((known) => ({ ...known, ...command })),
    }));
    return { ...sight, blocks, head: blocks.at(-1) };
  };

  it.each([
    ['another amount', { transfers: [{ ...TRANSFER, amount: 6n }] }],
    ['another receiver', { transfers: [{ ...TRANSFER, to: 'k:other' }] }],
    ['one more transfer', { transfers: [TRANSFER, TRANSFER] }],
    ['no transfer', { transfers: [] }],
    ['a transfer though it failed', { status: 'failure' as const }],
    ['another text', { cmd: 'another' }],
    ['an output that cannot be read', { status: 'unreadable' as const, why: 'it cannot be read' }],
  ])('differs: %s', (_, command) => {
    expect(branch).toHaveLength(1);
    const verdict = judge(tx, having(command), { depth: 1, final: 2 });
    expect(verdict).toMatchObject({ kind: 'differs', place: { height: 1 }, why: expect.any(String) });
  });

  it('nothing is concluded where nodes disagree, or of a chain that nobody shows', () => {
    const depths = { depth: 1, final: 2 };
    const disagree = { kind: 'disagree', says: 'b has another chain', nodes: ['b'] } as const;
    expect(judge(tx, { ...sight, troubles: [disagree] }, depths)).toEqual({
      kind: 'withheld',
      why: 'b has another chain',
    });
    expect(judge(tx, { ...sight, blocks: [], head: undefined }, depths)).toMatchObject({ kind: 'withheld' });
  });

  it('a block that is above the chain has not left it: nodes may be behind', () => {
    const included: JudgedTransaction = { ...tx, state: 'confirmed', includedAt: { height: 9, hash: 'x' } };
    expect(judge(included, sight, { depth: 1, final: 2 })).toMatchObject({ kind: 'withheld' });
  });

  it('how many blocks were on top is what was seen, or what the books know', () => {
    const confirmed: JudgedTransaction = { ...tx, state: 'confirmed', includedAt: { height: 1, hash: 'x' } };
    const depths = { depth: 3, final: 6 };
    expect(judge(confirmed, sight, depths)).toMatchObject({ kind: 'left', depth: 3 });
    expect(judge({ ...confirmed, onTop: 4 }, sight, depths)).toMatchObject({ kind: 'deep', depth: 4 });
    expect(judge({ ...confirmed, state: 'included' }, sight, depths)).toMatchObject({
      kind: 'left',
      depth: 0,
    });
  });
});

describe('the end of its time', () => {
  const { tx } = treeOf({ depth: 1, ttlS: 900, blocks: [], birth: 0, looks: [] });
  const over = tx.creationTimeS + tx.ttlS;
  const chainOf = (...timesS: number[]): Node[] => {
    const chain: Node[] = [{ index: 0, parent: undefined, height: 0, timeS: 10_000, holds: undefined }];
    for (const timeS of timesS)
      chain.push({
        index: chain.length,
        parent: chain.at(-1),
        height: chain.length,
        timeS,
        holds: undefined,
      });
    return chain;
  };
  const judged = (...timesS: number[]): string =>
    judge(tx, sightOf(chainOf(...timesS), 0, []), { depth: 1, final: 2 }).kind;

  it('9: is proven by a block of that very second, and not by one a second before: its child may hold it', () => {
    expect(judged(over - 1, over - 1 + 900)).toBe('waiting');
    expect(judged(over, over + 900)).toBe('expired');
    expect(judged(over)).toBe('waiting');
  });

  it('9: is nothing to one that is in the block which ends it', () => {
    const chain = chainOf(over - 1, over, over + 1, over + 2);
    (chain[2] as Node).holds = 'success';
    expect(judge(tx, sightOf(chain, 0, []), { depth: 1, final: 9 })).toMatchObject({
      kind: 'confirmed',
      place: { height: 2 },
    });
  });
});
