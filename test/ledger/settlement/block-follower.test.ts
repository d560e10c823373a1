import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SeenHeader } from '../../../src/bridge/ports.js';
import { parseAmount } from '../../../src/core/money/amount.js';
import { type Log, SILENT } from '../../../src/core/names/log.js';
import { decodeHeader } from '../../../src/core/work/header.js';
import {
  type BlockFollower,
  type BlockFollowerOptions,
  startBlockFollower,
} from '../../../src/ledger/blocks/block-follower.js';
import { listFollowed } from '../../../src/ledger/blocks/blocks.js';
import { lookAgain } from '../../../src/ledger/blocks/look-again.js';
import { databaseTime } from '../../../src/ledger/database/clocks.js';
import { preparePayout } from '../../../src/ledger/payments/prepare.js';
import { verifyBooks } from '../../../src/ledger/proof/verify.js';
import { REWARD_RULES, type RewardRules } from '../../../src/ledger/settlement/reward-rules.js';
import { timelineBook } from '../../../src/ledger/timeline.js';
import { useBooks } from '../../helpers/books/books.js';
import { blocksIn } from '../../helpers/books/lists.js';
import { coinsIn } from '../../helpers/books/money.js';
import { settleAll } from '../../helpers/books/settlement.js';
import { entryOf, makeShare } from '../../helpers/rigs/shares.js';
import { makeSolution } from '../../helpers/rigs/solutions.js';
import { branch, chainOf, ScriptedNode, seen } from '../../helpers/stories/scripted-chain.js';

const RULES: RewardRules = {
  ...REWARD_RULES,
  scheme: 'prop',
  fees: { basisPoints: 0, overrides: new Map() },
  schedule: [{ fromHeight: 0, amount: parseAmount('4') ?? 0n }],
  poolAccounts: ['k:x'],
  confirmDepth: 3,
};
const HEIGHT = 100;

const books = useBooks();
let follower: BlockFollower;
let nodes: Map<string, ScriptedNode>;
let complaints: string[];
let warnings: string[];
let inForce: RewardRules;

beforeEach(async () => {
  await books.empty();
  nodes = new Map([
    ['http://node', new ScriptedNode()],
    ['http://other', new ScriptedNode()],
  ]);
  complaints = [];
  warnings = [];
  follower = follow(RULES);
  // The look that it begins with is over, so that the next one sees what the test does.
  await follower.look();
});

function follow(rules: RewardRules): BlockFollower {
  return startBlockFollower(followerOptions(rules));
}

function followerOptions(rules: RewardRules): BlockFollowerOptions {
  const warn = (_fields: object, message: string): void => void warnings.push(message);
  const log: Log = { ...SILENT, warn, error: (_fields, message) => complaints.push(message) };
  const chain = chainOf(nodes);
  const times = { intervalMs: 3_600_000, restMs: 0 };
  inForce = rules;
  return { pool: books.pool, chain, rules: async () => inForce, log, ...times };
}

afterEach(async () => {
  await follower.close();
  const broken = (await verifyBooks(books.pool)).filter((proof) => proof.broken.length > 0);
  expect(broken).toEqual([]);
});

/** A solution that its node received; its block as the node would name it. */
async function solve(nonce = 1n): Promise<SeenHeader> {
  // A look that is under way has listed its blocks already.
  await follower.look();
  const shares = [makeShare({ account: 'a' }), makeShare({ account: 'b' })];
  await books.ledger.recordEntry(
    entryOf({ id: { producer: randomUUID(), number: 1 }, shares, rejections: [] }),
  );
  const solution = makeSolution({}, { height: HEIGHT }, nonce);
  await books.ledger.recordSolution(solution, 'received', '');
  return seen(solution.header, BigInt(HEIGHT));
}

function everywhere(headers: readonly SeenHeader[], names = ['http://node', 'http://other']): void {
  for (const name of names) for (const header of headers) nodes.get(name)?.add(header);
}

async function state(): Promise<unknown> {
  await follower.look();
  await settleAll(books.pool, inForce);
  const [block] = await blocksIn(books.pool, 1);
  return block?.state;
}

async function balances(book: string): Promise<string> {
  const coins = Object.entries(await coinsIn(books.pool, book));
  return coins.map(([name, amount]) => `${name}=${amount}`).join(' ');
}

