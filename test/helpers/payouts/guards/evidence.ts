/** Guards of what is believed of nodes. */
import type { Guard } from './guard.js';

const JUDGE = 'src/payouts/evidence/judge.ts';
const judged = (title: string) => ['test/long/payouts/evidence/judge.test.ts', title] as const;
const liars = (title: string) => ['test/long/payouts/evidence/liars.test.ts', title] as const;
const TREES = judged('is never more than the blocks prove');

export const OF_THE_EVIDENCE: readonly Guard[] = [
  {
    name: 'the search of every block before a line is expired',
    file: JUDGE,
    with: 'const found = commands.get(tx.requestKey);',
    without: 'const found = commandsIn({ blocks: blocks.slice(-1) }).get(tx.requestKey);',
    test: TREES,
  },
  {
    name: 'that every block was read which could have what was signed before a restore',
    file: JUDGE,
    with: "return expiry && typeof before === 'number' ? before : expiry?.proof;",
    without: 'return expiry?.proof ?? (before === 0 ? 0 : undefined);',
    test: [
      'test/long/payouts/payer/signed-before.test.ts',
      'asks for blocks further down where it could be in one',
    ],
  },
  {
    name: 'that every block down to the birth was read',
    file: JUDGE,
    with: "if (typeof before === 'number') return { kind: 'blind', fromHeight: before };",
    without:
      "if (typeof before === 'number') return (blocks[0] && expiryOf(tx, blocks, blocks[0], head.height - depths.depth)) ?? { kind: 'waiting' };",
    test: TREES,
  },
  {
    name: 'the depth of a block that pays',
    file: JUDGE,
    with: "if (onTop < depth) return { kind: 'included', place, result: status };",
    without: '',
    test: TREES,
  },
  {
    name: 'the depth of the block that proves an expiry',
    file: JUDGE,
    with: 'if (!last || last.height > believed) return undefined;',
    without: 'if (!last || believed < 0) return undefined;',
    test: TREES,
  },
  {
    name: 'the last second in which a block may have it',
    file: JUDGE,
    with: 'timeS >= creationTimeS + ttlS',
    without: 'timeS >= creationTimeS + ttlS - 1',
    test: judged('is proven by a block of that very second'),
  },
  {
    name: 'that a block leaves the chain',
    file: JUDGE,
    with: 'if (gone) return gone;',
    without: '',
    test: TREES,
  },
  {
    name: 'that nothing is concluded where nodes disagree',
    file: JUDGE,
    with: 'if (disagree) return',
    without: 'if (disagree === null) return',
    test: judged('nothing is concluded where nodes disagree'),
  },
  {
    name: 'that what happened is the line',
    file: JUDGE,
    with: "if (status === 'success' && !isLine(transfers, line)) return",
    without: 'if (isLine([], line)) return',
    test: judged('another amount'),
  },
  {
    name: 'the proof of work on headers',
    file: 'src/chain/verify.ts',
    with: 'if (!this.needsWork || isGenesis(fields)',
    without: 'if (this.needsWork || isGenesis(fields)',
    test: liars('with a chain of its own that took no work'),
  },
  {
    name: 'that weights are added up',
    file: 'src/node-client/following/links.ts',
    with: 'child.weight !== parent.weight + child.work',
    without: 'child.weight < parent.weight',
    test: ['test/long/payouts/evidence/window.test.ts', 'that claims more weight than it adds'],
  },
  {
    name: 'that a payload hashes into its header',
    file: 'src/chain/verify.ts',
    with: "compare('outputsHash', payload.outputsHash, toBase64Url(hashes.outputsHash));",
    without: '',
    test: liars('with altered outputs it is found out'),
  },
  {
    name: 'that all nodes have the same block at the depth',
    file: 'src/payouts/evidence/chain-look.ts',
    with: '(met.branch.length > 0 && met.fork < agreed)',
    without: '(met.branch.length > 0 && met.fork < 0)',
    test: ['test/long/payouts/evidence/forks.test.ts', '17: at the depth they have different blocks'],
  },
  {
    name: 'the work that a block has to take, by those before it',
    file: 'src/node-client/following/links.ts',
    with: '? workFault(parent, child)',
    without: '? undefined',
    test: liars('with blocks that took next to no work on top of a real one'),
  },
  {
    name: 'what was noted before its parent was known',
    file: 'src/payouts/evidence/chain-look.ts',
    with: 'window.checkAbove(each.head.hash);',
    without: '',
    test: liars('shows one of them before the one below'),
  },
];