describe('block follower', () => {
  it('sees a block come onto the chain and grow deep enough', async () => {
    const block = await solve();
    expect(await state()).toBe('pending');
    everywhere([block]);
    expect(await state()).toBe('onChain');
    expect(await balances('held')).toBe('a=2 b=2');
    everywhere(branch(block.hash, HEIGHT + 1, 1, 7n));
    expect(await state()).toBe('onChain');
    everywhere(branch(block.hash, HEIGHT + 1, 2, 7n));
    expect(await state()).toBe('confirmed');
    expect(await balances('balance')).toBe('a=2 b=2');
    expect((await blocksIn(books.pool, 1))[0]).toMatchObject({
      ...{ depth: 3, rewardSource: 'schedule', reward: '4.000000000000' },
    });
  });

  it('takes the reward from the coinbase where it can be read', async () => {
    const block = await solve();
    everywhere([block]);
    for (const node of nodes.values()) {
      node.coinbase = '{"events":[{"params":["","k:x",2.000000000002],"name":"TRANSFER"}]}';
    }
    expect(await state()).toBe('onChain');
    expect(await balances('held')).toBe('a=1.000000000001 b=1.000000000001');
    expect((await blocksIn(books.pool, 1))[0]).toMatchObject({ rewardSource: 'coinbase' });
  });

  it('shares out what transactions paid the miner besides', async () => {
    const block = await solve();
    everywhere([block]);
    for (const node of nodes.values()) {
      node.coinbase = '{"events":[{"params":["","k:x",2],"name":"TRANSFER"}]}';
      const cmd = '{"meta":{"sender":"k:s","gasPrice":1.0e-8}}';
      const output = '{"gas":200,"events":[{"params":["k:s","k:x",2.0e-6],"name":"TRANSFER"}]}';
      node.transactions = [{ command: JSON.stringify({ cmd }), output }];
    }
    expect(await state()).toBe('onChain');
    expect(await balances('held')).toBe('a=1.000001 b=1.000001');
    expect((await blocksIn(books.pool, 1))[0]).toMatchObject({ reward: '2.000002000000' });
  });

  it.each(['prop', 'pplns'] as const)(
    'pays a block whose reward is not known once it is: %s',
    async (scheme) => {
      await follower.close();
      const rules = { ...RULES, scheme };
      follower = follow({ ...rules, schedule: [] });
      const block = await solve();
      everywhere([block, ...branch(block.hash, HEIGHT + 1, 60, 7n)]);
      expect([await state(), await state()]).toEqual(['confirmed', 'confirmed']);
      const unpaid = expect.stringContaining('ledger rules set --rewards-schedule');
      expect((await blocksIn(books.pool, 1))[0]).toMatchObject({
        ...{ state: 'confirmed', depth: 61, scheme, detail: unpaid, reward: null, rewardSource: null },
      });
      expect([warnings, complaints]).toEqual([[expect.stringContaining('pays nobody yet')], []]);
      expect([
        await balances('balance'),
        (await verifyBooks(books.pool)).every((proof) => proof.broken.length === 0),
      ]).toEqual(['', true]);
      // What is mined later has no part in it.
      const later = [makeShare({ account: 'late', difficulty: 10n ** 9n })];
      await books.ledger.recordEntry(
        entryOf({
          id: { producer: randomUUID(), number: 1 },
          shares: later,
          rejections: [],
        }),
      );
      await follower.close();
      follower = follow(rules);
      expect(await state()).toBe('confirmed');
      expect(await balances('balance')).toBe('a=2 b=2');
      expect((await blocksIn(books.pool, 1))[0]).toMatchObject({ rewardSource: 'schedule', detail: '' });
      expect(await listFollowed(books.pool, 10)).toEqual([]);
    },
  );

  it('LQ6: credits nobody for a block that pays another account, says so once, and credits it once that is named', async () => {
    const block = await solve();
    everywhere([block]);
    for (const node of nodes.values())
      node.coinbase = '{"events":[{"params":["","k:other",2],"name":"TRANSFER"}]}';
    expect([await state(), await state(), await balances('held')]).toEqual(['onChain', 'onChain', '']);
    expect((await blocksIn(books.pool, 1))[0]).toMatchObject({
      detail: expect.stringMatching(/^it pays an account that is none of the pool: /),
    });
    const lines = await timelineBook(books.pool).readLines({ kinds: ['blockPaysAnother'], limit: 9 });
    expect(lines.map(({ says }) => says)).toEqual([
      'the block of chain 3 at height 100 pays k:other, which is no account of the pool: it is credited to nobody',
    ]);
    inForce = { ...RULES, poolAccounts: ['k:x', 'k:other'] };
    await state();
    expect(await balances('held')).toBe('a=1 b=1');
  });

  it('does not take a node that is away for a coinbase that cannot be read', async () => {
    const block = await solve();
    everywhere([block]);
    for (const node of nodes.values()) node.coinbaseFails = true;
    expect(await state()).toBe('onChain');
    expect(await balances('held')).toBe('');
    for (const node of nodes.values()) {
      node.coinbaseFails = false;
      node.coinbase = '{"events":[{"params":["","k:x",3],"name":"TRANSFER"}]}';
    }
    expect(await state()).toBe('onChain');
    expect(await balances('held')).toBe('a=1.5 b=1.5');
  });

  it('N1: pays nothing for a forged answer, says so aloud, and asks the next node', async () => {
    const block = await solve();
    everywhere([block]);
    for (const node of nodes.values()) node.forges = true;
    expect(await state()).toBe('onChain');
    expect(await balances('held')).toBe('');
    expect(complaints).toContain('a node gave a forged answer about a block; it is not believed');
    const honest = nodes.get('http://other') ?? expect.fail('no node');
    honest.forges = false;
    honest.coinbase = '{"events":[{"params":["","k:x",3],"name":"TRANSFER"}]}';
    expect(await state()).toBe('onChain');
    expect(await balances('held')).toBe('a=1.5 b=1.5');
  });

  it.each([
    ['at depth 1', 1],
    ['at depth 5, after it was confirmed', 5],
  ])('gives up a block that is orphaned %s, and takes it back when the chain does', async (_words, depth) => {
    const block = await solve();
    const own = [block, ...branch(block.hash, HEIGHT + 1, depth - 1, 7n)];
    everywhere(own);
    expect(await state()).toBe(depth > 2 ? 'confirmed' : 'onChain');
    const rival = branch(block.parent, HEIGHT, depth + 3, 9n);
    everywhere(rival);
    expect(await state()).toBe('orphaned');
    expect([await balances('held'), await balances('balance')]).toEqual(['', '']);
    everywhere(branch(own.at(-1)?.hash ?? block.hash, HEIGHT + depth, 6, 7n));
    expect(await state()).toBe('confirmed');
    expect(await balances('balance')).toBe('a=2 b=2');
  });

  it('does not call a block orphaned before the rival is deep, nor on one node’s word', async () => {
    const block = await solve();
    everywhere([block]);
    expect(await state()).toBe('onChain');
    everywhere(branch(block.parent, HEIGHT, 2, 9n));
    expect(await state()).toBe('onChain');
    everywhere(branch(block.parent, HEIGHT, 8, 9n), ['http://node']);
    expect(await state()).toBe('onChain');
    const other = nodes.get('http://other');
    for (const mood of ['away', 'unreachable'] as const) {
      if (other) other.mood = mood;
      expect(await state()).toBe('onChain');
    }
    if (other) other.mood = 'well';
    everywhere(branch(block.parent, HEIGHT, 8, 9n));
    expect(await state()).toBe('orphaned');
  });

  it('calls a block unknown that the chain went past without', async () => {
    const block = await solve();
    everywhere(branch(block.parent, HEIGHT, 6, 9n));
    expect(await state()).toBe('unknown');
  });

  it('C5: warns of a block that loses its credit, and of no other', async () => {
    const block = await solve();
    everywhere([block]);
    expect(await state()).toBe('onChain');
    expect(warnings).toEqual([]);
    everywhere(branch(block.parent, HEIGHT, 8, 9n));
    expect(await state()).toBe('orphaned');
    expect(warnings).toEqual(['block orphaned']);
  });

  it('says so loudly when a node names the block by another hash than its header has', async () => {
    const block = await solve();
    everywhere([{ ...block, hash: new Uint8Array(32).fill(7) }, ...branch(block.parent, HEIGHT, 6, 9n)]);
    expect(await state()).toBe('pending');
    expect(complaints).toContain('a node names one of our blocks wrongly');
  });

  it('looks at once when a stream shows the block', async () => {
    const block = await solve();
    await follower.look();
    everywhere([block]);
    follower.sawHeader('http://node', { ...block, nonce: block.nonce + 1n });
    follower.sawHeader('http://node', block);
    await expect.poll(async () => (await listFollowed(books.pool, 1))[0]?.state).toBe('onChain');
  });

  it('D21: notes how high the chain is, before any block is found', async () => {
    const [header] = branch(new Uint8Array(32), 7000, 1, 5n);
    follower.sawHeader('http://node', header ?? expect.fail());
    await expect
      .poll(
        async () => {
          await follower.look();
          return (await books.pool.query('SELECT height::int FROM tip')).rows;
        },
        { timeout: 20_000 },
      )
      .toEqual([{ height: 7000 }]);
  });

  it('looks at once at a block that got into the books', async () => {
    await follower.look();
    everywhere([await solve()]);
    follower.lookForNew();
    await expect.poll(async () => (await listFollowed(books.pool, 1))[0]?.state).toBe('onChain');
  });

  it('gives up a block of which no node ever says anything', async () => {
    await solve();
    expect(await state()).toBe('pending');
    await books.pool.query("UPDATE block SET changed_at = now() - interval '4 days'");
    expect(await state()).toBe('unknown');
    expect(await listFollowed(books.pool, 10)).toEqual([]);
  });

  it('D22: takes up a block again that was given up, when it is told to look and a node has it by then', async () => {
    const block = await solve();
    await books.pool.query("UPDATE block SET changed_at = now() - interval '4 days'");
    expect(await state()).toBe('unknown');
    expect(await listFollowed(books.pool, 10)).toEqual([]);
    everywhere([block, ...branch(block.hash, HEIGHT + 1, 3, 7n)]);
    expect(await state()).toBe('unknown');
    const report = await lookAgain(followerOptions(RULES), 'every');
    expect(report).toMatchObject({ looked: 1, changed: 1 });
    expect(await balances('balance')).toBe('a=2 b=2');
    // And if no node has it yet, it is followed again.
    await books.empty();
    for (const node of nodes.values()) node.mood = 'away';
    await solve();
    await books.pool.query("UPDATE block SET changed_at = now() - interval '4 days'");
    expect(await state()).toBe('unknown');
    await lookAgain(followerOptions(RULES), 'every');
    expect(await listFollowed(books.pool, 10)).toHaveLength(1);
  });

  it('X1: waits for a block from when it came into the books, whatever the clock of its finder or of a bridge says', async () => {
    for (const [nonce, foundAtMs] of [Date.now() - 500 * 86_400_000, Date.now() + 500 * 86_400_000].entries())
      await books.ledger.recordSolution(makeSolution({ foundAtMs }, {}, BigInt(nonce)), 'received', '');
    expect(await state()).toBe('pending');
    expect((await listFollowed(books.pool, 10)).map((block) => block.state)).toEqual(['pending', 'pending']);
  });

  it('stops following a block that is deep beyond doubt', async () => {
    const block = await solve();
    everywhere([block, ...branch(block.hash, HEIGHT + 1, 60, 7n)]);
    expect(await state()).toBe('confirmed');
    expect(await listFollowed(books.pool, 10)).toEqual([]);
  });

  it('matches by the header’s own fields', async () => {
    const block = await solve();
    const [followed] = await listFollowed(books.pool, 1);
    expect(followed && decodeHeader(followed.header)).toMatchObject({ nonce: block.nonce, height: HEIGHT });
    expect(followed?.hash).toEqual(Buffer.from(block.hash));
  });

  describe('X12: a payout is prepared from blocks that were looked at just now', () => {
    const MINIMUM = parseAmount('1') ?? 0n;

    async function confirmed(): Promise<SeenHeader> {
      const block = await solve();
      everywhere([block, ...branch(block.hash, HEIGHT + 1, 3, 7n)]);
      expect(await state()).toBe('confirmed');
      await follower.close();
      return block;
    }

    const prepare = async (): ReturnType<typeof preparePayout> => {
      const since = await databaseTime(books.pool);
      await lookAgain(followerOptions(RULES), 'paying');
      return preparePayout(books.pool, { minimum: MINIMUM, seenSince: since });
    };

    it('takes back first what a reorganisation took', async () => {
      const block = await confirmed();
      everywhere(branch(block.parent, HEIGHT, 9, 9n));
      expect(await prepare()).toBeUndefined();
      expect(await balances('balance')).toBe('');
    });

    it('refuses while a rival is not deep enough to say', async () => {
      const block = await confirmed();
      everywhere(branch(block.parent, HEIGHT, 5, 9n), ['http://node']);
      await expect(prepare()).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringContaining('height 100'),
      });
      expect(await balances('balance')).toBe('a=2 b=2');
    });

    it('refuses while no node answers, but gives a batch again that was prepared', async () => {
      await confirmed();
      for (const node of nodes.values()) node.mood = 'away';
      await expect(prepare()).rejects.toMatchObject({
        message: expect.stringContaining('prepare again when'),
      });
      for (const node of nodes.values()) node.mood = 'well';
      const batch = await prepare();
      expect(batch).toMatchObject({ state: 'prepared', total: '4.000000000000' });
      for (const node of nodes.values()) node.mood = 'away';
      expect(await prepare()).toEqual(batch);
    });

    it('asks nobody for blocks that are settled', async () => {
      const block = await solve();
      everywhere([block, ...branch(block.hash, HEIGHT + 1, 60, 7n)]);
      expect(await state()).toBe('confirmed');
      await follower.close();
      for (const node of nodes.values()) node.mood = 'away';
      expect(await prepare()).toMatchObject({ total: '4.000000000000' });
    });
  });

  it('X13: a look at all blocks follows a reorganisation beyond the bound', async () => {
    const block = await solve();
    everywhere([block, ...branch(block.hash, HEIGHT + 1, 60, 7n)]);
    expect(await state()).toBe('confirmed');
    everywhere(branch(block.parent, HEIGHT, 90, 9n));
    expect(await state()).toBe('confirmed');
    const report = await lookAgain(followerOptions(RULES), 'every');
    expect(report).toEqual({ looked: 1, changed: 1, unseen: 0 });
    expect(await state()).toBe('orphaned');
    expect(await balances('balance')).toBe('');
  });
});
